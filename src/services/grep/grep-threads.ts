import { areDescriptorsShort, requireDescriptors } from "../../process/descriptors.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import { AskedThread } from "../../process/threads.ts";
import type { StorePlaces } from "../parts.ts";
import { Service } from "../service.ts";
import type { GrepWork } from "./grep-work.ts";
import type { GrepFound, GrepRequest } from "./request.ts";

/** How many searches run at once, each in a thread: with more, each would take as long as all together. */
const RUNNING = 2;
/** How long a search may wait before it runs, in milliseconds. */
const WAIT_MS = 10_000;
/** How long a search runs at least, in milliseconds, before it stops with what it has found because others wait. */
const TURN_MS = 1000;
/** How long the end of a thread is waited for, in milliseconds. */
const CLOSE_MS = 1000;

/** A thread that searches lines. It does one thing at a time. */
interface Thread {
  readonly asked: AskedThread<GrepWork>;
  /** See `GrepWork.open`. */
  readonly stop: Int32Array;
  /** What it runs; null for nothing. */
  search: Search | null;
}

interface Search {
  /** Whose it is, for taking turns. */
  readonly owner: string;
  readonly request: GrepRequest;
  readonly result: PromiseWithResolvers<GrepFound>;
  /** Null while it does not run. */
  thread: Thread | null;
  /** On the monotonic clock. */
  startedAt: number;
}

/**
 * Runs searches of lines in threads, a few at once. Owners take turns: while others wait, a search stops early, and can
 * go on later. One that does not end in time is ended together with its thread.
 */
export class GrepThreads extends Service<{ places: StorePlaces }> {
  readonly #waiting = new Set<Search>();
  /** A thread that was ended keeps its place until it has gone. */
  readonly #threads = new Set<Thread>();
  #isClosed = false;

  /**
   * Once `signal` is aborted it stops soon, with any result or error: nobody reads it. Throws VALIDATION_ERROR for a
   * bad or slow pattern, RATE_LIMITED after a long wait, UNAVAILABLE without file descriptors for a thread.
   */
  async find(owner: string, request: GrepRequest, signal?: AbortSignal): Promise<GrepFound> {
    if (this.#isClosed) throw ended();
    if (this.#threads.size < RUNNING) requireDescriptors();
    const result = Promise.withResolvers<GrepFound>();
    const search: Search = { owner, request, result, thread: null, startedAt: 0 };
    this.#waiting.add(search);
    const busy = "Too many searches of lines are running; try again in a moment.";
    const timer = setTimeout(() => this.#giveUp(search, new CofferError("RATE_LIMITED", busy)), WAIT_MS);
    const turns = setInterval(() => this.#endTurns(search), TURN_MS / 2);
    const stop = () => {
      if (search.thread !== null) stopSoon(search.thread);
      this.#giveUp(search, signal?.reason);
    };
    signal?.addEventListener("abort", stop);
    if (signal?.aborted === true) stop();
    this.#runNext();
    try {
      return await result.promise;
    } finally {
      clearTimeout(timer);
      clearInterval(turns);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Ends the threads; searches fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const search of this.#waiting) this.#giveUp(search, ended());
    await Promise.all(Array.from(this.#threads, close));
  }

  /** Rejects a search that still waits. */
  #giveUp(search: Search, error: unknown): void {
    if (this.#waiting.delete(search)) search.result.reject(error);
  }

  /** Stops what has run for long, if a search waits for it. */
  #endTurns(waiting: Search): void {
    if (!this.#waiting.has(waiting)) return;
    const latest = performance.now() - TURN_MS;
    for (const thread of this.#threads)
      if (thread.search !== null && thread.search.startedAt <= latest) stopSoon(thread);
  }

  #runNext(): void {
    for (const search of this.#inTurn()) {
      const thread = this.#freeThread();
      if (thread === null) return;
      this.#waiting.delete(search);
      void this.#run(search, thread);
    }
  }

  /** The searches that wait: those of owners with the fewest running ones first, then the oldest. */
  *#inTurn(): Generator<Search> {
    const running = ({ owner }: Search) =>
      [...this.#threads].filter(({ search }) => search?.owner === owner).length;
    while (this.#waiting.size > 0) {
      const [first] = [...this.#waiting].toSorted((a, b) => running(a) - running(b));
      if (first !== undefined) yield first;
    }
  }

  #freeThread(): Thread | null {
    if (this.#isClosed) return null;
    for (const thread of this.#threads) if (thread.search === null) return thread;
    if (this.#threads.size >= RUNNING || areDescriptorsShort()) return null;
    const asked = new AskedThread<GrepWork>({
      module: new URL("./grep-worker.ts", import.meta.url).href,
      what: "a search of lines",
      onEnd: () => {
        this.#threads.delete(thread);
        this.#runNext();
      },
    });
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    // Who asks for something meanwhile gets the same error.
    asked.ask("open", this.parts.places, stop).catch((error: Error) => asked.end(error));
    const thread: Thread = { asked, stop, search: null };
    this.#threads.add(thread);
    return thread;
  }

  async #run(search: Search, thread: Thread): Promise<void> {
    const { request, result } = search;
    search.thread = thread;
    search.startedAt = performance.now();
    thread.search = search;
    const timer = setTimeout(() => {
      const tooLong = "takes too long to search for; make it simpler, or search fewer files";
      result.reject(invalid("pattern", tooLong));
      thread.asked.end();
    }, request.bounds.time + request.bounds.grace);
    try {
      Atomics.store(thread.stop, 0, 0);
      const found = await thread.asked.ask("find", request);
      if ("problem" in found) throw invalid("pattern", found.problem);
      result.resolve(found);
    } catch (error) {
      result.reject(error);
    }
    clearTimeout(timer);
    search.thread = null;
    if (thread.asked.isAlive) thread.search = null;
    this.#runNext();
  }
}

/** Has the search that a thread runs stop soon, with what it has found. */
function stopSoon({ stop }: Thread): void {
  Atomics.store(stop, 0, 1);
}

/** Has a thread close its connection: SQLite empties a log only when its last connection is closed. */
async function close(thread: Thread): Promise<void> {
  stopSoon(thread);
  const timer = setTimeout(() => thread.asked.end(), CLOSE_MS);
  // It may have ended already.
  await thread.asked.ask("close").catch(() => {});
  clearTimeout(timer);
  thread.asked.end();
}

function ended(): Error {
  return new Error("the search of lines was ended");
}
