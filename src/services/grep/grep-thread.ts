import { AskedThread } from "../../process/asked-thread.ts";
import type { StorePlaces } from "../store-places.ts";
import type { GrepCalls } from "./grep-worker.ts";
import type { GrepAnswer, GrepRequest } from "./request.ts";

/** How long the end of the thread is waited for, in milliseconds. */
const CLOSE_MS = 1000;

/** A thread that searches lines. It does one thing at a time. */
export class GrepThread {
  readonly #thread: AskedThread<GrepCalls>;
  /** See `GrepCalls.open`. */
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(parts: {
    places: StorePlaces;
    /** Called once the thread has ended. */
    onEnd: () => void;
  }) {
    this.#thread = new AskedThread({
      module: new URL("./grep-worker.ts", import.meta.url).href,
      what: "a search of lines",
      onEnd: parts.onEnd,
    });
    // Who asks for something meanwhile gets the same error.
    this.#thread
      .ask("open", parts.places, this.#stop.buffer)
      .catch((error: Error) => this.#thread.end(error));
  }

  /** Whether it can be asked something. */
  get isAlive(): boolean {
    return this.#thread.isAlive;
  }

  /** Searches. Rejects if the thread ends meanwhile. */
  find(request: GrepRequest): Promise<GrepAnswer> {
    Atomics.store(this.#stop, 0, 0);
    return this.#thread.ask("find", request);
  }

  /** Has the search that is running stop soon, with what it has found. */
  stop(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  /** Ends the thread at once, whatever it does. */
  end(): void {
    this.#thread.end();
  }

  /** Has the thread close its connection: SQLite empties a log only when its last connection is closed. */
  async close(): Promise<void> {
    this.stop();
    const timer = setTimeout(() => this.end(), CLOSE_MS);
    try {
      await this.#thread.ask("close");
    } catch {
      // It has ended already.
    } finally {
      clearTimeout(timer);
      this.end();
    }
  }
}
