import type { Clock } from "../../process/clock.ts";
import { CofferError } from "../../domain/errors.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import type { RequestContext } from "../gate/request-context.ts";

const HOUR_SECONDS = 3600;

/** Decides who may create a drive without an account: over REST and MCP together, a few an hour from one address. */
export class ProvisionThrottle {
  readonly isOn: boolean;
  readonly #perHour: number;
  readonly #limiter: RateLimiter;

  /** @param isOn whether anybody may. @param perHour drives from one client address */
  constructor(clock: Clock, { isOn, perHour }: { readonly isOn: boolean; readonly perHour: number }) {
    this.isOn = isOn;
    this.#perHour = perHour;
    this.#limiter = new RateLimiter({ clock, windowSeconds: HOUR_SECONDS });
  }

  /** Throws FORBIDDEN if nobody may create a drive without an account. */
  requireOn(): void {
    if (!this.isOn) {
      throw new CofferError(
        "FORBIDDEN",
        "This server does not create drives without an account. Ask your human for an API key: people make keys on the dashboard, at /keys.",
      );
    }
  }

  /** Counts one drive. Throws RATE_LIMITED. */
  take({ client }: RequestContext): void {
    this.#limiter.require(
      client,
      this.#perHour,
      (seconds) =>
        `At most ${this.#perHour} drives an hour from one address. Use a drive that you have, or try again in ${seconds} s.`,
    );
  }
}
