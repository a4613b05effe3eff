import type { Digest } from "../domain/digest.ts";
import type { BlobPk } from "../domain/id.ts";
import type { Database } from "./database.ts";

/** A content that nothing refers to any more. */
export interface BlobRow {
  readonly pk: BlobPk;
  readonly digest: Digest;
}

/** What the database knows of contents; the bytes are the blob store's. */
export class BlobsTable {
  readonly #database: Database;
  readonly #upsert;
  readonly #known;
  readonly #any;
  readonly #stamp;
  readonly #orphans;
  readonly #remove;

  constructor(database: Database) {
    this.#database = database;
    const { sql } = database;
    this.#upsert = sql.prepare<{ pk: BlobPk }, [Digest, number, string | null]>(
      `INSERT INTO blob (digest, size, preview) VALUES (?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING pk`,
    );
    this.#known = sql.prepare<object, [Digest]>("SELECT 1 FROM blob WHERE digest = ?");
    this.#any = sql.prepare<object, []>("SELECT 1 FROM blob WHERE pk > 0 LIMIT 1");
    this.#stamp = sql.prepare<never, [number, number]>(
      `UPDATE blob SET orphaned_at = ? WHERE pk IN
         (SELECT pk FROM blob WHERE refs = 0 AND orphaned_at IS NULL LIMIT ?)`,
    );
    this.#orphans = sql.prepare<BlobRow, [number, number]>(
      "SELECT pk, digest FROM blob WHERE refs = 0 AND orphaned_at <= ? ORDER BY orphaned_at LIMIT ?",
    );
    this.#remove = sql.prepare<never, [BlobPk]>("DELETE FROM blob WHERE pk = ? AND refs = 0");
  }

  /** The row of a content, made where there is none. Inside a write. */
  ensure(digest: Digest, size: number, preview: string | null): BlobPk {
    const row = this.#upsert.get(digest, size, preview);
    if (row === null) throw new Error("an upserted blob came back without a row");
    return row.pk;
  }

  /**
   * Whether the bytes of a content may go: no row names it. While the outcome of a write is in doubt none may
   * go, since that write may have made a row that only the next start finds.
   */
  mayGo(digest: Digest): boolean {
    return !this.#database.hasFailed && !this.has(digest);
  }

  /** Whether a row names this content. */
  has(digest: Digest): boolean {
    return this.#known.get(digest) !== null;
  }

  /** Whether there is any content that a row names. */
  hasAny(): boolean {
    return this.#any.get() !== null;
  }

  /** Starts the grace period of up to `limit` contents that nothing refers to any more; of how many. Inside a write. */
  stampOrphans(now: number, limit: number): number {
    return this.#stamp.run(now, limit).changes;
  }

  /** Some contents that nothing has referred to since `before`. */
  orphans(before: number, limit: number): BlobRow[] {
    return this.#orphans.all(before, limit);
  }

  /** Forgets a content, unless something refers to it again; whether it did. Inside a write. */
  remove(pk: BlobPk): boolean {
    return this.#remove.run(pk).changes > 0;
  }
}
