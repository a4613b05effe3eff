import type { Clock } from "../../process/clock.ts";
import { bucketOf, type Caller, ownerOf } from "../../domain/accounts/caller.ts";
import type { Plan } from "../../domain/accounts/plan.ts";
import { SHARED_FACTOR } from "../../domain/limits.ts";
import { RateLimiter, type RateLimitState } from "./rate-limiter.ts";

/** What a caller has left, and in which window. */
export interface CallerLimitState {
  readonly state: RateLimitState;
  /** Whether this is the window that all callers of one owner share; else it is the caller's own. */
  readonly isShared: boolean;
}

/**
 * Counts each request twice: in the caller's own window, with the limit of the plan, and in one that all callers of
 * its owner share, with `SHARED_FACTOR` times that limit.
 */
export class CallerLimiter {
  readonly #own: RateLimiter;
  readonly #shared: RateLimiter;
  readonly #rateLimits: Readonly<Record<Plan, number>>;

  /** @param options `rateLimits` are requests in a window */
  constructor(options: {
    readonly clock: Clock;
    readonly windowSeconds: number;
    readonly rateLimits: Readonly<Record<Plan, number>>;
  }) {
    this.#own = new RateLimiter(options);
    this.#shared = new RateLimiter(options);
    this.#rateLimits = options.rateLimits;
  }

  /**
   * Counts one request in both windows, or in neither if one refuses it. Returns the window that has less left; if
   * equal, the one that ends later.
   */
  take(caller: Caller): CallerLimitState {
    const limit = this.#rateLimits[caller.plan];
    const own = this.#own.take(bucketOf(caller), limit);
    const shared = this.#shared.take(ownerOf(caller), SHARED_FACTOR * limit);
    if (own.allowed && !shared.allowed) {
      this.#own.refund(bucketOf(caller));
      return { state: shared, isShared: true };
    }
    if (shared.allowed && !own.allowed) {
      this.#shared.refund(ownerOf(caller));
      return { state: own, isShared: false };
    }
    const difference = own.remaining - shared.remaining || shared.resetSeconds - own.resetSeconds;
    return difference > 0 ? { state: shared, isShared: true } : { state: own, isShared: false };
  }
}
