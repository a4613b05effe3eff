import type { Database as Sqlite } from "bun:sqlite";
import type { Clock } from "../clock.ts";
import type { DatabaseReserve } from "../database-reserve.ts";
import { cannotWrite, diskFull, inDoubt, isFull, leavesDoubt } from "./write-failures.ts";

/** Which room a write may take: what is free, or the database's reserve as well. */
export type Room = "free" | "reserve";

/** What a queue of writes is made with. */
export interface WriteQueueOptions {
  readonly clock: Clock;
  /** Ends the transaction of the reads before a batch, if one is open. */
  readonly endReads: () => void;
  /** Null where there is none: then every write may take what is free. */
  readonly reserve: DatabaseReserve | null;
  /** Told once, with what failed, when nothing can be written any more. */
  readonly onFailure: (error: unknown) => void;
}

interface Job {
  /** Does the work, inside the transaction. May be called again when that was undone as a whole. */
  readonly run: () => void;
  readonly room: Room;
  /** Tells the caller that it is durable. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How many jobs share one commit at most, so that a flood of writes lets reads through in between. */
const BATCH = 256;
/** How long a batch takes further jobs, in milliseconds. Those that are left wait for the next turn of the event loop. */
const BATCH_MS = 8;

/** Gathers the writes of one turn of the event loop into one transaction: one disk sync for all. */
export class WriteQueue {
  readonly #sql: Sqlite;
  readonly #options: WriteQueueOptions;
  #waiting: Job[] = [];
  #idle: PromiseWithResolvers<void> | null = null;
  #isClosed = false;
  #hasFailed = false;

  constructor(sql: Sqlite, options: WriteQueueOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Whether the outcome of a write is in doubt. Then nothing is written any more until the next start. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /**
   * Runs `job` in the next batch; settles after the batch's commit. Rejects once the queue is closed, and with
   * `WriteRefused` where nothing can be written or there is no room.
   */
  add<T>(job: () => T, room: Room): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("the database is closed"));
    if (this.#hasFailed) return Promise.reject(cannotWrite());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let value: T;
    this.#waiting.push({
      run: () => {
        value = job();
      },
      room,
      resolve: () => resolve(value),
      reject,
    });
    if (this.#idle === null) {
      this.#idle = Promise.withResolvers();
      setImmediate(() => this.#flush());
    }
    return promise;
  }

  /** Takes no more jobs, and resolves when those it has are done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#idle?.promise;
  }

  #flush(): void {
    const left = this.#commit(this.#admitted(this.#waiting.splice(0, BATCH)));
    this.#waiting.unshift(...left);
    if (this.#waiting.length > 0) {
      setImmediate(() => this.#flush());
      return;
    }
    this.#idle?.resolve();
    this.#idle = null;
  }

  /** Refuses the jobs that may not be done now; the others. */
  #admitted(batch: readonly Job[]): readonly Job[] {
    if (this.#hasFailed) {
      for (const job of batch) job.reject(cannotWrite());
      return [];
    }
    if (this.#options.reserve?.isWhole !== false) return batch;
    for (const job of batch) if (job.room === "free") job.reject(diskFull());
    return batch.filter(({ room }) => room === "reserve");
  }

  /** Commits the first of some jobs, as many as there is time for; gives back the others. */
  #commit(jobs: readonly Job[]): readonly Job[] {
    if (jobs.length === 0) return [];
    const { endReads, clock } = this.#options;
    const run = jobs.length === 1 ? runBare : (job: Job) => this.#runApart(job);
    const end = clock.now() + BATCH_MS;
    const settle: (() => void)[] = [];
    // Where not even the transaction could begin, all hear of it.
    let tried = jobs.length;
    let isCommitting = false;
    try {
      endReads();
      this.#sql.run("BEGIN IMMEDIATE");
      for (tried = 0; tried < jobs.length && (tried === 0 || clock.now() < end);) {
        const job = jobs[tried++];
        if (job !== undefined) settle.push(run(job));
      }
      isCommitting = true;
      this.#sql.run("COMMIT");
    } catch (error) {
      return [...this.#giveBack(jobs.slice(0, tried), error, isCommitting), ...jobs.slice(tried)];
    }
    for (const answer of settle) answer();
    return jobs.slice(tried);
  }

  /** Runs a job in a savepoint, so that its failure leaves the rest of the batch as it was. */
  #runApart(job: Job): () => void {
    this.#sql.run("SAVEPOINT job");
    try {
      job.run();
      this.#sql.run("RELEASE job");
      return job.resolve;
    } catch (error) {
      // Some failures (disk full, I/O) make SQLite end the whole transaction: then nobody's write
      // stands, and the error has to reach every job of the batch. On a full disk it does not always end it,
      // but all are tried again.
      if (!this.#sql.inTransaction || isFull(error)) throw error;
      this.#sql.run("ROLLBACK TO job");
      this.#sql.run("RELEASE job");
      return () => job.reject(error);
    }
  }

  /**
   * Ends a batch that was not committed: does again what the reserve has room for, else says why it was not
   * done. Gives back the jobs that there was no time for.
   */
  #giveBack(batch: readonly Job[], error: unknown, isCommitting: boolean): readonly Job[] {
    let reason = error;
    let isInDoubt = isCommitting && leavesDoubt(error);
    let hasRoom = false;
    try {
      if (this.#sql.inTransaction) this.#sql.run("ROLLBACK");
    } catch (failed) {
      isInDoubt = true;
      reason = new AggregateError([error, failed], "a transaction could not be undone");
    }
    if (isInDoubt) {
      this.#hasFailed = true;
      for (const job of batch) job.reject(inDoubt());
      this.#options.onFailure(reason);
      return [];
    }
    try {
      hasRoom = isFull(error) && this.#options.reserve?.giveUp() === true;
    } catch (failed) {
      reason = failed;
    }
    if (hasRoom) return this.#commit(this.#admitted(batch));
    for (const job of batch) job.reject(isFull(reason) ? diskFull() : reason);
    return [];
  }
}

/**
 * Runs the only job of a batch. It has the transaction to itself and needs no savepoint, which is dear: within
 * one, SQLite keeps the old state of every page in a list, and walks through all of it after each statement
 * that has triggers.
 */
function runBare(job: Job): () => void {
  job.run();
  return job.resolve;
}
