import type { SteadyClock } from "../process/clock.ts";
import { PassingFailure, S3Unavailable } from "./errors.ts";

/** How many requests in a row must fail before no more are sent. */
const FAILURES = 8;
/** For how long none is sent then, in milliseconds. */
const OPEN_MS = 15_000;

/** Open: the store fails, so nothing is sent to it for a while. `reason` is the last failure. */
export type CircuitChange = { readonly isOpen: true; readonly reason: string } | { readonly isOpen: false };

interface CircuitParts {
  readonly clock: SteadyClock;
  /** Is told once of each change. */
  readonly onChange: (change: CircuitChange) => void;
}

/**
 * Sends nothing to a store that fails: it opens after some failures in a row, and requests fail at once. After a while
 * one is let through as a probe, and closes it if it gets an answer.
 */
export class Circuit {
  readonly #parts: CircuitParts;
  #failures = 0;
  /** On the steady clock; null while it is closed. */
  #openUntil: number | null = null;
  #isProbing = false;

  constructor(parts: CircuitParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** Runs a request, which throws PassingFailure if the store fails. Throws S3Unavailable while it is open. */
  async run<T>(request: () => Promise<T>): Promise<T> {
    const isProbe = this.#openUntil !== null;
    if (isProbe) this.#requireProbe();
    try {
      const answer = await request();
      this.#succeeded();
      return answer;
    } catch (error) {
      if (error instanceof PassingFailure) this.#failed(error.message);
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  #requireProbe(): void {
    const waitMs = (this.#openUntil ?? 0) - this.#parts.clock.elapsed();
    if (waitMs > 0 || this.#isProbing) {
      throw new S3Unavailable(
        "The store has failed again and again. It is asked again soon.",
        Math.max(waitMs, 1000),
      );
    }
    this.#isProbing = true;
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#openUntil === null) return;
    this.#openUntil = null;
    this.#parts.onChange({ isOpen: false });
  }

  #failed(reason: string): void {
    this.#failures += 1;
    if (this.#failures < FAILURES) return;
    const wasOpen = this.#openUntil !== null;
    this.#openUntil = this.#parts.clock.elapsed() + OPEN_MS;
    if (!wasOpen) this.#parts.onChange({ isOpen: true, reason });
  }
}
