import type { Clock } from "../../process/clock.ts";
import { DAY_MS } from "../../domain/time.ts";
import { Service } from "../service.ts";

/** What a request can be refused for, or fail of, that tells an administrator something. */
export const REFUSALS = ["unauthorized", "forbidden", "rate_limited", "no_space", "failed"] as const;

export type Refusal = (typeof REFUSALS)[number];

export interface RefusalsOfDay extends Readonly<Record<Refusal, number>> {
  /** The start of the day in UTC; milliseconds since the epoch. */
  readonly day: number;
}

/** How many days are remembered. */
const DAYS = 14;

const NONE = { unauthorized: 0, forbidden: 0, rate_limited: 0, no_space: 0, failed: 0 };

/** Counts requests that were refused, by day, since the server started. */
export class Refusals extends Service<{ clock: Clock }> {
  readonly #days = new Map<number, Record<Refusal, number>>();
  readonly #all: Record<Refusal, number> = { ...NONE };

  count(refusal: Refusal): void {
    const now = this.parts.clock.now();
    const day = now - (now % DAY_MS);
    const counts = this.#days.get(day) ?? { ...NONE };
    counts[refusal] += 1;
    this.#all[refusal] += 1;
    this.#days.set(day, counts);
    if (this.#days.size > DAYS) this.#days.delete(Math.min(...this.#days.keys()));
  }

  /** Of all days. */
  get all(): Readonly<Record<Refusal, number>> {
    return this.#all;
  }

  /** Days on which there were some, the newest first. */
  byDay(): RefusalsOfDay[] {
    const days = [...this.#days].toSorted(([a], [b]) => b - a);
    return days.map(([day, counts]) => ({ day, ...counts }));
  }

  /** How many requests failed today by a fault of the server. */
  failedToday(): number {
    const now = this.parts.clock.now();
    return this.#days.get(now - (now % DAY_MS))?.failed ?? 0;
  }
}
