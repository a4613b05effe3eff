import { Database as Sqlite, SQLiteError } from "bun:sqlite";
import { dirname } from "node:path";
import type { Clock } from "../clock.ts";
import { CofferError } from "../domain/errors.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { WriteQueue } from "./write-queue.ts";

/** Called inside a write with its result, before it is durable; what it throws undoes the write. */
export type Within<T> = (result: T) => void;

/**
 * The one connection to the database. Reads run at once; every write goes through `write`, which
 * answers only after its commit is on the disk.
 */
export class Database {
  readonly sql: Sqlite;
  readonly #writes: WriteQueue;
  readonly #begin;
  readonly #commit;
  /** What ends the snapshot that is held; null while none is. */
  #snapshotEnd: NodeJS.Immediate | null = null;

  private constructor(sql: Sqlite) {
    this.sql = sql;
    this.#writes = new WriteQueue(sql, () => this.#endSnapshot());
    this.#begin = sql.prepare<never, []>("BEGIN");
    this.#commit = sql.prepare<never, []>("COMMIT");
  }

  /**
   * Opens or makes the database file and brings its schema up to date.
   *
   * @throws Error whose message tells the operator what to do
   */
  static open(path: string, clock: Clock): Database {
    try {
      return new Database(openUpToDate(path, clock));
    } catch (error) {
      throw error instanceof SQLiteError ? unusable(path, error) : error;
    }
  }

  /**
   * Runs `job` in a transaction and resolves with its result once that is durable. Jobs handed in
   * during one turn of the event loop share a commit, but not a fate: one that throws is undone
   * alone, and its error is what its promise rejects with. The job must not await.
   *
   * @param within gets the job's result, still in the transaction
   * @throws CofferError STORAGE_FULL when the disk has no room for it
   */
  async write<T>(job: () => T, within?: Within<T>): Promise<T> {
    try {
      return await this.#writes.add(within === undefined ? job : () => withResult(job(), within));
    } catch (error) {
      if (error instanceof SQLiteError && error.code === "SQLITE_FULL") {
        throw new CofferError("STORAGE_FULL", "The disk is full.");
      }
      throw error;
    }
  }

  /**
   * Lets the reads until the end of this turn of the event loop see one state of the database, so that
   * they agree with each other; and they take the locks of a transaction once instead of each.
   */
  holdSnapshot(): void {
    if (this.#snapshotEnd !== null) return;
    this.#begin.run();
    this.#snapshotEnd = setImmediate(() => this.#endSnapshot());
  }

  #endSnapshot(): void {
    if (this.#snapshotEnd === null) return;
    clearImmediate(this.#snapshotEnd);
    this.#snapshotEnd = null;
    this.#commit.run();
  }

  /** Whether the database answers. */
  ping(): void {
    this.sql.query("SELECT 1").get();
  }

  /**
   * Finishes the writes handed in so far, and closes; later ones are refused. SQLite is never asked to
   * gather statistics: the statements are written for their indexes, and numbers from when a table was
   * small would make scans of look-ups once it has grown.
   */
  async close(): Promise<void> {
    await this.#writes.close();
    this.#endSnapshot();
    this.sql.close(true);
  }
}

function openUpToDate(path: string, clock: Clock): Sqlite {
  const sql = new Sqlite(path, { create: true, readwrite: true, strict: true });
  try {
    sql.run("PRAGMA busy_timeout = 10000");
    sql.run("PRAGMA journal_mode = WAL");
    // FULL syncs the log at every commit: an answered write survives a power cut.
    sql.run("PRAGMA synchronous = FULL");
    sql.run("PRAGMA foreign_keys = ON");
    sql.run("PRAGMA temp_store = MEMORY");
    // For connections that keep theirs in files, also where nothing but the data directory can be written to.
    // It holds for the whole process: set once, before there are threads that might look.
    sql.run(`PRAGMA temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    sql.run("PRAGMA cache_size = -16000");
    sql.run("PRAGMA journal_size_limit = 67108864");
    migrate(sql, MIGRATIONS, clock);
    return sql;
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** What to tell the operator, for whom SQLite's own words are no advice. */
function unusable(path: string, cause: SQLiteError): Error {
  const advice =
    cause.code === "SQLITE_FULL"
      ? "Make room on its disk."
      : "Make it and its directory readable and writable for this user; if it is damaged, restore the data directory from a backup.";
  return new Error(`The database ${path} cannot be used: ${cause.message}. ${advice}`, { cause });
}

function withResult<T>(result: T, within: Within<T>): T {
  within(result);
  return result;
}
