import type { SteadyClock } from "./clock.ts";
import { Histogram } from "./histogram.ts";

/** How often it is looked, in milliseconds. */
const LOOK_MS = 100;

/** In seconds. */
const DELAYS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Samples how late the event loop is, once somebody has asked for that. */
export class LoopDelay {
  readonly #clock: SteadyClock;
  readonly #seconds = new Histogram(DELAYS);
  #isLooking = false;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** What was seen since the first call, which begins to look. Nothing waits for that to end. In seconds. */
  get seconds(): Histogram {
    if (!this.#isLooking) this.#look();
    return this.#seconds;
  }

  #look(): void {
    this.#isLooking = true;
    const due = this.#clock.elapsed() + LOOK_MS;
    setTimeout(() => {
      this.#seconds.observe(Math.max(0, this.#clock.elapsed() - due) / 1000);
      this.#look();
    }, LOOK_MS).unref();
  }
}
