import { setTimeout as sleep } from "node:timers/promises";
import type { SteadyClock } from "../process/clock.ts";

/** Spreads bytes over time, for all who share it. */
export class CopyPace {
  readonly #bytesAMs: number;
  readonly #clock: SteadyClock;
  /** When the bytes before have had their time, by the clock's `elapsed`. */
  #next = 0;

  /** @param rate bytes a second */
  constructor(rate: number, clock: SteadyClock) {
    this.#bytesAMs = rate / 1000;
    this.#clock = clock;
  }

  /** Waits until it is the turn of so many bytes. Rejects once `signal` is aborted. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const now = this.#clock.elapsed();
    const turn = Math.max(now, this.#next);
    this.#next = turn + bytes / this.#bytesAMs;
    if (turn > now) await sleep(turn - now, undefined, { signal });
  }
}
