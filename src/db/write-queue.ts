import type { Database as Sqlite } from "bun:sqlite";
import type { Clock } from "../clock.ts";
import type { DatabaseReserve } from "../database-reserve.ts";
import { cannotWrite, diskFull, hasUnknownOutcome, isFull, outcomeUnknown } from "./write-failures.ts";

/** Which disk space a write may use: what is free, or the database's reserve too. */
export type Room = "free" | "reserve";

/** What a write queue needs. */
export interface WriteQueueOptions {
  readonly clock: Clock;
  /** Ends the transaction of the reads before a batch, if one is open. */
  readonly endReads: () => void;
  /** Null if there is none: then every write may use what is free. */
  readonly reserve: DatabaseReserve | null;
  /** Called once, with the error, when nothing can be written any more. */
  readonly onFailure: (error: unknown) => void;
}

interface Job {
  /** Does the work, inside the transaction. Called again if the whole transaction was rolled back. */
  readonly run: () => void;
  readonly room: Room;
  /** Tells the caller that the write is durable. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The most jobs in one commit, so that reads run between many writes. */
const BATCH = 256;
/** How long jobs are added to a batch, in milliseconds. The rest wait for the next turn of the event loop. */
const BATCH_MS = 8;

/** Collects the writes of one turn of the event loop in one transaction, with one disk sync for all. */
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

  /** Whether the outcome of a write is unknown. Then nothing is written until the next start. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /**
   * Runs `job` in the next batch; settles after the batch's commit. Rejects if the queue is closed, and with
   * `WriteRefused` if nothing can be written or there is no space.
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

  /** Accepts no more jobs, and resolves when the queued ones are done. */
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

  /** Rejects the jobs that may not run now. Returns the others. */
  #admitted(batch: readonly Job[]): readonly Job[] {
    if (this.#hasFailed) {
      for (const job of batch) job.reject(cannotWrite());
      return [];
    }
    if (this.#options.reserve?.isWhole !== false) return batch;
    for (const job of batch) if (job.room === "free") job.reject(diskFull());
    return batch.filter(({ room }) => room === "reserve");
  }

  /** Commits the first of some jobs, as many as there is time for. Returns the others. */
  #commit(jobs: readonly Job[]): readonly Job[] {
    if (jobs.length === 0) return [];
    const { endReads, clock } = this.#options;
    const run = jobs.length === 1 ? runAlone : (job: Job) => this.#runInSavepoint(job);
    const end = clock.now() + BATCH_MS;
    const settle: (() => void)[] = [];
    // If the transaction cannot even begin, all are rejected.
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
      return [...this.#retryOrReject(jobs.slice(0, tried), error, isCommitting), ...jobs.slice(tried)];
    }
    for (const answer of settle) answer();
    return jobs.slice(tried);
  }

  /** Runs a job in a savepoint, so that its failure does not affect the rest of the batch. */
  #runInSavepoint(job: Job): () => void {
    this.#sql.run("SAVEPOINT job");
    try {
      job.run();
      this.#sql.run("RELEASE job");
      return job.resolve;
    } catch (error) {
      // After some failures (disk full, I/O) SQLite rolls back the whole transaction: no job is written, and every
      // one must get the error. A full disk does not always do this, but all jobs are retried.
      if (!this.#sql.inTransaction || isFull(error)) throw error;
      this.#sql.run("ROLLBACK TO job");
      this.#sql.run("RELEASE job");
      return () => job.reject(error);
    }
  }

  /**
   * Ends a batch that was not committed: retries it if freeing the reserve helps, else rejects it. Returns the jobs
   * that there was no time for.
   */
  #retryOrReject(batch: readonly Job[], error: unknown, isCommitting: boolean): readonly Job[] {
    let reason = error;
    let isUnknown = isCommitting && hasUnknownOutcome(error);
    let hasRoom = false;
    try {
      if (this.#sql.inTransaction) this.#sql.run("ROLLBACK");
    } catch (failed) {
      isUnknown = true;
      reason = new AggregateError([error, failed], "a transaction could not be rolled back");
    }
    if (isUnknown) {
      this.#hasFailed = true;
      for (const job of batch) job.reject(outcomeUnknown());
      this.#options.onFailure(reason);
      return [];
    }
    try {
      hasRoom = isFull(error) && this.#options.reserve?.release() === true;
    } catch (failed) {
      reason = failed;
    }
    if (hasRoom) return this.#commit(this.#admitted(batch));
    for (const job of batch) job.reject(isFull(reason) ? diskFull() : reason);
    return [];
  }
}

/**
 * Runs the only job of a batch. It has the transaction to itself and needs no savepoint. Savepoints are expensive:
 * inside one, SQLite lists the old state of every changed page, and walks the whole list after each statement that
 * has triggers.
 */
function runAlone(job: Job): () => void {
  job.run();
  return job.resolve;
}
