import type { Clock } from "../../clock.ts";
import { HOUR_MS } from "../../domain/time.ts";
import { rateLimited } from "./errors.ts";

/** How many wrong guesses cost no wait: for one thing, from all clients, and from one client, for all things. */
export const FREE_GUESSES = { thing: 5, client: 20 };
/** How long the next guess must wait, in milliseconds: at first, then twice as long after each wrong one. */
export const GUESS_WAIT_MS = { first: 5000, most: 15 * 60_000 };
/** Wrong guesses are forgotten so long after the last one. */
const MEMORY_MS = HOUR_MS;
/** Limits the memory; beyond it the oldest are forgotten. */
const CAPACITY = 100_000;

/** Who guesses at what. */
export interface Guess {
  readonly thing: string;
  /** The client's address, as the rate limit counts it. */
  readonly client: string;
}

/** Makes those wait who guess passwords of things that have no owner with a known client: the more guesses, the longer. */
export class GuessThrottle {
  readonly #things: Guesses;
  readonly #clients: Guesses;

  constructor(clock: Clock) {
    this.#things = new Guesses(clock, FREE_GUESSES.thing);
    this.#clients = new Guesses(clock, FREE_GUESSES.client);
  }

  /**
   * Makes a guess. It counts as wrong from its start, so that parallel ones cannot exceed the limit together. Throws
   * RATE_LIMITED, and errors of the guess.
   *
   * @param isWrong whether an error of the guess means that it was wrong
   */
  async attempt<T>(
    { thing, client }: Guess,
    verify: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    const waitMs = Math.max(this.#things.waitOf(thing), this.#clients.waitOf(client));
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw rateLimited(`Too many wrong passwords. Try again in ${seconds} s.`, seconds);
    }
    this.#things.add(thing);
    this.#clients.add(client);
    const refund = () => {
      this.#things.takeBack(thing);
      this.#clients.takeBack(client);
    };
    try {
      const result = await verify();
      refund();
      return result;
    } catch (error) {
      if (!isWrong(error)) refund();
      throw error;
    }
  }
}

interface Wrong {
  readonly count: number;
  /** When the last one began, in milliseconds since the epoch. */
  readonly at: number;
}

/** The wrong guesses of one kind of bucket, those first whose last is the longest ago. */
class Guesses {
  readonly #clock: Clock;
  readonly #free: number;
  readonly #wrong = new Map<string, Wrong>();

  constructor(clock: Clock, free: number) {
    this.#clock = clock;
    this.#free = free;
  }

  /** Milliseconds until the next guess. */
  waitOf(bucket: string): number {
    const { count, at } = this.#wrongOf(bucket);
    if (count < this.#free) return 0;
    const wait = Math.min(GUESS_WAIT_MS.first * 2 ** (count - this.#free), GUESS_WAIT_MS.most);
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
