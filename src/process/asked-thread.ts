import { type Call, type CallAnswer, CallFailure, type Calls } from "./answer-calls.ts";
import { startThread } from "./thread-start.ts";

/** A thread that answers calls by `answerCalls`, one after the other. */
export class AskedThread<C extends Calls<C>> {
  readonly #worker: Worker;
  readonly #what: string;
  /** The calls that it has not answered, oldest first. */
  #asked: Pick<PromiseWithResolvers<never>, "resolve" | "reject">[] = [];
  #isAlive = true;

  /** Throws CofferError UNAVAILABLE if there are too few file descriptors for a thread. */
  constructor(parts: {
    module: string;
    what: string;
    /** Whether the process goes on as long as the thread; false if left out. */
    keepsProcess?: boolean;
    onEnd?: () => void;
  }) {
    this.#what = parts.what;
    this.#worker = startThread(parts.module);
    if (parts.keepsProcess !== true) this.#worker.unref();
    this.#worker.addEventListener("message", ({ data }: MessageEvent<CallAnswer<never>>) => this.#take(data));
    this.#worker.addEventListener("error", ({ message }) =>
      this.end(new Error(`${this.#what} failed: ${message}`)),
    );
    this.#worker.addEventListener("close", () => {
      this.end();
      parts.onEnd?.();
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Has the thread make a call. Rejects if the thread ends before it has answered. Throws CallFailure. */
  async ask<Name extends keyof C & string>(
    name: Name,
    ...args: Parameters<C[Name]>
  ): Promise<Awaited<ReturnType<C[Name]>>> {
    if (!this.#isAlive) throw this.#ended();
    const asked = Promise.withResolvers<Awaited<ReturnType<C[Name]>>>();
    this.#worker.postMessage({ name, args } satisfies Call<Name, unknown>, []);
    this.#asked.push(asked);
    return asked.promise;
  }

  /** Ends the thread at once, whatever it does. What it has not answered fails with `error`. */
  end(error = this.#ended()): void {
    this.#isAlive = false;
    this.#worker.terminate();
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }

  #take(answer: CallAnswer<never>): void {
    const asked = this.#asked.shift();
    if ("value" in answer) return asked?.resolve(answer.value);
    const { message, stack, code } = answer.failure;
    asked?.reject(new CallFailure(`${this.#what} failed: ${stack}`, { message, code }));
  }

  #ended(): Error {
    return new Error(`${this.#what} ended`);
  }
}
