import { signal as newSignal } from "@preact/signals-core";

/** Why requests are not answered: nobody answers, or the server asks to wait. */
export interface Trouble {
  readonly why: "away" | "busy";
  /** When it is tried again, by `performance.now()`. */
  readonly until: number;
}

/** How long nobody is asked after each try without an answer, in milliseconds; the last for all that follow. */
const PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15_000] as const;
/** How much later a request is sent again each time, though others are answered: it alone may be what fails. */
const STEP_MS = 500;
const MOST_STEPS = 20;

/**
 * What requests wait for that were not answered. Where nobody answers, the one that has waited longest tries again,
 * after longer and longer pauses, and the first answer to anybody lets all go on.
 */
export class Connection {
  /** Null while requests are answered. */
  readonly trouble = newSignal<Trouble | null>(null);
  readonly #pauses: readonly number[];
  /** Those that wait for an answer to anybody, in their order. */
  readonly #waiting = new Set<() => void>();
  /** When those go on that the server asked to wait, by `performance.now()`. */
  readonly #resting = new Set<{ readonly until: number }>();
  #tries = 0;
  #next: { readonly timer: ReturnType<typeof setTimeout>; readonly until: number } | null = null;

  constructor(pauses: readonly number[] = PAUSES_MS) {
    this.#pauses = pauses;
  }

  /** To be called with each answer: the server is there. */
  answered(): void {
    if (this.#next === null) return;
    this.#stop();
    this.#tries = 0;
    this.#tell();
    for (const go of this.#waiting) go();
  }

  /** Tries now, not after the pause. */
  tryNow(): void {
    if (this.#next === null) return;
    this.#tries = 0;
    this.#try();
  }

  /**
   * Resolves once a request may be sent again that got no answer.
   *
   * @param tries how often it was sent
   * @throws the reason of `signal`, when it aborts
   */
  async returned(tries: number, signal?: AbortSignal): Promise<void> {
    const back = promised((go) => {
      this.#waiting.add(go);
      if (this.#next === null) this.#plan();
      return () => this.#waiting.delete(go);
    }, signal);
    const leastMs = Math.min(tries - 1, MOST_STEPS) * STEP_MS;
    await Promise.all([back, ...(leastMs === 0 ? [] : [slept(leastMs, signal)])]);
  }

  /** Resolves after so many seconds, which the server asked to wait. Throws the reason of `signal`, when it aborts. */
  async rested(seconds: number, signal?: AbortSignal): Promise<void> {
    const rest = { until: performance.now() + seconds * 1000 };
    this.#resting.add(rest);
    this.#tell();
    try {
      await slept(seconds * 1000, signal);
    } finally {
      this.#resting.delete(rest);
      this.#tell();
    }
  }

  #plan(): void {
    const ms = this.#pauses[Math.min(this.#tries, this.#pauses.length - 1)] ?? 0;
    this.#tries += 1;
    this.#next = { timer: setTimeout(() => this.#try(), ms), until: performance.now() + ms };
    this.#tell();
  }

  /** Lets the one ask that has waited longest. It may be given up before its answer comes: so the next is planned. */
  #try(): void {
    this.#stop();
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#tries = 0;
      return this.#tell();
    }
    first();
    this.#plan();
  }

  #stop(): void {
    clearTimeout(this.#next?.timer);
    this.#next = null;
  }

  #tell(): void {
    const rests = Array.from(this.#resting, ({ until }) => until);
    if (this.#next !== null) this.trouble.value = { why: "away", until: this.#next.until };
    else this.trouble.value = rests.length === 0 ? null : { why: "busy", until: Math.max(...rests) };
  }
}

/** The connection to the server, which all requests of the page share. */
export const connection = new Connection();

function slept(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return promised((go) => {
    const timer = setTimeout(go, milliseconds);
    return () => clearTimeout(timer);
  }, signal);
}

/**
 * Resolves when what is handed to `begin` is called, and rejects when `signal` aborts. What `begin` gives is called
 * either way.
 */
export function promised(begin: (go: () => void) => () => unknown, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const finish = () => {
      end();
      signal?.removeEventListener("abort", stop);
    };
    const stop = () => {
      finish();
      reject(signal?.reason);
    };
    const end = begin(() => {
      finish();
      resolve();
    });
    signal?.addEventListener("abort", stop);
  });
}
