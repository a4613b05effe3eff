import type { Digest } from "../../domain/contents/digest.ts";
import type { BlobPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** An orphan: a content that no file refers to. */
export interface BlobRow {
  readonly pk: BlobPk;
  readonly digest: Digest;
}

/** A content that files, versions or snapshots have. */
export interface FileContent {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** How many of the newest rows are looked at, and how many contents are returned of them. */
const NEWEST = { looked: 2000, files: 500 };
/** How many rows are looked at in one place. */
const SOME = 25;

/** The database's records of contents; the blob store has the bytes. */
export class BlobsTable {
  readonly #database: Database;
  readonly #sql;

  constructor(database: Database) {
    this.#database = database;
    const { sql } = database;
    this.#sql = {
      upsert: sql.prepare<{ pk: BlobPk }, [Digest, number, string | null]>(
        `INSERT INTO blob (digest, size, preview) VALUES (?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING pk`,
      ),
      find: sql.prepare<{ pk: BlobPk }, [Digest]>("SELECT pk FROM blob WHERE digest = ?"),
      any: sql.prepare<object, []>("SELECT 1 FROM blob WHERE pk > 0 LIMIT 1"),
      newest: sql.prepare<FileContent, [number]>(
        `SELECT digest, size FROM (SELECT * FROM blob ORDER BY pk DESC LIMIT ${NEWEST.looked}) page
        WHERE refs > 0 AND size > ? LIMIT ${NEWEST.files}`,
      ),
      some: sql.prepare<FileContent, [number, number]>(
        `SELECT digest, size FROM (SELECT * FROM blob WHERE pk >= ? * (SELECT max(pk) FROM blob)
                                  ORDER BY pk LIMIT ${SOME}) page
        WHERE refs > 0 AND size > ?`,
      ),
      stamp: sql.prepare<never, [number, number]>(
        `UPDATE blob SET orphaned_at = ? WHERE pk IN
         (SELECT pk FROM blob WHERE refs = 0 AND orphaned_at IS NULL LIMIT ?)`,
      ),
      stampAgain: sql.prepare<never, [number, number]>(
        `UPDATE blob SET orphaned_at = ?1 WHERE pk IN
         (SELECT pk FROM blob WHERE refs = 0 AND orphaned_at > ?1 LIMIT ?2)`,
      ),
      orphans: sql.prepare<BlobRow, [number, number]>(
        "SELECT pk, digest FROM blob WHERE refs = 0 AND orphaned_at <= ? ORDER BY orphaned_at LIMIT ?",
      ),
      remove: sql.prepare<never, [BlobPk]>("DELETE FROM blob WHERE pk = ? AND refs = 0"),
    };
  }

  /** The row of a content, created if there is none. Inside a write. */
  ensure(digest: Digest, size: number, preview: string | null): BlobPk {
    const row = this.#sql.upsert.get(digest, size, preview);
    if (row === null) throw new Error("an upserted blob came back without a row");
    return row.pk;
  }

  /**
   * Whether the bytes of a content may be removed: no row names it. False while the outcome of a write is unknown:
   * that write may have created a row that only the next start finds.
   */
  isRemovable(digest: Digest): boolean {
    return !this.#database.hasFailed && !this.has(digest);
  }

  /** Whether a row names this content. */
  has(digest: Digest): boolean {
    return this.find(digest) !== null;
  }

  /** The row of a content; null if there is none. */
  find(digest: Digest): BlobPk | null {
    return this.#sql.find.get(digest)?.pk ?? null;
  }

  /** Whether a row names any content. */
  hasAny(): boolean {
    return this.#sql.any.get() !== null;
  }

  /** Some of the newest contents of files that are larger than this, in bytes. */
  newestFiles(above: number): FileContent[] {
    return this.#sql.newest.all(above);
  }

  /** Some contents of files that are larger than `above`, in bytes. @param place where to look, from 0 to 1 */
  someFiles(place: number, above: number): FileContent[] {
    return this.#sql.some.all(place, above);
  }

  /**
   * Starts the grace period of up to `limit` new orphans, and of some that begin in the future: they are from before
   * the clock was set back. Returns how many. Inside a write.
   */
  stampOrphans(now: number, limit: number): number {
    return this.#sql.stamp.run(now, limit).changes + this.#sql.stampAgain.run(now, limit).changes;
  }

  /** Some contents that have been orphans since `before`. */
  orphans(before: number, limit: number): BlobRow[] {
    return this.#sql.orphans.all(before, limit);
  }

  /** Removes the row of an orphan. Returns false if something refers to it again. Inside a write. */
  remove(pk: BlobPk): boolean {
    return this.#sql.remove.run(pk).changes > 0;
  }
}
