import type { Clock } from "../clock.ts";
import { rateLimited } from "./errors.ts";
import { RateLimiter } from "./rate-limiter.ts";

const WINDOW_SECONDS = 15 * 60;
const CAPACITY = 100_000;

/** Wrong passwords that a window bears, for an account from anywhere and from one client for any account. */
const PER_ACCOUNT = 10;
const PER_CLIENT = 50;

/** Bears with a few wrong passwords, and then with none for a while. */
export class SignInThrottle {
  readonly #accounts: RateLimiter;
  readonly #clients: RateLimiter;

  constructor(clock: Clock) {
    const options = { clock, windowSeconds: WINDOW_SECONDS, capacity: CAPACITY };
    this.#accounts = new RateLimiter(options);
    this.#clients = new RateLimiter(options);
  }

  /**
   * Counts an attempt as a failed one from its beginning, so that many at once cannot pass together.
   * Whether there is such an account makes no difference. Calling what it returns takes the count back,
   * for an attempt that succeeded. Throws RATE_LIMITED.
   */
  begin(client: string, username: string): () => void {
    const account = username.toLowerCase();
    this.#take(this.#clients, client, PER_CLIENT);
    this.#take(this.#accounts, account, PER_ACCOUNT);
    return () => {
      this.#clients.giveBack(client);
      this.#accounts.giveBack(account);
    };
  }

  #take(limiter: RateLimiter, bucket: string, limit: number): void {
    const { allowed, resetSeconds } = limiter.take(bucket, limit);
    if (allowed) return;
    throw rateLimited(`Too many wrong passwords. Try again in ${resetSeconds} s.`, resetSeconds);
  }
}
