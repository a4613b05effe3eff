/** A message to the thread. It answers the last two. */
export type CheckpointRequest =
  | { readonly kind: "open"; readonly path: string }
  | { readonly kind: "checkpoint" }
  | { readonly kind: "close" };

/** What became of a request: done, to be tried again later, or failed such that the disk cannot be trusted. */
export type CheckpointAnswer =
  { readonly kind: "done" | "later" } | { readonly kind: "failed"; readonly message: string };

/** A checkpoint starts when this many rows have changed. */
const CHANGES = 4000;
/** Bytes. If the log is longer, writes wait for a checkpoint of all of it, so that it can restart. */
export const LONG_LOG = 64 * 1024 * 1024;

/** What checkpoints need. */
export interface CheckpointsOptions {
  /** Of the database. */
  readonly path: string;
  /** How many rows have changed since the database was opened. */
  readonly changes: () => number;
  /** The size of the log's file in bytes. */
  readonly logSize: () => number;
  /** Delays all writes while `work` runs. */
  readonly pauseFor: (work: () => Promise<void>) => Promise<void>;
  /** Called if a checkpoint failed other than for lack of space: the state on the disk is unknown then. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Copies committed pages from the log to the database file, in a thread with its own connection, while writes go on.
 * The thread starts with the first checkpoint.
 */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #worker: Worker | null = null;
  /** Settles the request that the thread is working on: one at a time. */
  #answer: (answer: CheckpointAnswer) => void = () => {};
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
      if (this.#isLong) void this.#options.pauseFor(() => this.#running ?? Promise.resolve());
      return;
    }
    const changes = this.#options.changes();
    if (changes - this.#last < CHANGES) return;
    this.#last = changes;
    this.#running = this.#run()
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => {
        this.#running = null;
      });
  }

  /** Waits for a running checkpoint, and ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    if (this.#worker === null) return;
    // SQLite empties the log only when the last connection is closed.
    await this.#ask({ kind: "close" });
    this.#worker?.terminate();
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

  async #checkpoint(): Promise<void> {
    const answer = await this.#ask({ kind: "checkpoint" });
    if (answer.kind === "failed") {
      this.#options.onFailure(new Error(`a checkpoint failed: ${answer.message}`));
    }
  }

  #ask(request: CheckpointRequest): Promise<CheckpointAnswer> {
    const { promise, resolve } = Promise.withResolvers<CheckpointAnswer>();
    this.#answer = resolve;
    this.#worker ??= this.#start();
    this.#worker.postMessage(request, []);
    return promise;
  }

  #start(): Worker {
    // The build puts the worker beside the executable's own module.
    const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url).href, { smol: true });
    worker.unref();
    worker.addEventListener("message", ({ data }: MessageEvent<CheckpointAnswer>) => this.#answer(data));
    // Without a thread everything stays in the log. The next checkpoint starts another.
    const lose = () => {
      this.#worker = null;
      this.#answer({ kind: "later" });
    };
    worker.addEventListener("error", lose);
    worker.addEventListener("close", lose);
    worker.postMessage({ kind: "open", path: this.#options.path } satisfies CheckpointRequest, []);
    return worker;
  }
}
