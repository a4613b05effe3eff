import { areDescriptorsShort, requireDescriptors } from "../../process/descriptors.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { StorePlaces } from "../store-places.ts";
import { GrepThread } from "./grep-thread.ts";
import type { GrepAnswer, GrepFound, GrepRequest } from "./request.ts";

/** How many searches run at once, each in a thread: with more, each would take as long as all together. */
const RUNNING = 2;
/** How long a search may wait before it runs, in milliseconds. */
const WAIT_MS = 10_000;
/** How long a search runs at least, in milliseconds, before it stops with what it has found because others wait. */
const TURN_MS = 1000;

interface Search {
  /** Whose it is, for taking turns. */
  readonly owner: string;
  readonly request: GrepRequest;
  readonly result: PromiseWithResolvers<GrepFound>;
  /** Null while it does not run. */
  thread: GrepThread | null;
  /** On the monotonic clock. */
  startedAt: number;
}

/**
 * Runs searches of lines in threads, a few at once, so that they block nothing else. Owners take turns: while others
 * wait, a search stops early, and can go on later. The threads start with the first searches. A search that does not
 * end in time is ended together with its thread.
 */
export class GrepThreads {
  readonly #places: StorePlaces;
  readonly #waiting = new Set<Search>();
  /** What each runs; null for nothing. A thread that was ended keeps its place until it has gone. */
  readonly #threads = new Map<GrepThread, Search | null>();
  #isClosed = false;

  constructor(parts: { places: StorePlaces }) {
    this.#places = parts.places;
  }

  /**
   * Searches. Once `signal` is aborted it stops soon, with any result or error: nobody is there to read it.
   *
   * @throws CofferError VALIDATION_ERROR for a pattern that is none or takes too long, RATE_LIMITED after a long wait,
   *   UNAVAILABLE if there are too few file descriptors for a thread
   */
  async find(owner: string, request: GrepRequest, signal?: AbortSignal): Promise<GrepFound> {
    if (this.#isClosed) throw ended();
    if (this.#threads.size < RUNNING) requireDescriptors();
    const result = Promise.withResolvers<GrepFound>();
    const search: Search = { owner, request, result, thread: null, startedAt: 0 };
    this.#waiting.add(search);
    const timer = setTimeout(() => this.#giveUp(search, busy()), WAIT_MS);
    const turns = setInterval(() => this.#endTurns(search), TURN_MS / 2);
    const stop = () => {
      search.thread?.stop();
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
    await Promise.all([...this.#threads.keys()].map((thread) => thread.close()));
  }

  /** Rejects a search that still waits. */
  #giveUp(search: Search, error: unknown): void {
    if (this.#waiting.delete(search)) search.result.reject(error);
  }

  /** Stops what has run for long, if a search waits for it. */
  #endTurns(waiting: Search): void {
    if (!this.#waiting.has(waiting)) return;
    const latest = performance.now() - TURN_MS;
    for (const [thread, search] of this.#threads)
      if (search !== null && search.startedAt <= latest) thread.stop();
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
      [...this.#threads.values()].filter((each) => each?.owner === owner).length;
    while (this.#waiting.size > 0) {
      const [first] = [...this.#waiting].toSorted((a, b) => running(a) - running(b));
      if (first !== undefined) yield first;
    }
  }

  #freeThread(): GrepThread | null {
    if (this.#isClosed) return null;
    for (const [thread, search] of this.#threads) if (search === null) return thread;
    if (this.#threads.size >= RUNNING || areDescriptorsShort()) return null;
    const thread: GrepThread = new GrepThread({
      places: this.#places,
      onEnd: () => {
        this.#threads.delete(thread);
        this.#runNext();
      },
    });
    return thread;
  }

  async #run(search: Search, thread: GrepThread): Promise<void> {
    const { request, result } = search;
    search.thread = thread;
    search.startedAt = performance.now();
    this.#threads.set(thread, search);
    const timer = setTimeout(() => {
      result.reject(tooLong());
      thread.end();
    }, request.bounds.time + request.bounds.grace);
    try {
      result.resolve(foundIn(await thread.find(request)));
    } catch (error) {
      result.reject(error);
    }
    clearTimeout(timer);
    search.thread = null;
    if (thread.isAlive) this.#threads.set(thread, null);
    this.#runNext();
  }
}

/** Throws CofferError VALIDATION_ERROR for a bad pattern. */
function foundIn(answer: GrepAnswer): GrepFound {
  if ("problem" in answer) throw invalid("pattern", answer.problem);
  return answer.found;
}

function busy(): CofferError {
  return new CofferError("RATE_LIMITED", "Too many searches of lines are running; try again in a moment.");
}

function tooLong(): CofferError {
  return invalid("pattern", "takes too long to search for; make it simpler, or search fewer files");
}

function ended(): Error {
  return new Error("the search of lines was ended");
}
