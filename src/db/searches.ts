import { CofferError, invalid } from "../domain/errors.ts";
import type { Database } from "./database.ts";
import type { FromWorker, SearchFound, SearchRequest, ToWorker } from "./search-request.ts";

/** How many searches may be under way. */
const WAITING = 256;
/** How much longer than its budget a search may stay without an answer: one statement cannot be broken off. */
const GRACE_MS = 2000;

interface Pending {
  readonly resolve: (found: SearchFound) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Searches on a thread with a connection of its own, so that none holds up anything else. The thread
 * starts with the first search.
 */
export class Searches {
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #lastId = 0;

  constructor({ sql }: Database) {
    this.#path = sql.filename;
  }

  /**
   * One page of what a search finds. It sees every write that was answered before.
   *
   * @throws CofferError RATE_LIMITED when too many searches are under way, VALIDATION_ERROR for one that
   *   does not get done within its budget
   */
  find(request: SearchRequest): Promise<SearchFound> {
    if (this.#pending.size >= WAITING) {
      throw new CofferError("RATE_LIMITED", "Too many searches are under way; try again in a moment.");
    }
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<SearchFound>();
    const timer = setTimeout(() => this.#settle(id)?.reject(tooLong()), request.budget + GRACE_MS);
    this.#pending.set(id, { resolve, reject, timer });
    worker.postMessage({ kind: "search", id, request } satisfies ToWorker, []);
    return promise;
  }

  /** Ends the thread; searches under way fail. */
  close(): void {
    const worker = this.#worker;
    if (worker === null) return;
    this.#fail(worker, new Error("the search was ended by closing"));
    worker.terminate();
  }

  #start(): Worker {
    // The build puts the worker beside the executable's own module.
    const worker = new Worker(new URL("./search-worker.ts", import.meta.url).href);
    worker.unref();
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#take(data));
    worker.addEventListener("error", ({ message }) => {
      this.#fail(worker, new Error(`the search thread failed: ${message}`));
      worker.terminate();
    });
    worker.addEventListener("close", () => this.#fail(worker, new Error("the search thread ended")));
    worker.postMessage({ kind: "open", path: this.#path } satisfies ToWorker, []);
    return worker;
  }

  #take(message: FromWorker): void {
    const search = this.#settle(message.id);
    switch (message.kind) {
      case "found":
        return search?.resolve(message.found);
      case "overrun":
        return search?.reject(tooLong());
      case "failure":
        return search?.reject(new Error(`a search failed: ${message.message}`));
    }
  }

  #settle(id: number): Pending | undefined {
    const search = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(search?.timer);
    return search;
  }

  /** Gives up a thread and everything it was asked; the next search starts another. */
  #fail(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    for (const id of this.#pending.keys()) this.#settle(id)?.reject(error);
  }
}

function tooLong(): CofferError {
  return invalid("q", "takes too long to search for at the moment; narrow it, or give a drive_id");
}
