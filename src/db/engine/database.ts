import { messageOf } from "../../domain/errors.ts";
import type { Clock } from "../../process/clock.ts";
import { DatabaseLog } from "./database-log.ts";
import type { DatabaseReserve } from "./database-reserve.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Connection } from "./connection.ts";
import { traced } from "../../tracing/traced.ts";
import type { Tracer } from "../../tracing/tracer.ts";
import { explainFailure, openConnection, type Upgrade } from "./opening.ts";
import { cannotWrite, diskFull } from "./write-failures.ts";
import type { WriteFigures } from "./write-meter.ts";
import { type WriteOptions, WriteQueue } from "./write-queue.ts";

/** Thrown by a job that must wait: it is rolled back, and runs again after `end`, or rejects with that. */
export class Busy extends Error {
  readonly end: Promise<void>;

  constructor(end: Promise<void>) {
    super("the write must wait");
    this.end = end;
  }
}

/** Called inside a write with its result, before the commit. An error in it rolls the write back. */
export type Within<T> = (result: T) => void;

/** What only a server passes; commands that run next to it do not. */
interface DatabaseOptions {
  readonly reserve: DatabaseReserve;
  /** Called once, with the error, when the database can no longer be written. */
  readonly onFailure: (error: unknown) => void;
  /** Called before an older schema is upgraded. An error in it leaves the database as it is. */
  readonly beforeUpgrade: (upgrade: Upgrade) => void;
  /** Null if no traces are recorded. */
  readonly tracer: Tracer | null;
}

/**
 * The server's main connection to the database. Reads run at once. Every write goes through `write`, which resolves
 * only after its commit is on the disk, unless it need not be durable. Until then, for the time of one sync, reads may
 * see a commit that a power cut would undo. A write that depends on it comes later in the log, so it is undone as well.
 */
export class Database {
  readonly sql: Connection;
  readonly #writes: WriteQueue;
  readonly #log: DatabaseLog;
  readonly #checkpoints: Checkpoints;
  readonly #reserve: DatabaseReserve | null;
  /** Of a snapshot; prepared, since each request needs them. */
  readonly #begin;
  readonly #commit;
  readonly #othersVersion;
  readonly #clock: Clock;
  readonly #tracer: Tracer | null;
  /** Ends the current snapshot; null if there is none. */
  #snapshotEnd: NodeJS.Immediate | null = null;
  #snapshotAt = 0;
  /** How many groups of writes have begun. */
  #groups = 0;
  /** Of the snapshot that is held; null until somebody asks. */
  #version: string | null = null;
  #onDurable: () => void = () => {};

  private constructor(sql: Connection, clock: Clock, options: DatabaseOptions | null) {
    this.sql = sql;
    this.#clock = clock;
    this.#tracer = options?.tracer ?? null;
    this.#reserve = options?.reserve ?? null;
    this.#log = new DatabaseLog(sql.filename);
    this.#checkpoints = new Checkpoints({
      path: sql.filename,
      log: this.#log,
      changes: sql.number<[]>("SELECT total_changes()"),
      isFull: () => this.#reserve?.isWhole === false,
      pauseFor: (work) => this.#writes.pauseFor(work),
      onFailure: (error) => this.#writes.fail(error),
    });
    this.#writes = new WriteQueue({
      sql,
      clock,
      log: this.#log,
      checkpoints: this.#checkpoints,
      onDurable: () => this.#onDurable(),
      endReads: () => {
        this.#endSnapshot();
        this.#groups += 1;
      },
      reserve: this.#reserve,
      onFailure: options?.onFailure ?? (() => {}),
    });
    this.#begin = sql.write<[]>("BEGIN");
    this.#commit = sql.write<[]>("COMMIT");
    // It changes with each commit of another connection, and never with one of this.
    this.#othersVersion = sql.number<[]>("PRAGMA data_version");
  }

  /** Only a server upgrades an older schema. Throws an Error whose message tells the operator what to do. */
  static open(path: string, clock: Clock, options: DatabaseOptions | null = null): Database {
    try {
      return new Database(openConnection(path, clock, options?.beforeUpgrade ?? null), clock, options);
    } catch (error) {
      throw explainFailure(path, error);
    }
  }

  /**
   * Runs `job` in a transaction and resolves with its result once that is durable. Jobs added in one turn of the
   * event loop share a commit. A job that throws is rolled back alone, and its promise rejects with the error; one
   * that throws `Busy` runs again later. The job must not await.
   *
   * @param within gets the job's result, still in the transaction
   * @param how `reserve` for what must work on a full disk: what frees space or lets users sign in. Not durable for
   *   what is made again from the rest if a power cut undoes it: then it resolves after the commit
   * @throws WriteRefused STORAGE_FULL if the disk has no room. UNAVAILABLE if the disk failed: the outcome of the
   *   write that failed is unknown, and every later one is refused.
   */
  write<T>(job: () => T, within?: Within<T>, how: Partial<WriteOptions> = {}): Promise<T> {
    return traced(this.#tracer, "database write", (span) => {
      const noted = () => {
        // The wait in the queue ends here.
        span?.note("transaction");
        return job();
      };
      return this.#write(span === null ? job : noted, within, how);
    });
  }

  async #write<T>(job: () => T, within: Within<T> | undefined, how: Partial<WriteOptions>): Promise<T> {
    const { room = "free", isDurable = true } = how;
    if (room === "free" && this.#reserve?.isWhole === false) await this.requireWritable();
    try {
      return await this.#writes.add(within === undefined ? job : () => withResult(job(), within), {
        room,
        isDurable,
      });
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      await error.end;
      return this.#write(job, within, how);
    }
  }

  /** For the start: a killed process may have left commits that are not synced. Throws an Error for the operator. */
  async syncLog(): Promise<void> {
    try {
      await this.#log.sync();
    } catch (cause) {
      throw new Error(
        `The log of the database ${this.sql.filename} cannot be synced: ${messageOf(cause)}. Check the disk, then start again.`,
        { cause },
      );
    }
  }

  /** Calls `listener` each time when all commits so far are on the disk, before their writes are answered. */
  onDurable(listener: () => void): void {
    this.#onDurable = listener;
  }

  /** Whether the disk failed: the outcome of that write is unknown, and no other is accepted. Reads see it. */
  get hasFailed(): boolean {
    return this.#writes.hasFailed;
  }

  get writes(): WriteFigures {
    return this.#writes.figures;
  }

  /** Before work that ends in a write: throws WriteRefused STORAGE_FULL or UNAVAILABLE if it cannot be. */
  async requireWritable(): Promise<void> {
    this.requireKnownOutcome();
    if (!(await this.hasSpace())) throw diskFull();
  }

  /** Throws UNAVAILABLE if the outcome of a write is unknown: what is read then may not be on the disk. */
  requireKnownOutcome(): void {
    if (this.hasFailed) throw cannotWrite();
  }

  /** Whether the reserve exists; creates it again if the disk has space. */
  async hasSpace(): Promise<boolean> {
    return this.#reserve === null || this.#reserve.isWhole || (await this.#reserve.restore());
  }

  /**
   * Holds one snapshot of the database until the end of this turn of the event loop: all reads until then agree, and
   * take the locks of a transaction only once. Call it when a request begins. A turn may be long, and a key that a
   * command has made meanwhile must be known to the next request: so a snapshot of another millisecond is renewed.
   */
  holdSnapshot(): void {
    const now = this.#clock.now();
    if (this.#snapshotEnd !== null) {
      if (this.#snapshotAt === now) return;
      this.#endSnapshot();
    }
    this.#snapshotAt = now;
    this.#version = null;
    this.#begin();
    this.#snapshotEnd = setImmediate(() => this.#endSnapshot());
  }

  /**
   * The version of what the snapshot that is held shows: another one after each group of writes, and after each commit
   * of another process. Null if none is held.
   */
  get version(): string | null {
    if (this.#snapshotEnd === null) return null;
    return (this.#version ??= `${this.#groups}-${this.#othersVersion()}`);
  }

  #endSnapshot(): void {
    if (this.#snapshotEnd === null) return;
    clearImmediate(this.#snapshotEnd);
    this.#snapshotEnd = null;
    // A read that failed at the disk has ended the transaction already.
    if (this.sql.inTransaction) this.#commit();
  }

  /** Throws if the database does not answer. If its files are gone, it has failed from now on. */
  ping(): void {
    try {
      this.#log.requireFiles();
    } catch (error) {
      this.#writes.fail(error);
    }
    this.sql.query("SELECT 1").get();
  }

  /**
   * Finishes the queued writes and closes; later ones are refused. ANALYZE is never run: the statements are written for
   * their indexes, and statistics from when a table was small would turn index searches into scans once it has grown.
   */
  async close(): Promise<void> {
    await this.#writes.close();
    await this.#checkpoints.close();
    await this.#log.close();
    this.#endSnapshot();
    this.sql.close();
  }
}

function withResult<T>(result: T, within: Within<T>): T {
  within(result);
  return result;
}
