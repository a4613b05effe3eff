import { CofferError, invalid } from "../../domain/errors.ts";
import { PASSWORD_CHARACTERS } from "../../domain/limits.ts";
import type { PasswordSender } from "../../domain/accounts/sign-in.ts";
import { hashPasswordSender, KNOWN_CLIENT_TOUCH_MS, KNOWN_CLIENTS } from "../../domain/accounts/sign-in.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

export interface PasswordCost {
  /** KiB. */
  readonly memoryCost: number;
  /** Passes over it. */
  readonly timeCost: number;
}

/** OWASP's password storage cheat sheet recommends at least 19 MiB and two passes. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 65_536, timeCost: 2 };

/** The rest of a hash that belongs to no known password. */
const DUMMY = "p=1$3C/wuB5tUqxULQZTNg5XqQI2WH4mDks2fzdGoMWkSb4$jwx4lseONbRhXu6PcWC4LHsCBqXCP256FoyvTALLnC0";

const MAX_WAITING = 64;
/** How long they may wait, in milliseconds: a connection that is idle for longer is closed without a response. */
const MAX_WAIT_MS = 20_000;

/** Hashes one password at a time: each takes 64 MiB and one of the few threads for files. Throws RATE_LIMITED. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #dummyHash: string;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(parts: { readonly passwordCost?: PasswordCost | undefined }) {
    this.#cost = parts.passwordCost ?? PASSWORD_COST;
    const { memoryCost, timeCost } = this.#cost;
    // It costs the same to verify as the others.
    this.#dummyHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},${DUMMY}`;
  }

  /** The hash to store of a password. Throws VALIDATION_ERROR if it is too short or too long. */
  async hash(
    password: string,
    { least, most }: Readonly<Record<"least" | "most", number>> = PASSWORD_CHARACTERS,
  ): Promise<string> {
    if (password.length < least || password.length > most) {
      throw invalid("password", `must have ${least} to ${most} characters`);
    }
    return this.#inTurn(() => Bun.password.hash(password, { algorithm: "argon2id", ...this.#cost }));
  }

  /** Whether `hash` belongs to this password. Without a hash it is false, after the same time. */
  async matches(password: string, hash: string | null): Promise<boolean> {
    // The runtime throws for an empty password.
    const given = password === "" ? "\0" : password;
    const matches = await this.#inTurn(() => Bun.password.verify(given, hash ?? this.#dummyHash));
    return matches && hash !== null;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) throw busy();
    this.#waiting += 1;
    const until = performance.now() + MAX_WAIT_MS;
    const turn = this.#last.then(() => {
      if (performance.now() > until) throw busy();
      return work();
    });
    const result = turn.finally(() => (this.#waiting -= 1));
    this.#last = result.catch(() => {});
    return result;
  }
}

function busy(): CofferError {
  return new CofferError("RATE_LIMITED", "Too many passwords are being checked. Try again in a moment.");
}

/** Clients that have sent an account's correct password before. Guesses by other clients do not block them. */
export class KnownClients extends Service<
  Pick<Parts, "tables" | "clock"> & {
    /** Of this data directory. */
    secret: Uint8Array;
    most?: number;
  }
> {
  has(sender: PasswordSender): boolean {
    const { tables, secret } = this.parts;
    return tables.knownClients.usedAt(hashPasswordSender(secret, sender)) !== null;
  }

  /** Remembers a client that has sent the correct password. Mostly there is nothing to write. */
  async remember(sender: PasswordSender): Promise<void> {
    const { tables, clock, secret, most = KNOWN_CLIENTS } = this.parts;
    const hash = hashPasswordSender(secret, sender);
    const now = clock.now();
    const usedAt = tables.knownClients.usedAt(hash);
    if (usedAt !== null && now - usedAt < KNOWN_CLIENT_TOUCH_MS) return;
    await tables.writeFromReserve(() => {
      tables.knownClients.put(hash, now);
      if (usedAt === null) tables.knownClients.trim(most);
    });
  }
}
