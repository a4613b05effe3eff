import type { Digest } from "../../domain/contents/content.ts";
import type { BlobPk } from "../../domain/id.ts";
import { SMALL_CONTENT_BYTES } from "../../domain/limits.ts";
import type { Database } from "../engine/database.ts";

/** What became of a small content: it was there, it is new, or bytes that were wrong are right again. */
type KeptContent = "same" | "new" | "healed";

/** The bytes of small contents. They go with the row of their blob. */
export function smallContents({ sql }: Database) {
  const isSame = sql.value<0 | 1, [blob: BlobPk, bytes: Uint8Array]>(
    "SELECT bytes = ?2 FROM small_content WHERE blob = ?1",
  );
  const put = sql.write<[blob: BlobPk, bytes: Uint8Array]>(
    "INSERT OR REPLACE INTO small_content (blob, bytes) VALUES (?, ?)",
  );
  return {
    /** Contents up to this size, in bytes, are kept here. */
    smallBytes: SMALL_CONTENT_BYTES,
    /** The bytes of a blob; null where it is none of these. */
    get: sql.value<Uint8Array<ArrayBuffer>, [digest: Digest]>(
      "SELECT c.bytes FROM blob b JOIN small_content c ON c.blob = b.pk WHERE b.digest = ?",
    ),
    /** Keeps the bytes of a blob, unless they are there. Inside a write. */
    put: (blob: BlobPk, bytes: Uint8Array): KeptContent => {
      const same = isSame(blob, bytes);
      if (same === 1) return "same";
      put(blob, bytes);
      return same === null ? "new" : "healed";
    },
  };
}
