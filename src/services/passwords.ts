import { CofferError, invalid } from "../domain/errors.ts";
import { PASSWORD_CHARACTERS } from "../domain/limits.ts";

/** OWASP's password storage cheat sheet asks for at least 19 MiB and two passes. Memory in KiB. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;

/** The hash of a random password that nobody kept, of the same cost as the others. */
const NOBODYS =
  "$argon2id$v=19$m=65536,t=2,p=1$3C/wuB5tUqxULQZTNg5XqQI2WH4mDks2fzdGoMWkSb4$jwx4lseONbRhXu6PcWC4LHsCBqXCP256FoyvTALLnC0";

/** How many may wait. */
const MAX_WAITING = 64;
/** For how long they may, in milliseconds: a connection that idles for longer is cut without an answer. */
const MAX_WAIT_MS = 20_000;

/**
 * Hashes passwords, one at a time: each takes 64 MiB and one of the few threads that files are read and
 * written by, so a flood of sign-ins waits for itself and not the rest for it. Both methods throw
 * RATE_LIMITED while too many wait, and after too long a wait, as on a slow machine.
 */
export class Passwords {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** What may be kept of a password. Throws VALIDATION_ERROR for one that is too short or too long. */
  async hash(password: string): Promise<string> {
    const { least, most } = PASSWORD_CHARACTERS;
    if (password.length < least || password.length > most) {
      throw invalid("password", `must have ${least} to ${most} characters`);
    }
    return this.#inTurn(() => Bun.password.hash(password, ARGON2));
  }

  /** Whether `hash` is of this password. Without a hash it never is, and finding that out takes as long. */
  async matches(password: string, hash: string | null): Promise<boolean> {
    // The runtime throws for an empty password instead of saying that it does not match.
    const given = password === "" ? "\0" : password;
    const matches = await this.#inTurn(() => Bun.password.verify(given, hash ?? NOBODYS));
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
  return new CofferError("RATE_LIMITED", "Too many people are signing in. Try again in a moment.");
}
