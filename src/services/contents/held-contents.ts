import type { HeldBlob } from "../../blobs/blob-body.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { BlobChecks } from "./blob-checks.ts";

/** Contents of files that are read in any order, and count as sent. */
export class HeldContents extends Service<Pick<Parts, "usage"> & { blobChecks: BlobChecks }> {
  /** The whole content; no caller for a link. Throws DamagedFile. */
  hold(caller: Caller | null, file: FileFacts): Promise<HeldBlob> {
    this.parts.usage.countSent(caller, file.driveId, file.size);
    return this.parts.blobChecks.hold(file);
  }
}
