import { Database as Sqlite, SQLiteError } from "bun:sqlite";
import { dirname } from "node:path";
import type { Clock } from "../clock.ts";
import type { DatabaseReserve } from "../database-reserve.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { cannotWrite, diskFull, isFull } from "./write-failures.ts";
import { type Room, WriteQueue } from "./write-queue.ts";

/**
 * Thrown inside a write by a job that has to wait for something else: the job is undone, and runs again after
 * `end`. Where `end` rejects, so does the write.
 */
export class Busy extends Error {
  readonly end: Promise<void>;

  constructor(end: Promise<void>) {
    super("the write has to wait");
    this.end = end;
  }
}

/** Called inside a write with its result, before it is durable; what it throws undoes the write. */
export type Within<T> = (result: T) => void;

/** What a server has beside the file; commands that work beside it have neither. */
export interface DatabaseOptions {
  readonly reserve: DatabaseReserve;
  /** Told once, with what failed, when nothing can be written any more. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The one connection to the database. Reads run at once; every write goes through `write`, which
 * answers only after its commit is on the disk.
 */
export class Database {
  readonly sql: Sqlite;
  readonly #writes: WriteQueue;
  readonly #reserve: DatabaseReserve | null;
  readonly #begin;
  readonly #commit;
  /** What ends the snapshot that is held; null while none is. */
  #snapshotEnd: NodeJS.Immediate | null = null;

  private constructor(sql: Sqlite, clock: Clock, options: DatabaseOptions | null) {
    this.sql = sql;
    this.#reserve = options?.reserve ?? null;
    this.#writes = new WriteQueue(sql, {
      clock,
      endReads: () => this.#endSnapshot(),
      reserve: this.#reserve,
      onFailure: options?.onFailure ?? (() => {}),
    });
    this.#begin = sql.prepare<never, []>("BEGIN");
    this.#commit = sql.prepare<never, []>("COMMIT");
  }

  /**
   * Opens or makes the database file and brings its schema up to date.
   *
   * @throws Error whose message tells the operator what to do
   */
  static open(path: string, clock: Clock, options: DatabaseOptions | null = null): Database {
    try {
      return new Database(openUpToDate(path, clock), clock, options);
    } catch (error) {
      throw error instanceof SQLiteError ? unusable(path, error) : error;
    }
  }

  /**
   * Runs `job` in a transaction and resolves with its result once that is durable. Jobs handed in
   * during one turn of the event loop share a commit, but not a fate: one that throws is undone
   * alone, and its error is what its promise rejects with; one that throws `Busy` runs again later. The job
   * must not await.
   *
   * @param within gets the job's result, still in the transaction
   * @param room `reserve` for what must be possible on a full disk: what frees room or lets people in
   * @throws WriteRefused STORAGE_FULL when the disk has no room for it. UNAVAILABLE when the disk failed: at
   *   that write its outcome is unknown, and every later one is refused.
   */
  async write<T>(job: () => T, within?: Within<T>, room: Room = "free"): Promise<T> {
    if (room === "free" && this.#reserve?.isWhole === false) await this.requireSpace();
    try {
      return await this.#writes.add(within === undefined ? job : () => withResult(job(), within), room);
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      await error.end;
      return this.write(job, within, room);
    }
  }

  /** Whether the disk failed at a write: what that was about is in doubt, and nothing is written any more. */
  get hasFailed(): boolean {
    return this.#writes.hasFailed;
  }

  /**
   * Refuses work that ends in a write which takes room, where there is none for it.
   *
   * @throws WriteRefused STORAGE_FULL, UNAVAILABLE
   */
  async requireSpace(): Promise<void> {
    if (this.hasFailed) throw cannotWrite();
    if (!(await this.hasSpace())) throw diskFull();
  }

  /** Whether the reserve is whole, made so where the disk has room for it again. */
  async hasSpace(): Promise<boolean> {
    return this.#reserve === null || this.#reserve.isWhole || (await this.#reserve.restore());
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
    // A read that failed at the disk has ended it already.
    if (this.sql.inTransaction) this.#commit.run();
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
    // The second is the shared memory of the log, which grows by a file as well.
    isFull(cause) || cause.code === "SQLITE_IOERR_SHMSIZE"
      ? "Make room on its disk."
      : "Make it and its directory readable and writable for this user, and make room if the disk is full; " +
        "if it is damaged, restore the data directory from a backup.";
  return new Error(`The database ${path} cannot be used: ${cause.message}. ${advice}`, { cause });
}

function withResult<T>(result: T, within: Within<T>): T {
  within(result);
  return result;
}
