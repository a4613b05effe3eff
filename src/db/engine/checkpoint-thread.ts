import { areDescriptorsShort } from "../../process/descriptors.ts";
import { AskedThread } from "../../process/asked-thread.ts";
import type { CheckpointCalls } from "./checkpoint-worker.ts";
import { isFull } from "./write-failures.ts";

/** What became of a request: done, to be tried again later, or failed. */
export type CheckpointAnswer =
  { readonly kind: "done" } | { readonly kind: "later" } | { readonly kind: "failed"; readonly error: Error };

/**
 * A thread with its own connection, for upkeep of the database that may take long. It starts with the first request,
 * and does one at a time.
 */
export class CheckpointThread {
  readonly #path: string;
  #thread: AskedThread<CheckpointCalls> | null = null;

  /** @param path of the database */
  constructor(path: string) {
    this.#path = path;
  }

  /** Copies committed pages from the log to the database file, while reads and writes go on. */
  checkpoint(): Promise<CheckpointAnswer> {
    return this.#ask("checkpoint");
  }

  /** Copies all of the log to the database file and cuts it off, unless somebody reads it. Nothing may be written meanwhile. */
  emptyLog(): Promise<CheckpointAnswer> {
    return this.#ask("emptyLog");
  }

  /** Ends the thread, if there is one. */
  async close(): Promise<void> {
    if (this.#thread?.isAlive !== true) return;
    // SQLite empties the log only when the last connection is closed.
    await this.#ask("close");
    this.#thread.end();
  }

  async #ask(name: Exclude<keyof CheckpointCalls, "open">): Promise<CheckpointAnswer> {
    if (this.#thread?.isAlive !== true) {
      if (areDescriptorsShort()) return { kind: "later" };
      this.#thread = this.#start();
    }
    const thread = this.#thread;
    try {
      await thread.ask(name);
      return { kind: "done" };
    } catch (error) {
      // Nothing is lost without a thread. The next request starts another.
      if (!thread.isAlive || isFull(error)) return { kind: "later" };
      return { kind: "failed", error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  #start(): AskedThread<CheckpointCalls> {
    const module = new URL("./checkpoint-worker.ts", import.meta.url).href;
    const thread = new AskedThread<CheckpointCalls>({ module, what: "a checkpoint" });
    thread.ask("open", this.#path).catch(() => thread.end());
    return thread;
  }
}
