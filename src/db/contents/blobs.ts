import type { ContentFacts, Digest } from "../../domain/contents/content.ts";
import type { BlobPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import type { ReleasedContent } from "./released-contents.ts";

/** An orphan: a blob that no file refers to. */
export type BlobRow = Pick<ReleasedContent, "pk" | "digest">;

/** How many of the newest rows are looked at, and how many contents are returned of them. */
const NEWEST = { looked: 2000, files: 500 };
/** How many rows are looked at in one place. */
const SOME = 25;

/** The database's records of contents; the blob store has the bytes. */
export function blobs(database: Database) {
  const { sql } = database;
  const find = sql.value<BlobPk, [digest: Digest]>("SELECT pk FROM blob WHERE digest = ?");
  const has = (digest: Digest) => find(digest) !== null;
  const stamp = sql.write<[now: number, limit: number]>(
    `UPDATE blob SET orphaned_at = ? WHERE pk IN
       (SELECT pk FROM blob WHERE refs = 0 AND orphaned_at IS NULL LIMIT ?)`,
  );
  const stampAgain = sql.write<[now: number, limit: number]>(
    `UPDATE blob SET orphaned_at = ?1 WHERE pk IN
       (SELECT pk FROM blob WHERE refs = 0 AND orphaned_at > ?1 LIMIT ?2)`,
  );
  return {
    /** The row of a blob, created if there is none. */
    ensure: sql.writeOne<BlobPk, [digest: Digest, size: number, preview: string | null]>(
      `INSERT INTO blob (digest, size, preview) VALUES (?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING pk`,
    ),
    /** Whether no row names a blob. False while the outcome of a write is unknown: the next start may find its row. */
    isRemovable: (digest: Digest) => !database.hasFailed && !has(digest),
    /** Whether a row names this content. */
    has,
    /** The row of a blob; null if there is none. */
    find,
    /** Whether a row names any content. */
    hasAny: sql.has<[]>("SELECT 1 FROM blob WHERE pk > 0 LIMIT 1"),
    /** Some of the newest contents of files that are larger than this, in bytes. */
    newestFiles: sql.all<ContentFacts, [above: number]>(
      `SELECT digest, size FROM (SELECT * FROM blob ORDER BY pk DESC LIMIT ${NEWEST.looked}) page
        WHERE refs > 0 AND size > ? LIMIT ${NEWEST.files}`,
    ),
    /** Some blobs of files that are larger than `above`, in bytes. `place` is where to look, from 0 to 1. */
    someFiles: sql.all<ContentFacts, [place: number, above: number]>(
      `SELECT digest, size FROM (SELECT * FROM blob WHERE pk >= ? * (SELECT max(pk) FROM blob)
                                  ORDER BY pk LIMIT ${SOME}) page
        WHERE refs > 0 AND size > ?`,
    ),
    /**
     * Starts the grace period of up to `limit` new orphans, and of some that begin in the future: they are from before
     * the clock was set back. Returns how many. Inside a write.
     */
    stampOrphans: (now: number, limit: number) => stamp(now, limit) + stampAgain(now, limit),
    /** Some blobs that have been orphans since `before`. */
    orphans: sql.all<BlobRow, [before: number, limit: number]>(
      "SELECT pk, digest FROM blob WHERE refs = 0 AND orphaned_at <= ? ORDER BY orphaned_at LIMIT ?",
    ),
    /** Removes the row of an orphan. Returns false if something refers to it again. */
    remove: sql.writeAny<[pk: BlobPk]>("DELETE FROM blob WHERE pk = ? AND refs = 0"),
  };
}
