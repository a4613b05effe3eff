import type { Digest } from "../../domain/contents/digest.ts";
import type { DriveId } from "../../domain/id.ts";
import type { FilePath } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import { SnapshotCache } from "../engine/snapshot-cache.ts";

export interface DamagedRow {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  /** What was looked at; null for nothing. */
  readonly state: string | null;
}

/** A file that a content belongs to. */
export interface ContentPlace {
  readonly driveId: DriveId;
  readonly path: FilePath;
}

/** Contents that must not be sent, because they were found damaged. */
export class DamagedContentsTable {
  readonly #sql;
  readonly #known: SnapshotCache<"any", boolean>;

  constructor(database: Database) {
    const { sql } = database;
    this.#known = new SnapshotCache(database);
    this.#sql = {
      any: sql.prepare<object, []>("SELECT 1 FROM damaged_content LIMIT 1"),
      problem: sql.prepare<{ problem: string }, [Digest]>(
        "SELECT problem FROM damaged_content WHERE digest = ?",
      ),
      get: sql.prepare<DamagedRow, [Digest]>(
        `SELECT c.digest, b.size, c.state FROM damaged_content c JOIN blob b ON b.digest = c.digest
        WHERE c.digest = ?`,
      ),
      put: sql.prepare<never, [Digest, string, string | null, number]>(
        `INSERT INTO damaged_content (digest, problem, state, found_at)
       SELECT digest, ?2, ?3, ?4 FROM blob WHERE digest = ?1
       ON CONFLICT (digest) DO UPDATE SET problem = excluded.problem, state = excluded.state`,
      ),
      remove: sql.prepare<never, [Digest]>("DELETE FROM damaged_content WHERE digest = ?"),
      some: sql.prepare<DamagedRow, [string, number]>(
        `SELECT c.digest, b.size, c.state FROM damaged_content c CROSS JOIN blob b ON b.digest = c.digest
        WHERE c.digest > ? ORDER BY c.digest LIMIT ?`,
      ),
      count: sql.prepare<{ contents: number }, []>(
        // CROSS JOIN: from the few that are damaged, not from all contents.
        `SELECT count(*) AS contents FROM damaged_content c CROSS JOIN blob b ON b.digest = c.digest
        WHERE b.refs > 0`,
      ),
      place: sql.prepare<ContentPlace, [Digest]>(
        `SELECT d.id AS driveId, f.path FROM blob b JOIN file f ON f.blob = b.pk JOIN drive d ON d.pk = f.drive
        WHERE b.digest = ? LIMIT 1`,
      ),
    };
  }

  /** What is wrong with a content; null if nothing is known. */
  problemOf(digest: Digest): string | null {
    const hasAny = this.#known.get("any", () => this.#sql.any.get() !== null);
    return hasAny ? (this.#sql.problem.get(digest)?.problem ?? null) : null;
  }

  /** A damaged content; null if nothing is known of it. */
  get(digest: Digest): DamagedRow | null {
    return this.#sql.get.get(digest);
  }

  /** Records damage of a content. Returns false if the content has no row. Inside a write. */
  put(digest: Digest, problem: string, state: string | null, now: number): boolean {
    return this.#sql.put.run(digest, problem, state, now).changes > 0;
  }

  /** Records that a content is whole. Returns whether it was damaged. Inside a write. */
  remove(digest: Digest): boolean {
    return this.#sql.remove.run(digest).changes > 0;
  }

  /** Some damaged contents after a digest, in the order of their digests. */
  some(after: string, limit: number): DamagedRow[] {
    return this.#sql.some.all(after, limit);
  }

  /** How many contents of files are damaged. */
  count(): number {
    return this.#sql.count.get()?.contents ?? 0;
  }

  /** One of the files that a content belongs to; null if there is none. */
  placeOf(digest: Digest): ContentPlace | null {
    return this.#sql.place.get(digest);
  }
}
