import type { Clock } from "../../process/clock.ts";
import { rateLimited } from "../gate/errors.ts";
import { type GuessLimits, Guesses } from "./guesses.ts";

const MINUTE_MS = 60_000;

/** Of one client at one thing. Others who guess at it do not wait for that. */
export const OWN_GUESSES: GuessLimits = { free: 5, firstMs: 5000, mostMs: 15 * MINUTE_MS };
/** Of one client, at all things. */
export const CLIENT_GUESSES: GuessLimits = { ...OWN_GUESSES, free: 20 };
/**
 * Of all clients at one thing: whoever has many addresses gets no further than some hundred guesses a day, and whoever
 * knows the password waits two minutes at most.
 */
export const ALL_GUESSES: GuessLimits = { free: 30, firstMs: 2 * MINUTE_MS, mostMs: 2 * MINUTE_MS };

/** Limits the memory of who has guessed right; beyond it the oldest are forgotten. */
const CAPACITY = 100_000;

/** Who guesses at what. */
export interface Guess {
  readonly thing: string;
  /** The client's address, as the rate limit counts it. */
  readonly client: string;
}

/** Makes those wait who guess passwords of things that have no owner with a known client: the more guesses, the longer. */
export class GuessThrottle {
  readonly #own: Guesses;
  readonly #clients: Guesses;
  readonly #all: Guesses;
  /** Clients that have guessed right: others who guess do not keep them out. */
  readonly #known = new Set<string>();

  constructor(clock: Clock) {
    this.#own = new Guesses(clock, OWN_GUESSES);
    this.#clients = new Guesses(clock, CLIENT_GUESSES);
    this.#all = new Guesses(clock, ALL_GUESSES);
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
    const own = `${client} ${thing}`;
    const counts: [Guesses, string][] = [
      [this.#own, own],
      [this.#clients, client],
      ...(this.#known.has(own) ? [] : [[this.#all, thing] satisfies [Guesses, string]]),
    ];
    const waitMs = Math.max(...counts.map(([guesses, bucket]) => guesses.waitOf(bucket)));
    if (waitMs > 0) throw tooManyWrong(waitMs);
    for (const [guesses, bucket] of counts) guesses.add(bucket);
    const refund = () => {
      for (const [guesses, bucket] of counts) guesses.takeBack(bucket);
    };
    try {
      const result = await verify();
      refund();
      this.#remember(own);
      return result;
    } catch (error) {
      if (!isWrong(error)) refund();
      throw error;
    }
  }

  #remember(own: string): void {
    const [oldest] = this.#known;
    if (this.#known.size >= CAPACITY && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(own);
  }
}

/** 429 for who must wait so many milliseconds. */
export function tooManyWrong(waitMs: number) {
  const seconds = Math.ceil(waitMs / 1000);
  return rateLimited(`Too many wrong passwords. Try again in ${seconds} s.`, seconds);
}
