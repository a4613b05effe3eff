import type { Clock } from "../../process/clock.ts";
import { HOUR_MS } from "../../domain/time.ts";

/** How many wrong guesses cost no wait, and how long the next ones must wait. */
export interface GuessLimits {
  readonly free: number;
  /** In milliseconds: at first, then twice as long after each wrong one, up to `mostMs`. */
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Wrong guesses are forgotten so long after the last one. */
const MEMORY_MS = HOUR_MS;
/** Limits the memory; beyond it the oldest are forgotten. */
const CAPACITY = 100_000;

interface Wrong {
  readonly count: number;
  /** When the last one began, in milliseconds since the epoch. */
  readonly at: number;
}

/** The wrong guesses of one kind of bucket, those first whose last is the longest ago. */
export class Guesses {
  readonly #clock: Clock;
  readonly #limits: GuessLimits;
  readonly #wrong = new Map<string, Wrong>();

  constructor(clock: Clock, limits: GuessLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Milliseconds until the next guess. */
  waitOf(bucket: string): number {
    const { free, firstMs, mostMs } = this.#limits;
    const { count, at } = this.#wrongOf(bucket);
    if (count < free) return 0;
    const wait = Math.min(firstMs * 2 ** (count - free), mostMs);
    return Math.max(0, at + wait - this.#clock.now());
  }

  add(bucket: string): void {
    const count = this.#wrongOf(bucket).count + 1;
    this.#wrong.delete(bucket);
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size >= CAPACITY && oldest !== undefined) this.#wrong.delete(oldest);
    this.#wrong.set(bucket, { count, at: this.#clock.now() });
  }

  /** A guess that was right does not count. Those before it do: they may be somebody else's. */
  takeBack(bucket: string): void {
    const { count, at } = this.#wrongOf(bucket);
    if (count > 1) this.#wrong.set(bucket, { count: count - 1, at });
    else this.#wrong.delete(bucket);
  }

  /** What is left; one in the future is from before the clock was set back. */
  #wrongOf(bucket: string): Wrong {
    const now = this.#clock.now();
    const wrong = this.#wrong.get(bucket);
    const isKnown = wrong !== undefined && wrong.at <= now && now < wrong.at + MEMORY_MS;
    return isKnown ? wrong : { count: 0, at: now };
  }
}
