import type { Clock } from "../../clock.ts";
import type { PasswordSender } from "../../domain/known-client.ts";
import type { KnownClients } from "../../services/accounts/known-clients.ts";
import { rateLimited } from "../gate/errors.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";

/** How long a wrong password counts. */
export const WINDOW_SECONDS = 15 * 60;

/** Wrong passwords for one account in a window, from all clients that have never signed in to it. */
export const PER_ACCOUNT = 10;
/** The same from one client, for any account. */
export const PER_CLIENT = 50;

/** Allows a few wrong passwords, then blocks sign-in until the window ends. */
export class SignInThrottle {
  readonly #purpose: PasswordSender["purpose"];
  readonly #known: KnownClients;
  readonly #accounts: RateLimiter;
  readonly #clients: RateLimiter;

  constructor(purpose: PasswordSender["purpose"], known: KnownClients, clock: Clock) {
    this.#purpose = purpose;
    this.#known = known;
    const options = { clock, windowSeconds: WINDOW_SECONDS };
    this.#accounts = new RateLimiter(options);
    this.#clients = new RateLimiter(options);
  }

  /**
   * Makes an attempt. It counts as failed from its start, so that parallel attempts cannot exceed the limit together;
   * it stops counting if it succeeds, or fails for another reason than the password. Unknown accounts count the same.
   * From a client that has sent the account's correct password before, even before a restart, it counts only for the
   * client: others who guess cannot lock the owner out. Throws RATE_LIMITED, and errors of the attempt.
   *
   * @param isWrong whether an error of the attempt means that the password is wrong
   */
  async attempt<T>(
    { client, account }: Pick<PasswordSender, "client" | "account">,
    verify: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    const sender = { purpose: this.#purpose, client, account };
    const isKnown = this.#known.has(sender);
    this.#take(this.#clients, client, PER_CLIENT);
    if (!isKnown) this.#take(this.#accounts, account, PER_ACCOUNT);
    const refund = () => {
      this.#clients.refund(client);
      if (!isKnown) this.#accounts.refund(account);
    };
    try {
      const result = await verify();
      await this.#known.remember(sender);
      refund();
      return result;
    } catch (error) {
      if (!isWrong(error)) refund();
      throw error;
    }
  }

  #take(limiter: RateLimiter, bucket: string, limit: number): void {
    const { allowed, resetSeconds } = limiter.take(bucket, limit);
    if (allowed) return;
    throw rateLimited(`Too many wrong passwords. Try again in ${resetSeconds} s.`, resetSeconds);
  }
}
