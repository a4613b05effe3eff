import type { Digest } from "../../domain/contents/digest.ts";
import type { BlobPk } from "../../domain/id.ts";
import { SMALL_CONTENT_BYTES } from "../../domain/limits.ts";
import type { Database } from "../engine/database.ts";

/** What became of a small content: it was there, it is new, or bytes that were wrong are right again. */
export type KeptContent = "same" | "new" | "healed";

/** The bytes of small contents. They go with the row of their blob. */
export class SmallContentsTable {
  /** Contents up to this size, in bytes, are kept here. */
  readonly smallBytes = SMALL_CONTENT_BYTES;
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byDigest: sql.prepare<{ bytes: Uint8Array<ArrayBuffer> }, [Digest]>(
        "SELECT c.bytes FROM blob b JOIN small_content c ON c.blob = b.pk WHERE b.digest = ?",
      ),
      isSame: sql.prepare<{ same: 0 | 1 }, [Uint8Array, BlobPk]>(
        "SELECT bytes = ? AS same FROM small_content WHERE blob = ?",
      ),
      put: sql.prepare<never, [BlobPk, Uint8Array]>(
        "INSERT OR REPLACE INTO small_content (blob, bytes) VALUES (?, ?)",
      ),
    };
  }

  /** The bytes of a content; null where it is none of these. */
  get(digest: Digest): Uint8Array<ArrayBuffer> | null {
    return this.#sql.byDigest.get(digest)?.bytes ?? null;
  }

  /** Keeps the bytes of a content, unless they are there. Inside a write. */
  put(blob: BlobPk, bytes: Uint8Array): KeptContent {
    const present = this.#sql.isSame.get(bytes, blob);
    if (present?.same === 1) return "same";
    this.#sql.put.run(blob, bytes);
    return present === null ? "new" : "healed";
  }
}
