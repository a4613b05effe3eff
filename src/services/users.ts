import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { Plan } from "../domain/caller.ts";
import { CofferError } from "../domain/errors.ts";
import { newId, type UserId } from "../domain/id.ts";
import { parseUsername, type User } from "../domain/user.ts";
import type { Passwords } from "./passwords.ts";

/** What an account is made of, beside what is the same for all. */
export interface UserDraft {
  readonly username: string;
  readonly email: string | null;
  readonly displayName: string | null;
  /** Null for one who signs in elsewhere. */
  readonly passwordHash: string | null;
}

/** Accounts: their making, and what the operator may change about them from the shell. */
export class Users {
  readonly #tables: Tables;
  readonly #clock: Clock;
  readonly #passwords: Passwords;

  constructor(parts: { tables: Tables; clock: Clock; passwords: Passwords }) {
    this.#tables = parts.tables;
    this.#clock = parts.clock;
    this.#passwords = parts.passwords;
  }

  /** Makes a local account. Throws VALIDATION_ERROR, CONFLICT when the name is taken. */
  async create(username: string, password: string): Promise<User> {
    const draft = await this.draft(username, password);
    return this.#tables.write(() => this.add(draft));
  }

  /** What a local account is made of. Throws VALIDATION_ERROR. */
  async draft(name: string, password: string): Promise<UserDraft> {
    const username = parseUsername("username", name);
    return { username, email: null, displayName: null, passwordHash: await this.#passwords.hash(password) };
  }

  /**
   * Makes an account, the first on the plan `team`, the others on `free`. Throws CONFLICT when the name
   * is taken. Inside a write.
   */
  add(draft: UserDraft): User {
    const { users } = this.#tables;
    if (users.byUsername(draft.username) !== null) {
      throw new CofferError("CONFLICT", `The username "${draft.username}" is taken.`);
    }
    const now = this.#clock.now();
    const plan = users.count() === 0 ? "team" : "free";
    users.insert({ ...draft, id: newId<UserId>(now), plan, createdAt: now });
    return this.#named(draft.username);
  }

  /** Every account, by username. */
  list(): User[] {
    return this.#tables.users.all();
  }

  /** Sets a password and ends every session of the account. Throws VALIDATION_ERROR, NOT_FOUND. */
  async resetPassword(username: string, password: string): Promise<User> {
    this.#named(username);
    const hash = await this.#passwords.hash(password);
    return this.#tables.write(() => {
      const user = this.#named(username);
      this.#tables.users.setPasswordHash(user.pk, hash);
      this.#tables.sessions.removeAllOf(user.pk);
      return user;
    });
  }

  /** Counts from the next request on, of sessions and keys alike. Throws NOT_FOUND. */
  setPlan(username: string, plan: Plan): Promise<User> {
    return this.#tables.write(() => {
      const { pk } = this.#named(username);
      this.#tables.users.setPlan(pk, plan);
      return this.#named(username);
    });
  }

  #named(username: string): User {
    const user = this.#tables.users.byUsername(username);
    if (user === null) throw new CofferError("NOT_FOUND", `There is no user "${username}".`);
    return user;
  }
}
