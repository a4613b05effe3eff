import { areDescriptorsShort, requireDescriptors } from "../../descriptors.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { Database } from "../database.ts";
import { type FromWorker, PROGRESS, type SearchFound, type SearchRequest, type ToWorker } from "./request.ts";

/** How many searches may be under way. */
const WAITING = 256;
/** How often the thread is looked at while searches are under way, in milliseconds. */
const CHECK_MS = 500;
/** At how many looks in a row the thread may be at one and the same statement: nothing can break that off. */
const CHECKS = 6;
/** How much longer than its budget a search may stay unanswered: it may have to wait for another's statement. */
const GRACE_MS = 2 * CHECKS * CHECK_MS;
/** How many threads may still be at a statement that nobody wants any more. */
const ABANDONED = 2;

interface Pending {
  readonly request: SearchRequest;
  readonly resolve: (found: SearchFound) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  /** See PROGRESS. */
  readonly progress: Int32Array;
}

/**
 * Searches on a thread with a connection of its own, so that none holds up anything else. The thread
 * starts with the first search. One that is kept too long by a statement is left alone with it, to end
 * after it, and the other searches begin anew on another.
 */
export class Searches {
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  readonly #abandoned = new Set<Worker>();
  #thread: Thread | null = null;
  #watch: NodeJS.Timeout | null = null;
  #lastId = 0;
  #isClosed = false;

  constructor({ sql }: Database) {
    this.#path = sql.filename;
  }

  /**
   * One page of what a search finds. It sees every write that was answered before.
   *
   * @throws CofferError RATE_LIMITED when too many searches are under way, VALIDATION_ERROR for one that
   *   does not get done within its budget, UNAVAILABLE where there are too few file descriptors for a thread
   */
  find(request: SearchRequest): Promise<SearchFound> {
    if (this.#isClosed) throw new Error("searches have ended");
    if (this.#pending.size >= WAITING || this.#abandoned.size >= ABANDONED) throw busy();
    if (this.#thread === null) requireDescriptors();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<SearchFound>();
    const timer = setTimeout(() => this.#settle(id)?.reject(tooLong()), request.budget + GRACE_MS);
    this.#pending.set(id, { request, resolve, reject, timer });
    this.#ask(id, request);
    return promise;
  }

  /** Ends the thread for good; searches under way fail. */
  close(): void {
    this.#isClosed = true;
    const thread = this.#thread;
    if (thread === null) return;
    this.#fail(thread, new Error("the search was ended by closing"));
    thread.worker.terminate();
  }

  #ask(id: number, request: SearchRequest): void {
    this.#thread ??= this.#start();
    this.#thread.worker.postMessage({ kind: "search", id, request } satisfies ToWorker, []);
    this.#watch ??= this.#watchOver(this.#thread);
  }

  #start(): Thread {
    // The build puts the worker beside the executable's own module.
    const worker = new Worker(new URL("./worker.ts", import.meta.url).href);
    const progress = new SharedArrayBuffer(PROGRESS.cells * Int32Array.BYTES_PER_ELEMENT);
    const thread = { worker, progress: new Int32Array(progress) };
    worker.unref();
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#take(data));
    worker.addEventListener("error", ({ message }) => {
      this.#fail(thread, new Error(`the search thread failed: ${message}`));
      worker.terminate();
    });
    worker.addEventListener("close", () => {
      this.#abandoned.delete(worker);
      this.#fail(thread, new Error("the search thread ended"));
    });
    worker.postMessage({ kind: "open", path: this.#path, progress } satisfies ToWorker, []);
    return thread;
  }

  #watchOver(thread: Thread): NodeJS.Timeout {
    let [last, times] = [-1, 0];
    return setInterval(() => {
      const statement = Atomics.load(thread.progress, PROGRESS.statement);
      const search = Atomics.load(thread.progress, PROGRESS.search);
      times = search !== 0 && statement === last ? times + 1 : 0;
      last = statement;
      if (times >= CHECKS) this.#abandon(thread, search);
    }, CHECK_MS);
  }

  /** Gives up a thread with the search that keeps it. */
  #abandon({ worker }: Thread, culprit: number): void {
    this.#forget();
    this.#abandoned.add(worker);
    worker.terminate();
    this.#settle(culprit)?.reject(tooLong());
    const isPossible = this.#abandoned.size < ABANDONED && !areDescriptorsShort();
    for (const [id, { request }] of this.#pending) {
      if (isPossible) this.#ask(id, request);
      else this.#settle(id)?.reject(busy());
    }
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
    if (this.#pending.size === 0) this.#stopWatch();
    return search;
  }

  /** Gives up a thread and everything it was asked; the next search starts another. */
  #fail(thread: Thread, error: Error): void {
    if (thread !== this.#thread) return;
    this.#forget();
    for (const id of this.#pending.keys()) this.#settle(id)?.reject(error);
  }

  #forget(): void {
    this.#thread = null;
    this.#stopWatch();
  }

  #stopWatch(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }
}

function busy(): CofferError {
  return new CofferError("RATE_LIMITED", "Too many searches are under way; try again in a moment.");
}

function tooLong(): CofferError {
  return invalid(
    "q",
    "takes too long to search for at the moment; use fewer words, or search a single drive",
  );
}
