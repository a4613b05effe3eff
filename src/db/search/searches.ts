import { areDescriptorsShort, requireDescriptors } from "../../process/descriptors.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import { CallFailure } from "../../process/answer-calls.ts";
import { startThread } from "../../process/threads.ts";
import type { Database } from "../engine/database.ts";
import { IndexDamaged, isDamage } from "./index-tables.ts";
import { type FromWorker, PROGRESS, type SearchFound, type SearchRequest, type ToWorker } from "./request.ts";

const WAITING = 256;
/** The most searches that run at once: with more, each would take as long as all together. */
const RUNNING = 2;
/** How long a search may wait before it runs, in milliseconds. */
const WAIT_MS = 5000;
/** How often the thread is checked while searches run, in milliseconds. */
const CHECK_MS = 500;
/** After this many checks at the same statement the thread is given up: a statement cannot be interrupted. */
const CHECKS = 6;
/** How long a search may take beyond its budget: it may have to wait for the statement of another. */
const GRACE_MS = 2 * CHECKS * CHECK_MS;
/** How long the end of the thread is waited for, in milliseconds. */
const CLOSE_MS = 1000;
/** How many abandoned threads may still run their last statement. */
const ABANDONED = 2;

interface Pending {
  readonly request: SearchRequest;
  readonly resolve: (found: SearchFound) => void;
  readonly reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
  /** Whether it was sent to the thread. */
  isAsked: boolean;
}

interface Thread {
  readonly worker: Worker;
  readonly progress: Int32Array;
}

/** On a thread from the first search on. One whose statement takes too long is left to end; others begin anew. */
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
   * One page of a search. It sees every write that was answered before.
   *
   * @throws CofferError RATE_LIMITED if too many searches are waiting, VALIDATION_ERROR if the search takes longer
   *   than its budget, UNAVAILABLE if there are too few file descriptors for a thread
   * @throws IndexDamaged
   */
  find(request: SearchRequest): Promise<SearchFound> {
    if (this.#isClosed) throw new Error("searches have ended");
    if (this.#pending.size >= WAITING || this.#abandoned.size >= ABANDONED) throw busy();
    if (this.#thread === null) requireDescriptors();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<SearchFound>();
    const timer = setTimeout(() => this.#end(id)?.reject(busy()), WAIT_MS);
    this.#pending.set(id, { request, resolve, reject, timer, isAsked: false });
    this.#askNext();
    return promise;
  }

  /** Has the next searches read the index that is there now. Running ones start again. */
  reopen(): void {
    if (this.#thread === null) return;
    this.#leave(this.#thread);
    this.#askAgain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    if (thread === null) return;
    this.#fail(thread, new Error("the search ended because the server closes"));
    await closed(thread.worker);
    thread.worker.terminate();
  }

  #askNext(): void {
    for (const [id, search] of this.#pending.entries().take(RUNNING)) {
      if (!search.isAsked) this.#ask(id, search);
    }
  }

  #ask(id: number, search: Pending): void {
    const { request } = search;
    clearTimeout(search.timer);
    search.timer = setTimeout(() => this.#end(id)?.reject(tooLong()), request.budget + GRACE_MS);
    search.isAsked = true;
    this.#thread ??= this.#start();
    this.#thread.worker.postMessage({ kind: "search", id, request } satisfies ToWorker, []);
    this.#watch ??= this.#watchOver(this.#thread);
  }

  #start(): Thread {
    const worker = startThread(new URL("./worker.ts", import.meta.url).href);
    const progress = new SharedArrayBuffer(PROGRESS.cells * Int32Array.BYTES_PER_ELEMENT);
    const thread = { worker, progress: new Int32Array(progress) };
    worker.unref();
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#take(thread, data));
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

  /** Abandons a thread and rejects the search that blocks it; restarts the others. */
  #abandon(thread: Thread, culprit: number): void {
    this.#leave(thread);
    this.#settle(culprit)?.reject(tooLong());
    this.#askAgain();
  }

  /** Starts the searches again in another thread, if there may be one. */
  #askAgain(): void {
    const isPossible = this.#abandoned.size < ABANDONED && !areDescriptorsShort();
    for (const [id, search] of this.#pending) {
      if (!isPossible) this.#settle(id)?.reject(busy());
      search.isAsked = false;
    }
    this.#askNext();
  }

  /** Ends a thread after its statement. */
  #leave({ worker }: Thread): void {
    this.#forget();
    this.#abandoned.add(worker);
    worker.terminate();
  }

  #take(thread: Thread, message: FromWorker): void {
    if (message.kind === "closed") return;
    if (message.kind === "unopened") {
      this.#fail(thread, new CallFailure("the search thread", message.thrown));
      thread.worker.terminate();
      return;
    }
    const search = this.#end(message.id);
    switch (message.kind) {
      case "found":
        return search?.resolve(message.found);
      case "overrun":
        return search?.reject(tooLong());
      case "failure":
        return search?.reject(failure(new CallFailure("a search", message.thrown)));
    }
  }

  #end(id: number): Pending | undefined {
    const search = this.#settle(id);
    this.#askNext();
    return search;
  }

  #settle(id: number): Pending | undefined {
    const search = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(search?.timer);
    if (this.#pending.size === 0) this.#stopWatch();
    return search;
  }

  /** Drops a failed thread and rejects its searches; the next search starts another thread. */
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

/** Has a thread close its connection, so that SQLite empties the log; resolves too if it does not come to it. */
async function closed(worker: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "closed") resolve();
  });
  worker.addEventListener("close", () => resolve());
  const timer = setTimeout(resolve, CLOSE_MS);
  worker.postMessage({ kind: "close" } satisfies ToWorker, []);
  await promise;
  clearTimeout(timer);
}

function failure(error: CallFailure): Error {
  return isDamage(error) ? new IndexDamaged(error.message) : error;
}

function busy(): CofferError {
  return new CofferError("RATE_LIMITED", "Too many searches are running; try again in a moment.");
}

function tooLong(): CofferError {
  return invalid("q", "takes too long to search for at the moment; use fewer words, or search one drive");
}
