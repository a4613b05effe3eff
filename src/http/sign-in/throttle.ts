import type { Clock } from "../../process/clock.ts";
import type { PasswordSender } from "../../domain/accounts/known-client.ts";
import type { KnownClients } from "../../services/accounts/known-clients.ts";
import { tooManyWrong } from "../limits/guess-throttle.ts";
import { Guesses } from "../limits/guesses.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";

/** How long a wrong password counts. */
export const WINDOW_SECONDS = 15 * 60;

/** Wrong passwords for one account in a window, from one client that has never signed in to it. */
export const PER_ACCOUNT = 10;
/** The same from one client, for any account. */
export const PER_CLIENT = 50;
/**
 * The same for one account, from all such clients together; after that they wait a little for each, but are not kept out:
 * the account's owner may be one of them.
 */
export const FROM_STRANGERS = { free: 50, firstMs: 30_000, mostMs: 30_000 };

/** Allows a few wrong passwords, then blocks sign-in until the window ends. */
export class SignInThrottle {
  readonly #purpose: PasswordSender["purpose"];
  readonly #known: KnownClients;
  readonly #accounts: RateLimiter;
  readonly #clients: RateLimiter;
  readonly #strangers: Guesses;

  constructor(purpose: PasswordSender["purpose"], known: KnownClients, clock: Clock) {
    this.#purpose = purpose;
    this.#known = known;
    const options = { clock, windowSeconds: WINDOW_SECONDS };
    this.#accounts = new RateLimiter(options);
    this.#clients = new RateLimiter(options);
    this.#strangers = new Guesses(clock, FROM_STRANGERS);
  }

  /**
   * Makes an attempt. It counts as failed from its start, so that parallel attempts cannot exceed the limit together;
   * it stops counting if it succeeds, or fails for another reason than the password. Unknown accounts count the same.
   * From a client that has sent the account's correct password before, even before a restart, it counts only for the
   * client: others who guess cannot lock the owner out. From elsewhere the owner may have to wait for a moment. Throws
   * RATE_LIMITED, and errors of the attempt.
   *
   * @param isWrong whether an error of the attempt means that the password is wrong
   */
  async attempt<T>(
    { client, account }: Pick<PasswordSender, "client" | "account">,
    verify: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    const sender = { purpose: this.#purpose, client, account };
    const refund = this.#known.has(sender) ? this.#takeKnown(client) : this.#takeStrange(client, account);
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

  /** Counts an attempt; returns what undoes that. */
  #takeKnown(client: string): () => void {
    take(this.#clients, client, PER_CLIENT);
    return () => this.#clients.refund(client);
  }

  /** The same for a client that has never signed in to the account. */
  #takeStrange(client: string, account: string): () => void {
    const own = `${client} ${account}`;
    const waitMs = this.#strangers.waitOf(account);
    if (waitMs > 0) throw tooManyWrong(waitMs);
    take(this.#clients, client, PER_CLIENT);
    take(this.#accounts, own, PER_ACCOUNT);
    this.#strangers.add(account);
    return () => {
      this.#clients.refund(client);
      this.#accounts.refund(own);
      this.#strangers.takeBack(account);
    };
  }
}

function take(limiter: RateLimiter, bucket: string, limit: number): void {
  const { allowed, resetSeconds } = limiter.take(bucket, limit);
  if (!allowed) throw tooManyWrong(resetSeconds * 1000);
}
