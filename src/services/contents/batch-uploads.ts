import type { Caller } from "../../domain/accounts/caller.ts";
import { authorOf } from "../../domain/changes/change.ts";
import { parseFolderOrRoot, withSlash } from "../../domain/files/path.ts";
import { BATCH, BATCH_LIMITS } from "../../domain/limits.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { holderOf, Slots } from "../slots.ts";
import { type BatchOptions, BatchUpload } from "./batch-upload.ts";
import type { AnnouncedBytes, Uploads } from "./uploads.ts";

/** Writes many small files with one request. */
export class BatchUploads extends Service<
  Pick<Parts, "tables" | "access" | "tree" | "quota" | "retention" | "batches" | "clock"> & {
    uploads: Uploads;
  }
> {
  readonly #slots = new Slots({ limits: BATCH_LIMITS, noun: "batches" });

  /** Throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, RATE_LIMITED, QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE. */
  async begin(
    caller: Caller,
    client: string,
    { prefix, isAtomic, ...options }: BatchOptions,
    announced: AnnouncedBytes | null,
  ): Promise<BatchUpload> {
    const { uploads, batches } = this.parts;
    const folder = parseFolderOrRoot("prefix", withSlash(prefix));
    using slots = new DisposableStack();
    slots.use(this.#slots.take(holderOf(caller), client));
    const together = await uploads.beginMany(caller, options.drive, announced, BATCH.fileBytes);
    slots.use(together);
    const batch = batches.open("write", authorOf(caller), isAtomic);
    const ends = slots.move();
    return new BatchUpload({ ...this.parts, ...options, caller, prefix: folder, together, batch, ends });
  }
}
