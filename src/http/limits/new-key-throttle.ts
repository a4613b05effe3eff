import type { Clock } from "../../process/clock.ts";
import { type Caller, isUnclaimed, ownerOf } from "../../domain/accounts/caller.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import { REQUESTS_PER_NEW_KEY } from "../../domain/limits.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";

/** Limits how many keys an owner creates, and members it adds, in a minute, with all its keys and sessions together. */
export class NewKeyThrottle {
  readonly #limiter: RateLimiter;
  readonly #rateLimits: Readonly<Record<Plan, number>>;

  /** @param rateLimits requests per minute */
  constructor(clock: Clock, rateLimits: Readonly<Record<Plan, number>>) {
    this.#limiter = new RateLimiter({ clock, windowSeconds: 60 });
    this.#rateLimits = rateLimits;
  }

  /**
   * Creates a key. It counts from its start, so that parallel calls cannot exceed the limit together; it stops counting
   * if `make` throws. Throws RATE_LIMITED, and errors of `make`.
   */
  async attempt<T>(caller: Caller, make: () => Promise<T>): Promise<T> {
    this.count(caller, "new keys");
    try {
      return await make();
    } catch (error) {
      this.#limiter.refund(ownerOf(caller));
      throw error;
    }
  }

  /** Counts one more of what is limited together with new keys, also if it fails later. Throws RATE_LIMITED. */
  count(caller: Caller, what: "new keys" | "new members"): void {
    const most = Math.max(1, Math.floor(this.#rateLimits[caller.plan] / REQUESTS_PER_NEW_KEY));
    const whose = isUnclaimed(caller) ? "drive" : "account";
    this.#limiter.require(
      ownerOf(caller),
      most,
      (seconds) => `Too many ${what} for this ${whose}: at most ${most} a minute. Try again in ${seconds} s.`,
    );
  }
}
