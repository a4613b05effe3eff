import { areDescriptorsShort } from "../../process/descriptors.ts";
import { startThread } from "../../process/thread-start.ts";

/** A message to the thread. It answers all but the first. */
export type CheckpointRequest =
  | { readonly kind: "open"; readonly path: string }
  | { readonly kind: "checkpoint" }
  | { readonly kind: "empty-log" }
  | { readonly kind: "close" };

/** What became of a request: done, to be tried again later, or failed. */
export type CheckpointAnswer =
  | { readonly kind: "done" }
  | { readonly kind: "later" }
  | { readonly kind: "failed"; readonly message: string };

/**
 * A thread with its own connection, for upkeep of the database that may take long. It starts with the first request,
 * and does one at a time.
 */
export class CheckpointThread {
  readonly #path: string;
  #worker: Worker | null = null;
  /** Settle the requests that the thread has not answered, oldest first. */
  #answers: ((answer: CheckpointAnswer) => void)[] = [];

  /** @param path of the database */
  constructor(path: string) {
    this.#path = path;
  }

  /** Copies committed pages from the log to the database file, while reads and writes go on. */
  checkpoint(): Promise<CheckpointAnswer> {
    return this.#ask({ kind: "checkpoint" });
  }

  /** Copies all of the log to the database file and cuts it off, unless somebody reads it. Nothing may be written meanwhile. */
  emptyLog(): Promise<CheckpointAnswer> {
    return this.#ask({ kind: "empty-log" });
  }

  /** Ends the thread, if there is one. */
  async close(): Promise<void> {
    if (this.#worker === null) return;
    // SQLite empties the log only when the last connection is closed.
    await this.#ask({ kind: "close" });
    this.#worker?.terminate();
  }

  #ask(request: CheckpointRequest): Promise<CheckpointAnswer> {
    if (this.#worker === null && areDescriptorsShort()) return Promise.resolve({ kind: "later" });
    const { promise, resolve } = Promise.withResolvers<CheckpointAnswer>();
    this.#worker ??= this.#start();
    this.#answers.push(resolve);
    this.#worker.postMessage(request, []);
    return promise;
  }

  #start(): Worker {
    const worker = startThread(new URL("./checkpoint-worker.ts", import.meta.url).href);
    worker.unref();
    worker.addEventListener("message", ({ data }: MessageEvent<CheckpointAnswer>) =>
      this.#answers.shift()?.(data),
    );
    // Nothing is lost without a thread. The next request starts another.
    const lose = () => {
      this.#worker = null;
      for (const answer of this.#answers.splice(0)) answer({ kind: "later" });
    };
    worker.addEventListener("error", lose);
    worker.addEventListener("close", lose);
    worker.postMessage({ kind: "open", path: this.#path } satisfies CheckpointRequest, []);
    return worker;
  }
}
