import type { Database as Sqlite } from "bun:sqlite";

interface Job {
  /** Does the work, inside the transaction. */
  readonly run: () => void;
  /** Tells the caller that it is durable. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How many jobs share one commit at most, so that a flood of writes lets reads through in between. */
const BATCH = 256;

/** Gathers the writes of one turn of the event loop into one transaction: one disk sync for all. */
export class WriteQueue {
  readonly #sql: Sqlite;
  readonly #endReads: () => void;
  #waiting: Job[] = [];
  #idle: PromiseWithResolvers<void> | null = null;
  #isClosed = false;

  /** `endReads` ends the transaction of the reads before it, if one is open. */
  constructor(sql: Sqlite, endReads: () => void) {
    this.#sql = sql;
    this.#endReads = endReads;
  }

  /** Runs `job` in the next batch; settles after the batch's commit. Rejects once the queue is closed. */
  add<T>(job: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("the database is closed"));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let value: T;
    this.#waiting.push({
      run: () => {
        value = job();
      },
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
    this.#commit(this.#waiting.splice(0, BATCH));
    if (this.#waiting.length > 0) {
      setImmediate(() => this.#flush());
      return;
    }
    this.#idle?.resolve();
    this.#idle = null;
  }

  #commit(batch: readonly Job[]): void {
    let settle: (() => void)[];
    try {
      this.#endReads();
      this.#sql.run("BEGIN IMMEDIATE");
      settle = batch.map((job) => this.#runAlone(job));
      this.#sql.run("COMMIT");
    } catch (error) {
      for (const job of batch) job.reject(error);
      if (this.#sql.inTransaction) this.#sql.run("ROLLBACK");
      return;
    }
    for (const answer of settle) answer();
  }

  /** Runs a job in a savepoint, so that its failure leaves the rest of the batch as it was. */
  #runAlone(job: Job): () => void {
    this.#sql.run("SAVEPOINT job");
    try {
      job.run();
      this.#sql.run("RELEASE job");
      return job.resolve;
    } catch (error) {
      // Some failures (disk full, I/O) make SQLite end the whole transaction: then nobody's write
      // stands, and the error has to reach every job of the batch.
      if (!this.#sql.inTransaction) throw error;
      this.#sql.run("ROLLBACK TO job");
      this.#sql.run("RELEASE job");
      return () => job.reject(error);
    }
  }
}
