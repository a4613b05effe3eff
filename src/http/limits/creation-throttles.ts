import type { Clock } from "../../process/clock.ts";
import { type Caller, isUnclaimed, ownerOf } from "../../domain/accounts/caller.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import { REQUESTS_PER_NEW_KEY } from "../../domain/limits.ts";
import { RateLimiter } from "../gate/gate.ts";
import { CofferError } from "../../domain/errors.ts";
import type { RequestContext } from "../gate/request-context.ts";

/** Limits how many keys an owner creates, and members it adds, in a minute, with all its keys and sessions together. */
export class NewKeyThrottle {
  readonly #limiter: RateLimiter;
  readonly #rateLimits: Readonly<Record<Plan, number>>;

  /** @param rateLimits requests per minute */
  constructor(clock: Clock, rateLimits: Readonly<Record<Plan, number>>) {
    this.#limiter = new RateLimiter({ clock, windowSeconds: 60 });
    this.#rateLimits = rateLimits;
  }

  /** Creates a key, which counts from its start, unless `make` throws. Throws RATE_LIMITED, and errors of `make`. */
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
      `Too many ${what} for this ${whose}: at most ${most} a minute. Try again in {seconds} s.`,
    );
  }
}

/** Decides who may create a drive without an account: over REST and MCP together, a few an hour from one address. */
export class ProvisionThrottle {
  readonly isOn: boolean;
  readonly #perHour: number;
  readonly #limiter: RateLimiter;

  /** @param isOn whether anybody may. @param perHour drives from one client address */
  constructor(clock: Clock, { isOn, perHour }: { readonly isOn: boolean; readonly perHour: number }) {
    this.isOn = isOn;
    this.#perHour = perHour;
    this.#limiter = new RateLimiter({ clock, windowSeconds: 3600 });
  }

  /** Throws FORBIDDEN if nobody may create a drive without an account. */
  requireOn(): void {
    if (this.isOn) return;
    throw new CofferError(
      "FORBIDDEN",
      "This server does not create drives without an account. Ask your human for an API key: people make keys on the dashboard, at /keys.",
    );
  }

  /** Counts one drive. Throws RATE_LIMITED. */
  take({ client }: RequestContext): void {
    this.#limiter.require(
      client,
      this.#perHour,
      `At most ${this.#perHour} drives an hour from one address. Use a drive that you have, or try again in {seconds} s.`,
    );
  }
}
