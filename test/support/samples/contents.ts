import { Database as Sqlite } from "bun:sqlite";
import { join } from "node:path";

/** A content that a data directory keeps; its size is in bytes. */
export interface KeptContent {
  readonly digest: string;
  readonly size: number;
}

/** The contents that are files of their own. */
export function filesIn(dataDir: string): KeptContent[] {
  const blobs = join(dataDir, "blobs");
  return [...new Bun.Glob("*/*").scanSync(blobs)].map((name) => ({
    digest: name.slice(3),
    size: Bun.file(join(blobs, name)).size,
  }));
}

/** All contents, those in the database as well. */
export function contentsIn(dataDir: string): KeptContent[] {
  using sql = new Sqlite(join(dataDir, "coffer.db"), { readonly: true });
  const small = sql
    .query<KeptContent, []>(
      "SELECT b.digest, length(c.bytes) AS size FROM small_content c JOIN blob b ON b.pk = c.blob",
    )
    .all();
  return [...filesIn(dataDir), ...small];
}
