import { Database as Sqlite, SQLiteError } from "bun:sqlite";
import type { Digest } from "../../domain/contents/content.ts";

/**
 * The bytes of a small content in the database at a path, which may be of any version. Null if it does not have them,
 * or cannot be read. They are not checked.
 */
export function spareBytes(path: string, digest: Digest): Uint8Array | null {
  try {
    using sql = new Sqlite(path, { readonly: true, strict: true });
    return (
      sql
        .query<{ bytes: Uint8Array }, [Digest]>(
          "SELECT c.bytes FROM blob b JOIN small_content c ON c.blob = b.pk WHERE b.digest = ?",
        )
        .get(digest)?.bytes ?? null
    );
  } catch (error) {
    if (error instanceof SQLiteError) return null;
    throw error;
  }
}
