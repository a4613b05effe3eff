import type { Clock } from "../../process/clock.ts";
import type { PasswordSender } from "../../domain/accounts/sign-in.ts";
import { Recent } from "../../domain/recent.ts";
import { HOUR_MS } from "../../domain/time.ts";
import type { KnownClients } from "../../services/accounts/passwords.ts";
import { rateLimited } from "../gate/errors.ts";
import { RateLimiter } from "../gate/gate.ts";

const MINUTE_MS = 60_000;

/** How many wrong guesses cost no wait, and how long the next ones must wait. */
interface GuessLimits {
  readonly free: number;
  /** In milliseconds: at first, then twice as long after each wrong one, up to `mostMs`. */
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Of one client at one thing. Others who guess at it do not wait for that. */
export const OWN_GUESSES: GuessLimits = { free: 5, firstMs: 5000, mostMs: 15 * MINUTE_MS };
/** Of one client, at all things. */
export const CLIENT_GUESSES: GuessLimits = { ...OWN_GUESSES, free: 20 };
/** Of all clients at one thing: some hundred a day. Whoever knows the password waits two minutes at most. */
export const ALL_GUESSES: GuessLimits = { free: 30, firstMs: 2 * MINUTE_MS, mostMs: 2 * MINUTE_MS };

/** How long a wrong password of an account counts. */
export const WINDOW_SECONDS = 15 * 60;
/** Wrong passwords for one account in a window, from one client that has never signed in to it. */
export const PER_ACCOUNT = 10;
/** The same from one client, for any account. */
export const PER_CLIENT = 50;
/** The same for one account, from all such clients together, who wait then: the account's owner may be one of them. */
export const FROM_STRANGERS: GuessLimits = { free: 50, firstMs: 30_000, mostMs: 30_000 };

const WRONG_PASSWORDS = "Too many wrong passwords. Try again in {seconds} s.";

/** Limits the memory, also of who has guessed right. */
const CAPACITY = 100_000;

/** The wrong guesses of one kind of bucket. They are forgotten an hour after the last one. */
class Guesses {
  readonly #clock: Clock;
  readonly #limits: GuessLimits;
  /** How many there were, and when the last one began. */
  readonly #wrong = new Recent<string, { readonly count: number; readonly at: number }>(CAPACITY);

  constructor(clock: Clock, limits: GuessLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Milliseconds until the next guess. */
  waitOf(bucket: string): number {
    const { free, firstMs, mostMs } = this.#limits;
    const { count, at } = this.#wrongOf(bucket);
    if (count < free) return 0;
    const wait = Math.min(firstMs * 2 ** (count - free), mostMs);
    return Math.max(0, at + wait - this.#clock.now());
  }

  add(bucket: string): void {
    const count = this.#wrongOf(bucket).count + 1;
    this.#wrong.set(bucket, { count, at: this.#clock.now() });
  }

  /** A guess that was right does not count. Those before it do: they may be somebody else's. */
  takeBack(bucket: string): void {
    const { count, at } = this.#wrongOf(bucket);
    if (count > 1) this.#wrong.set(bucket, { count: count - 1, at });
    else this.#wrong.delete(bucket);
  }

  /** What is left; one in the future is from before the clock was set back. */
  #wrongOf(bucket: string) {
    const now = this.#clock.now();
    const wrong = this.#wrong.get(bucket);
    const isKnown = wrong !== undefined && wrong.at <= now && now < wrong.at + HOUR_MS;
    return isKnown ? wrong : { count: 0, at: now };
  }
}

/** Makes those wait who guess passwords of things that have no owner with a known client: the more guesses, the longer. */
export class GuessThrottle {
  readonly #own: Guesses;
  readonly #clients: Guesses;
  readonly #all: Guesses;
  /** Clients that have guessed right: others who guess do not keep them out. */
  readonly #known = new Recent<string, true>(CAPACITY);

  constructor(clock: Clock) {
    this.#own = new Guesses(clock, OWN_GUESSES);
    this.#clients = new Guesses(clock, CLIENT_GUESSES);
    this.#all = new Guesses(clock, ALL_GUESSES);
  }

  /** See `guess`. Throws RATE_LIMITED, and errors of the guess. @param client the address, as the rate limit counts it */
  async attempt<T>(
    { thing, client }: { readonly thing: string; readonly client: string },
    verify: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    const own = `${client} ${thing}`;
    const counts: [Guesses, string][] = [
      [this.#own, own],
      [this.#clients, client],
    ];
    if (this.#known.get(own) === undefined) counts.push([this.#all, thing]);
    const waitMs = Math.max(...counts.map(([guesses, bucket]) => guesses.waitOf(bucket)));
    if (waitMs > 0) throw tooManyWrong(waitMs);
    for (const [guesses, bucket] of counts) guesses.add(bucket);
    const takeBack = () => {
      for (const [guesses, bucket] of counts) guesses.takeBack(bucket);
    };
    const verifyOwn = async () => {
      const result = await verify();
      this.#known.set(own, true);
      return result;
    };
    return guess(verifyOwn, isWrong, takeBack);
  }
}

/** Allows a few wrong passwords for accounts, then blocks sign-in until the window ends. */
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
   * See `guess`. Unknown accounts count the same. From a client that has sent the account's correct password before,
   * even before a restart, it counts only for the client: others cannot lock the owner out. From elsewhere the owner
   * may have to wait for a moment. Throws RATE_LIMITED, and errors of the attempt.
   */
  async attempt<T>(
    { client, account }: Pick<PasswordSender, "client" | "account">,
    verify: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    const sender = { purpose: this.#purpose, client, account };
    const isStrange = !this.#known.has(sender);
    const own = `${client} ${account}`;
    const waitMs = isStrange ? this.#strangers.waitOf(account) : 0;
    if (waitMs > 0) throw tooManyWrong(waitMs);
    this.#clients.require(client, PER_CLIENT, WRONG_PASSWORDS);
    if (isStrange) {
      this.#accounts.require(own, PER_ACCOUNT, WRONG_PASSWORDS);
      this.#strangers.add(account);
    }
    const takeBack = () => {
      this.#clients.refund(client);
      if (!isStrange) return;
      this.#accounts.refund(own);
      this.#strangers.takeBack(account);
    };
    const verifySender = async () => {
      const result = await verify();
      await this.#known.remember(sender);
      return result;
    };
    return guess(verifySender, isWrong, takeBack);
  }
}

/** Makes a guess that was counted as wrong from its start, so that parallel ones cannot exceed a limit together. */
async function guess<T>(
  verify: () => Promise<T>,
  isWrong: (error: unknown) => boolean,
  takeBack: () => void,
): Promise<T> {
  try {
    const result = await verify();
    takeBack();
    return result;
  } catch (error) {
    if (!isWrong(error)) takeBack();
    throw error;
  }
}

/** 429 for who must wait so many milliseconds. */
function tooManyWrong(waitMs: number) {
  const seconds = Math.ceil(waitMs / 1000);
  return rateLimited(WRONG_PASSWORDS.replace("{seconds}", String(seconds)), seconds);
}
