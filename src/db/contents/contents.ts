import type { ContentFacts, Digest } from "../../domain/contents/content.ts";
import type { BlobPk } from "../../domain/id.ts";
import { SMALL_CONTENT_BYTES } from "../../domain/limits.ts";
import { type Database, SnapshotCache } from "../engine/database.ts";
import type { File } from "../../domain/files/file.ts";

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
    smallBytes: SMALL_CONTENT_BYTES,
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

export interface DamagedRow extends ContentFacts {
  /** What was looked at; null for nothing. */
  readonly state: string | null;
}

type ContentPlace = Pick<File, "driveId" | "path">;

/** Contents that must not be sent, because they were found damaged. */
export function damagedContents(database: Database) {
  const { sql } = database;
  const known = new SnapshotCache<"any", boolean>(database);
  const hasAny = sql.has<[]>("SELECT 1 FROM damaged_content LIMIT 1");
  const problem = sql.value<string, [digest: Digest]>("SELECT problem FROM damaged_content WHERE digest = ?");
  return {
    /** What is wrong with a blob; null if nothing is known. */
    problemOf: (digest: Digest) => (known.get("any", hasAny) ? problem(digest) : null),
    get: sql.get<DamagedRow, [digest: Digest]>(
      `SELECT c.digest, b.size, c.state FROM damaged_content c JOIN blob b ON b.digest = c.digest
        WHERE c.digest = ?`,
    ),
    /** Records damage of a blob. Returns false if it has no row. */
    put: sql.writeAny<[digest: Digest, problem: string, state: string | null, now: number]>(
      `INSERT INTO damaged_content (digest, problem, state, found_at)
       SELECT digest, ?2, ?3, ?4 FROM blob WHERE digest = ?1
       ON CONFLICT (digest) DO UPDATE SET problem = excluded.problem, state = excluded.state`,
    ),
    /** Records that a blob is whole. Returns whether it was damaged. */
    remove: sql.writeAny<[digest: Digest]>("DELETE FROM damaged_content WHERE digest = ?"),
    some: sql.all<DamagedRow, [after: string, limit: number]>(
      `SELECT c.digest, b.size, c.state FROM damaged_content c CROSS JOIN blob b ON b.digest = c.digest
        WHERE c.digest > ? ORDER BY c.digest LIMIT ?`,
    ),
    count: sql.number<[]>(
      // CROSS JOIN: from the few that are damaged, not from all contents.
      `SELECT count(*) FROM damaged_content c CROSS JOIN blob b ON b.digest = c.digest WHERE b.refs > 0`,
    ),
    placeOf: sql.get<ContentPlace, [digest: Digest]>(
      `SELECT d.id AS driveId, f.path FROM blob b JOIN file f ON f.blob = b.pk JOIN drive d ON d.pk = f.drive
        WHERE b.digest = ? LIMIT 1`,
    ),
  };
}
