import { startThread } from "../../process/thread-start.ts";
import type { StorePlaces } from "../store-places.ts";
import type { FromGrepThread, GrepRequest, ToGrepThread } from "./request.ts";

/** How long the end of the thread is waited for, in milliseconds. */
const CLOSE_MS = 1000;

/** A thread that searches lines. It does one thing at a time. */
export class GrepThread {
  readonly #worker: Worker;
  /** See `ToGrepThread`. */
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #asked: PromiseWithResolvers<FromGrepThread> | null = null;
  #isAlive = true;

  constructor(parts: {
    places: StorePlaces;
    /** Called once the thread has ended. */
    onEnd: () => void;
  }) {
    this.#worker = startThread(new URL("./grep-worker.ts", import.meta.url).href);
    this.#worker.unref();
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromGrepThread>) =>
      this.#asked?.resolve(data),
    );
    this.#worker.addEventListener("error", ({ message }) => {
      this.#asked?.reject(new Error(`a thread that searches lines failed: ${message}`));
      this.end();
    });
    this.#worker.addEventListener("close", () => {
      this.#isAlive = false;
      this.#asked?.reject(new Error("a thread that searches lines ended"));
      parts.onEnd();
    });
    this.#send({ kind: "open", ...parts.places, stop: this.#stop.buffer });
  }

  /** Whether it can be asked something. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Searches. Rejects if the thread ends meanwhile. */
  find(request: GrepRequest): Promise<FromGrepThread> {
    Atomics.store(this.#stop, 0, 0);
    return this.#ask({ kind: "find", request });
  }

  /** Has the search that is running stop soon, with what it has found. */
  stop(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  /** Ends the thread at once, whatever it does. */
  end(): void {
    this.#isAlive = false;
    this.#worker.terminate();
  }

  /** Has the thread close its connection: SQLite empties a log only when its last connection is closed. */
  async close(): Promise<void> {
    this.stop();
    const timer = setTimeout(() => this.end(), CLOSE_MS);
    try {
      await this.#asked?.promise;
      await this.#ask({ kind: "close" });
    } catch {
      // It has ended already.
    } finally {
      clearTimeout(timer);
      this.end();
    }
  }

  async #ask(message: ToGrepThread): Promise<FromGrepThread> {
    const asked = Promise.withResolvers<FromGrepThread>();
    this.#asked = asked;
    this.#send(message);
    try {
      return await asked.promise;
    } finally {
      this.#asked = null;
    }
  }

  #send(message: ToGrepThread): void {
    this.#worker.postMessage(message, []);
  }
}
