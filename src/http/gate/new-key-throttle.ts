import type { Clock } from "../../clock.ts";
import { type Caller, isUnclaimed, ownerOf } from "../../domain/caller.ts";
import type { Plan } from "../../domain/plan.ts";
import { REQUESTS_PER_NEW_KEY } from "../../domain/limits.ts";
import { rateLimited } from "./errors.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** Lets an owner make only so many keys a minute, with all keys and sessions together. */
export class NewKeyThrottle {
  readonly #limiter: RateLimiter;
  readonly #rateLimits: Readonly<Record<Plan, number>>;

  /** @param rateLimits requests per minute */
  constructor(clock: Clock, rateLimits: Readonly<Record<Plan, number>>) {
    this.#limiter = new RateLimiter({ clock, windowSeconds: 60 });
    this.#rateLimits = rateLimits;
  }

  /**
   * Makes a key. It counts from its beginning, so that many at once cannot pass together, and no more when it
   * is refused. Throws RATE_LIMITED, and what `make` throws.
   */
  async attempt<T>(caller: Caller, make: () => Promise<T>): Promise<T> {
    const owner = ownerOf(caller);
    const most = Math.max(1, Math.floor(this.#rateLimits[caller.plan] / REQUESTS_PER_NEW_KEY));
    const { allowed, resetSeconds } = this.#limiter.take(owner, most);
    if (!allowed) {
      const whose = isUnclaimed(caller) ? "drive" : "account";
      throw rateLimited(
        `Too many new keys for this ${whose}: at most ${most} a minute. Try again in ${resetSeconds} s.`,
        resetSeconds,
      );
    }
    try {
      return await make();
    } catch (error) {
      this.#limiter.giveBack(owner);
      throw error;
    }
  }
}
