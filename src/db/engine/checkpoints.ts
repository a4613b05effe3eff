import { AskedThread } from "../../process/threads.ts";
import { areDescriptorsShort } from "../../process/descriptors.ts";
import type { CheckpointCalls } from "./checkpoint-worker.ts";
import type { DatabaseLog } from "./database-log.ts";
import { isFull } from "./write-failures.ts";

const CHANGES = 4000;
/** Bytes. If the log is longer, writes wait for a checkpoint of all of it, so that it can restart. */
export const LONG_LOG = 64 * 1024 * 1024;
/** The same on a full disk, where a log that has taken all of the reserve leaves no room for a checkpoint. */
const LONG_LOG_WHEN_FULL = 2 * 1024 * 1024;

interface CheckpointsParts {
  /** Of the database. */
  readonly path: string;
  readonly log: DatabaseLog;
  readonly changes: () => number;
  /** Whether the disk was found full, and the reserve is in use. */
  readonly isFull: () => boolean;
  /** Delays all writes while `work` runs. */
  readonly pauseFor: (work: () => Promise<void>) => Promise<void>;
  /** Called if a checkpoint failed other than for lack of space: the state on the disk is unknown then. */
  readonly onFailure: (error: unknown) => void;
}

/** Decides when the log is copied into the database file, by a thread that starts with the first checkpoint. */
export class Checkpoints {
  readonly #parts: CheckpointsParts;
  #thread: AskedThread<CheckpointCalls> | null = null;
  #running: Promise<void> | null = null;
  #last = 0;
  #isClosed = false;

  constructor(parts: CheckpointsParts) {
    this.#parts = parts;
  }

  /** Starts a checkpoint if enough has changed. Call it after each commit. */
  noteCommit(): void {
    if (this.#isClosed) return;
    const { changes, log, pauseFor } = this.#parts;
    if (this.#running !== null) {
      if (this.#isLong) void pauseFor(() => this.#end());
      return;
    }
    if (this.#parts.isFull()) {
      if (log.size > LONG_LOG_WHEN_FULL) this.#begin(() => pauseFor(() => this.#ask("emptyLog")));
      return;
    }
    if (changes() - this.#last < CHANGES) return;
    this.#last = changes();
    this.#begin(() => this.#run());
  }

  #begin(work: () => Promise<void>): void {
    this.#running = work()
      .catch((error: unknown) => this.#parts.onFailure(error))
      .finally(() => (this.#running = null));
  }

  /** Copies all of the log to the database file and cuts it off, unless it is read. Delay all writes meanwhile. */
  async emptyLog(): Promise<void> {
    await this.#end();
    await this.#ask("emptyLog");
  }

  /** Waits for a running checkpoint, and ends the thread. No other one starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
    if (this.#thread?.isAlive !== true) return;
    // SQLite empties the log only when the last connection is closed. If this fails, the next start reads the log.
    await this.#thread.ask("close").catch(() => {});
    this.#thread.end();
  }

  async #end(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Copies committed pages from the log to the database file, while reads and writes go on. */
  async #run(): Promise<void> {
    await this.#ask("checkpoint");
    // The log restarts only after a checkpoint of all of it, so under steady writes it would grow without end.
    if (this.#isLong) await this.#parts.pauseFor(() => this.#ask("checkpoint"));
  }

  /** Whether the log is long, or was and has not restarted since: then it gets its limit in size. */
  get #isLong(): boolean {
    return this.#parts.log.size > LONG_LOG;
  }

  /** Without a thread or room, later is soon enough: everything stays in the log. The next call starts another thread. */
  async #ask(name: "checkpoint" | "emptyLog"): Promise<void> {
    if (this.#thread?.isAlive !== true) {
      if (areDescriptorsShort()) return;
      this.#thread = this.#start();
    }
    const thread = this.#thread;
    try {
      await thread.ask(name);
    } catch (error) {
      if (thread.isAlive && !isFull(error)) this.#parts.onFailure(error);
    }
  }

  #start(): AskedThread<CheckpointCalls> {
    const module = new URL("./checkpoint-worker.ts", import.meta.url).href;
    const thread = new AskedThread<CheckpointCalls>({ module, what: "a checkpoint" });
    thread.ask("open", this.#parts.path).catch(() => thread.end());
    return thread;
  }
}
