import type { CheckpointAnswer } from "./checkpoint-thread.ts";

/** A checkpoint starts when this many rows have changed. */
const CHANGES = 4000;
/** Bytes. If the log is longer, writes wait for a checkpoint of all of it, so that it can restart. */
export const LONG_LOG = 64 * 1024 * 1024;
/** The same on a full disk, where a log that has taken all of the reserve leaves no room for a checkpoint. */
const LONG_LOG_WHEN_FULL = 2 * 1024 * 1024;

export interface CheckpointsOptions {
  /** See `CheckpointThread.checkpoint`. */
  readonly checkpoint: () => Promise<CheckpointAnswer>;
  /** See `CheckpointThread.emptyLog`. */
  readonly emptyLog: () => Promise<CheckpointAnswer>;
  /** How many rows have changed since the database was opened. */
  readonly changes: () => number;
  /** The size of the log's file in bytes. */
  readonly logSize: () => number;
  /** Whether the disk was found full, and the reserve is in use. */
  readonly isFull: () => boolean;
  /** Delays all writes while `work` runs. */
  readonly pauseFor: (work: () => Promise<void>) => Promise<void>;
  /** Called if a checkpoint failed other than for lack of space: the state on the disk is unknown then. */
  readonly onFailure: (error: unknown) => void;
}

/** Decides when the log is copied into the database file. */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #running: Promise<void> | null = null;
  #last = 0;
  #isClosed = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Starts a checkpoint if enough has changed. Call it after each commit. */
  noteCommit(): void {
    if (this.#isClosed) return;
    if (this.#running !== null) {
      if (this.#isLong) void this.#options.pauseFor(() => this.end());
      return;
    }
    const { changes, isFull, logSize, pauseFor } = this.#options;
    if (isFull()) {
      if (logSize() > LONG_LOG_WHEN_FULL) this.#begin(() => pauseFor(() => this.#empty()));
      return;
    }
    if (changes() - this.#last < CHANGES) return;
    this.#last = changes();
    this.#begin(() => this.#run());
  }

  #begin(work: () => Promise<void>): void {
    this.#running = work()
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => {
        this.#running = null;
      });
  }

  /** Gives back the space that the log takes, as far as that is possible. Writes must be delayed meanwhile. */
  async emptyLog(): Promise<void> {
    await this.end();
    await this.#empty();
  }

  /** Resolves when no checkpoint runs. */
  async end(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Waits for a running checkpoint. No other one starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.end();
  }

  async #run(): Promise<void> {
    await this.#checkpoint();
    // The log restarts only after a checkpoint of all of it, so under steady writes it would grow without end.
    if (this.#isLong) await this.#options.pauseFor(() => this.#checkpoint());
  }

  /** Whether the log is long, or was and has not restarted since: then it gets its limit in size. */
  get #isLong(): boolean {
    return this.#options.logSize() > LONG_LOG;
  }

  async #empty(): Promise<void> {
    this.#note(await this.#options.emptyLog());
  }

  async #checkpoint(): Promise<void> {
    this.#note(await this.#options.checkpoint());
  }

  #note(answer: CheckpointAnswer): void {
    // Later is soon enough: everything stays in the log.
    if (answer.kind === "failed") this.#options.onFailure(answer.error);
  }
}
