import type { SteadyClock } from "../../../src/process/clock.ts";

/** A clock that only moves when a test advances it. */
export class FakeClock implements SteadyClock {
  #now: number;
  #elapsed = 0;

  constructor(now = Date.parse("2030-01-01T00:00:00.000Z")) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  /** The time in `ms` milliseconds, as requests and records say it. */
  iso(ms = 0): string {
    return new Date(this.#now + ms).toISOString();
  }

  /** Lets `ms` milliseconds pass. */
  advance(ms: number): void {
    this.#now += ms;
    this.#elapsed += ms;
  }

  /** Sets it forward, or back, by `ms` milliseconds; no time passes. */
  set(ms: number): void {
    this.#now += ms;
  }
}
