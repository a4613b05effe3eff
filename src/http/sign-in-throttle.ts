import type { Clock } from "../clock.ts";
import { rateLimited } from "./errors.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** How long a wrong password counts. */
export const WINDOW_SECONDS = 15 * 60;
/** How many clients that have signed in are remembered. */
const CAPACITY = 100_000;

/** Wrong passwords that a window bears for one account, from all clients that never signed in to it. */
export const PER_ACCOUNT = 10;
/** The same for one client, for any account. */
export const PER_CLIENT = 50;

/** Bears with a few wrong passwords, and then with none for a while. */
export class SignInThrottle {
  readonly #accounts: RateLimiter;
  readonly #clients: RateLimiter;
  /** Clients that have signed in, each with the account; the first are the oldest. */
  readonly #known = new Set<string>();

  constructor(clock: Clock) {
    const options = { clock, windowSeconds: WINDOW_SECONDS };
    this.#accounts = new RateLimiter(options);
    this.#clients = new RateLimiter(options);
  }

  /**
   * Makes an attempt. It counts as a failed one from its beginning, so that many at once cannot pass
   * together, and no more once it succeeds, or fails for another reason than the password. Whether there
   * is such an account makes no difference. From a client that has signed in to the account before it
   * counts for the client alone: strangers who guess cannot lock its owner out. Throws RATE_LIMITED, and
   * what the attempt throws.
   *
   * @param isWrong whether what the attempt threw says that the password is wrong
   */
  async attempt<T>(
    { client, username }: { readonly client: string; readonly username: string },
    verify: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    const account = username.toLowerCase();
    const pair = `${client} ${account}`;
    const isKnown = this.#known.has(pair);
    this.#take(this.#clients, client, PER_CLIENT);
    if (!isKnown) this.#take(this.#accounts, account, PER_ACCOUNT);
    const giveBack = () => {
      this.#clients.giveBack(client);
      if (!isKnown) this.#accounts.giveBack(account);
    };
    try {
      const result = await verify();
      giveBack();
      this.#remember(pair);
      return result;
    } catch (error) {
      if (!isWrong(error)) giveBack();
      throw error;
    }
  }

  #remember(pair: string): void {
    this.#known.delete(pair);
    this.#known.add(pair);
    const [oldest] = this.#known;
    if (this.#known.size > CAPACITY && oldest !== undefined) this.#known.delete(oldest);
  }

  #take(limiter: RateLimiter, bucket: string, limit: number): void {
    const { allowed, resetSeconds } = limiter.take(bucket, limit);
    if (allowed) return;
    throw rateLimited(`Too many wrong passwords. Try again in ${resetSeconds} s.`, resetSeconds);
  }
}
