import type { Within } from "../../db/engine/database.ts";
import { notFound, orNotFound } from "../../domain/errors.ts";
import { requireFits } from "../../domain/files/file.ts";
import { type Link, requireUsable } from "../../domain/links/link.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { FoundLink, Links } from "./links.ts";
import type { Uploader } from "../contents/upload.ts";
import type { AnnouncedBytes, Uploads } from "../contents/uploads.ts";

export class FileLinks extends Service<
  Pick<Parts, "tables" | "access" | "clock"> & {
    links: Links;
    uploads: Uploads;
    maxFileSize: number;
  }
> {
  /** The file of a link. Throws NOT_FOUND, also if the file is gone, and GONE for a used or expired link. */
  open(token: string) {
    const found = orNotFound(this.#linked(token), "link");
    requireUsable(found.link, this.parts.clock.now());
    return found;
  }

  /** Whether what a link has begun to send may go on: it may be over since, and used up. */
  mayGoOn(token: string): boolean {
    return this.#linked(token) !== null;
  }

  /** Marks a one-time link as used. Of several calls at once, one succeeds. Throws like `open`. */
  async useUp(token: string): Promise<void> {
    await this.parts.tables.writeFromReserve(() => this.#markUsed(this.open(token).link));
  }

  /**
   * Starts the upload of a link, which is used up in the transaction that stores the file. Throws what
   * `Uploads.beginFor` throws, GONE, PAYLOAD_TOO_LARGE; so do `Upload.write` and `Upload.finish`, NOT_FOUND and GONE.
   */
  async begin(token: string, sent: AnnouncedBytes | null = null) {
    const { tables, uploads, maxFileSize } = this.parts;
    const { link, reach } = this.#openUpload(token);
    const { id, driveId, path } = link;
    const limit = Math.min(maxFileSize, link.maxSize ?? maxFileSize);
    const uploader: Uploader = {
      reach,
      author: { by: { kind: "link", id } },
      holder: { owner: id, isUnclaimed: true },
      requireValid: () => void this.#openUpload(token),
      write: <T>(within: Within<T> | undefined, job: () => T) =>
        tables.write(() => {
          const { link: used } = this.#openUpload(token);
          const result = job();
          this.#markUsed(used);
          return result;
        }, within),
    };
    requireFits(sent?.bytes ?? 0, { maxFileSize: limit, room: null });
    const upload = await uploads.beginFor(uploader, driveId, limit, sent && { ...sent, path });
    return { upload, driveId, path, limit };
  }

  /** Also of a link that has expired, or was used. */
  #linked(token: string) {
    const found = this.parts.links.find(token, "presigned");
    const file = found && this.parts.access.findFile(found.reach, { id: found.link.fileId });
    return found && file && { link: found.link, file };
  }

  /** A link, and what its creator may write. Throws NOT_FOUND, also if the drive is gone, and GONE. */
  #openUpload(token: string): FoundLink<"upload"> {
    const found = this.parts.links.find(token, "upload");
    if (found === null || !this.parts.access.canWrite(found.reach, found.link.driveId, found.link.path))
      throw notFound("link");
    requireUsable(found.link, this.parts.clock.now());
    return found;
  }

  #markUsed({ id }: Link): void {
    this.parts.tables.links.markUsed(id, this.parts.clock.now());
  }
}
