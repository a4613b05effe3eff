import { readdirSync, readlinkSync } from "node:fs";
import { nextDescriptors, openFilesLimit, requireDescriptors } from "./descriptors.ts";
import { type Call, type CallAnswer, CallFailure, type Calls } from "./answer-calls.ts";

/** With so many free descriptors, no flood of connections takes all of them before a thread has its own. */
const ROOM = 8192;

/** Of the free descriptors with the lowest numbers, the thread gets two; others may open files meanwhile. */
const WATCHED = 8;

/** What a thread opens before it runs, as its entries in `/proc/self/fd` show it. */
const OF_A_THREAD = ["anon_inode:[eventpoll]", "anon_inode:[eventfd]"];

/** How often, and for how long, it is looked for what a thread has opened, in milliseconds. */
const LOOK_MS = 0.1;
const LOOK_FOR_MS = 500;

/**
 * Starts a thread. If the runtime finds no descriptor for one, it ends the process, and connections that are accepted
 * meanwhile may take the last ones. So where few are free, this waits until the thread has its own, a millisecond or
 * two: no connection is accepted meanwhile.
 *
 * @param module the address of its module; the build puts it beside the executable's own
 * @throws CofferError UNAVAILABLE if there are too few file descriptors
 */
export function startThread(module: string): Worker {
  requireDescriptors();
  const watched = freeDescriptors() < ROOM ? nextDescriptors(WATCHED) : [];
  // What threads do leaves much behind that is soon garbage: `smol` collects it earlier, for about 10 MB less and hardly
  // more time.
  const worker = new Worker(module, { smol: true });
  const until = performance.now() + LOOK_FOR_MS;
  while (!hasOpened(watched) && performance.now() < until) Bun.sleepSync(LOOK_MS);
  return worker;
}

function freeDescriptors(): number {
  const limit = openFilesLimit();
  return limit === Number.POSITIVE_INFINITY ? limit : limit - readdirSync("/proc/self/fd").length;
}

/** Whether a thread has opened what it needs among these descriptors; also if none are watched. */
function hasOpened(watched: readonly number[]): boolean {
  if (watched.length === 0) return true;
  const opened = watched.map(whatIs);
  return OF_A_THREAD.every((each) => opened.includes(each));
}

function whatIs(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // It is not open.
    return "";
  }
}

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
    asked?.reject(new CallFailure(this.#what, answer.failure));
  }

  #ended(): Error {
    return new Error(`${this.#what} ended`);
  }
}
