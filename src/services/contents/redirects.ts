import type { SentAs } from "../../blobs/blob-place.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { ByteRange } from "../../domain/contents/content.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import { REDIRECT } from "../../domain/limits.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** Gives out the addresses of large contents in a bucket, where the operator wants that the bucket sends them. */
export class Redirects extends Service<
  Pick<Parts, "blobs" | "damaged" | "usage"> & { readonly blobRedirect: "on" | "off" }
> {
  get isOn(): boolean {
    return this.parts.blobRedirect === "on";
  }

  /**
   * An address at which anybody gets a content for `REDIRECT.seconds`; null if this server sends it, as it is not kept
   * elsewhere, or is here too, or little of it is asked for. Throws UNAVAILABLE. It is secret.
   */
  addressOf(file: FileFacts, { start, end }: ByteRange, sentAs: SentAs): Promise<string> | null {
    if (!this.isOn || end - start <= REDIRECT.bytes) return null;
    return this.parts.blobs.addressOf(file, REDIRECT.seconds, sentAs);
  }

  /**
   * Looks whether a content is where its address leads, and counts what is about to be sent from there; no caller for a
   * link. Throws DamagedFile for one that is missing there, or has another size, and UNAVAILABLE.
   */
  async leave(caller: Caller | null, file: FileFacts, { start, end }: ByteRange): Promise<void> {
    await this.parts.damaged.readFor(file, () => this.parts.blobs.requirePlaced(file));
    this.parts.usage.countSent(caller, file.driveId, end - start);
  }
}
