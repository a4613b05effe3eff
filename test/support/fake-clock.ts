import type { Clock } from "../../src/clock.ts";

/** A clock that only moves when a test advances it. */
export class FakeClock implements Clock {
  #now: number;

  constructor(now = Date.parse("2030-01-01T00:00:00.000Z")) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Advances it by `ms` milliseconds. */
  advance(ms: number): void {
    this.#now += ms;
  }
}
