import type { Clock } from "../../process/clock.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Connection, LazyStatement } from "./connection.ts";
import type { DatabaseLog } from "./database-log.ts";
import type { DatabaseReserve } from "./database-reserve.ts";
import { cannotWrite, diskFull, hasUnknownOutcome, isFull, outcomeUnknown } from "./write-failures.ts";
import { type WriteFigures, WriteMeter } from "./write-meter.ts";

export interface WriteOptions {
  /** Which disk space it may use: what is free, or the database's reserve too. */
  readonly room: "free" | "reserve";
  /** Whether it is answered only when it is on the disk. What can be made again from the rest needs no sync. */
  readonly isDurable: boolean;
}

interface WriteQueueParts {
  readonly sql: Connection;
  readonly clock: Clock;
  readonly log: DatabaseLog;
  /** Ends the transaction of the reads before a batch, if one is open. */
  readonly endReads: () => void;
  /** Called when all commits so far are on the disk, before their writes are answered. */
  readonly onDurable: () => void;
  /** Null if there is none: then every write may use what is free. */
  readonly reserve: DatabaseReserve | null;
  readonly checkpoints: Checkpoints;
  /** Called once, with the error, when nothing can be written any more. */
  readonly onFailure: (error: unknown) => void;
}

interface Job extends WriteOptions {
  /** Does the work, inside the transaction. Called again if the whole transaction was rolled back. */
  readonly run: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  readonly job: Job;
  readonly thrown: readonly [error: unknown] | null;
}

/** The most jobs in one commit, so that reads run between many writes. */
const BATCH = 256;
/** How long jobs are added to a batch, in milliseconds. The rest wait for the next turn of the event loop. */
const BATCH_MS = 8;
/**
 * After a sync, the next commit waits until as many writes have come as were answered: their clients may send the
 * next ones. It waits for at most this share of the sync's time, and at most this many milliseconds.
 */
const GATHER_SHARE = 4;
const GATHER_MS = 5;

/**
 * Collects writes in transactions. A commit puts them into the log, where this process sees them. They are answered
 * after the log was synced, off the main thread; a commit without a durable write is not synced. While a sync runs, the
 * next writes are collected.
 */
export class WriteQueue {
  readonly #parts: WriteQueueParts;
  #waiting: Job[] = [];
  /** Whether the next commit is at the end of this turn. */
  #isScheduled = false;
  /** Ends the wait for more writes; null if there is none. */
  #timer: NodeJS.Timeout | null = null;
  #pauses = 0;
  /** What the next commit waits for: so many durable jobs, or this time in milliseconds since the epoch. */
  #gathering = { jobs: 0, until: 0 };
  #idle: PromiseWithResolvers<void> | null = null;
  /** Whether the waiting writes met a full disk, and room was made for them. */
  #hasMadeRoom = false;
  #isClosed = false;
  #hasFailed = false;
  readonly #meter = new WriteMeter();

  readonly #savepoint: LazyStatement<never, []>;
  readonly #release: LazyStatement<never, []>;

  constructor(parts: WriteQueueParts) {
    this.#parts = parts;
    this.#savepoint = parts.sql.prepare("SAVEPOINT job");
    this.#release = parts.sql.prepare("RELEASE job");
  }

  /** Whether the outcome of a write is unknown. Then nothing is written until the next start. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get figures(): WriteFigures {
    const { groups, syncs } = this.#meter;
    return { waiting: this.#waiting.length, groups, syncs };
  }

  /**
   * Runs `job` in the next batch; settles when that is committed and, if it is to be durable, on the disk. Rejects if
   * the queue is closed, and with `WriteRefused` if nothing can be written or there is no space.
   */
  add<T>(job: () => T, options: WriteOptions): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("the database is closed"));
    if (this.#hasFailed) return Promise.reject(cannotWrite());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let value: T;
    this.#waiting.push({
      run: () => {
        value = job();
      },
      ...options,
      resolve: () => resolve(value),
      reject,
    });
    this.#idle ??= Promise.withResolvers();
    this.#schedule();
    return promise;
  }

  /** Delays all writes while `work` runs. Returns its result. */
  async pauseFor<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      this.#schedule();
    }
  }

  /** Stops all writing: the outcome of the last writes is unknown. */
  fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#parts.onFailure(error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#idle?.promise;
  }

  #schedule(): void {
    const { clock, log } = this.#parts;
    if (this.#isScheduled || this.#pauses > 0 || log.isRunning) return;
    if (this.#waiting.length === 0) {
      this.#idle?.resolve();
      this.#idle = null;
      return;
    }
    // Bounded, since the clock may have been set back.
    const wait = this.#hasGathered ? 0 : Math.min(this.#gathering.until - clock.now(), GATHER_MS);
    if (wait > 0) {
      this.#timer ??= setTimeout(() => this.#flush(), wait);
    } else {
      this.#stopTimer();
      this.#isScheduled = true;
      setImmediate(() => this.#flush());
    }
  }

  get #hasGathered(): boolean {
    const { jobs } = this.#gathering;
    return this.#waiting.length >= jobs && this.#waiting.filter(({ isDurable }) => isDurable).length >= jobs;
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#stopTimer();
    if (this.#pauses > 0) return;
    this.#gathering.jobs = 0;
    const left = this.#commit(this.#admitted(this.#waiting.splice(0, BATCH)));
    this.#waiting.unshift(...left);
    this.#schedule();
  }

  /** Rejects the jobs that may not run now. Returns the others. */
  #admitted(batch: readonly Job[]): readonly Job[] {
    if (this.#hasFailed) {
      for (const job of batch) job.reject(cannotWrite());
      return [];
    }
    if (this.#parts.reserve?.isWhole !== false) return batch;
    for (const job of batch) if (job.room === "free") job.reject(diskFull());
    return batch.filter(({ room }) => room === "reserve");
  }

  /** Commits the first of some jobs, as many as there is time for. Returns the others. */
  #commit(jobs: readonly Job[]): readonly Job[] {
    if (jobs.length === 0) return [];
    const { sql, endReads, clock, checkpoints } = this.#parts;
    const end = clock.now() + BATCH_MS;
    const outcomes: Outcome[] = [];
    // If the transaction cannot even begin, all are rejected.
    let tried = jobs.length;
    let isCommitting = false;
    try {
      endReads();
      sql.run("BEGIN IMMEDIATE");
      for (tried = 0; tried < jobs.length && (tried === 0 || clock.now() < end);) {
        const job = jobs[tried++];
        if (job !== undefined) outcomes.push(this.#run(job, jobs.length === 1));
      }
      isCommitting = true;
      sql.run("COMMIT");
    } catch (error) {
      return [...this.#retryOrReject(jobs.slice(0, tried), error, isCommitting), ...jobs.slice(tried)];
    }
    this.#hasMadeRoom = false;
    this.#meter.groups.observe(outcomes.length);
    for (const { job, thrown } of outcomes) if (thrown !== null) job.reject(thrown[0]);
    void this.#settle(outcomes.filter(({ thrown }) => thrown === null).map(({ job }) => job));
    checkpoints.noteCommit();
    return jobs.slice(tried);
  }

  /** Answers committed jobs, once they are durable if one of them is to be. */
  async #settle(jobs: readonly Job[]): Promise<void> {
    const { clock, log, onDurable } = this.#parts;
    const durable = jobs.filter(({ isDurable }) => isDurable).length;
    if (durable === 0) {
      for (const job of jobs) job.resolve();
      return;
    }
    const start = clock.now();
    try {
      await this.#meter.timed(() => log.sync());
      onDurable();
    } catch (error) {
      this.fail(error);
    }
    const end = clock.now();
    this.#gathering = { jobs: durable, until: end + Math.min((end - start) / GATHER_SHARE, GATHER_MS) };
    for (const job of jobs) {
      if (this.#hasFailed) job.reject(outcomeUnknown());
      else job.resolve();
    }
    this.#schedule();
  }

  /** In a savepoint, unless alone: they are expensive. SQLite lists all old pages, and walks the list for triggers. */
  #run(job: Job, isAlone: boolean): Outcome {
    const { sql } = this.#parts;
    if (!isAlone) this.#savepoint.run();
    try {
      job.run();
      if (!isAlone) this.#release.run();
      return { job, thrown: null };
    } catch (error) {
      // After some failures (disk full, I/O) SQLite rolls back the whole transaction: no job is written, and every
      // one must get the error. A full disk does not always do this, but all jobs are retried.
      if (isAlone || !sql.inTransaction || isFull(error)) throw error;
      sql.run("ROLLBACK TO job");
      this.#release.run();
      return { job, thrown: [error] };
    }
  }

  /** Ends a batch that was not committed: rejects it, or returns the jobs that are tried again once room was made. */
  #retryOrReject(batch: readonly Job[], error: unknown, isCommitting: boolean): readonly Job[] {
    const { sql } = this.#parts;
    let reason = error;
    let isUnknown = isCommitting && hasUnknownOutcome(error);
    let hasRoom = false;
    try {
      if (sql.inTransaction) sql.run("ROLLBACK");
    } catch (failed) {
      isUnknown = true;
      reason = new AggregateError([error, failed], "a transaction could not be rolled back");
    }
    if (isUnknown) {
      for (const job of batch) job.reject(outcomeUnknown());
      this.fail(reason);
      return [];
    }
    try {
      hasRoom = isFull(error) && this.#makeRoom();
    } catch (failed) {
      reason = failed;
    }
    if (hasRoom) return this.#admitted(batch);
    this.#hasMadeRoom = false;
    for (const job of batch) job.reject(isFull(reason) ? diskFull() : reason);
    return [];
  }

  /** Frees the reserve, and what the log takes. Returns false if that was done for these writes already. */
  #makeRoom(): boolean {
    const { reserve, checkpoints } = this.#parts;
    if (reserve === null) return false;
    const wasFreed = reserve.release();
    if (this.#hasMadeRoom && !wasFreed) return false;
    this.#hasMadeRoom = true;
    void this.pauseFor(() => checkpoints.emptyLog());
    return true;
  }
}
