import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { hashSecret } from "../domain/api-key.ts";
import { type Caller, type Plan, requireSession } from "../domain/caller.ts";
import { CofferError, invalid } from "../domain/errors.ts";
import { newId, type UserId } from "../domain/id.ts";
import { type AdminBy, parseUsername, type User } from "../domain/user.ts";
import type { Access } from "./access.ts";
import type { Passwords } from "./passwords.ts";

/** What an account is made of, beside what is the same for all. */
export interface UserDraft {
  readonly username: string;
  readonly email: string | null;
  readonly displayName: string | null;
  /** Null for one who signs in elsewhere. */
  readonly passwordHash: string | null;
}

/** A change of one's own password. */
export interface PasswordChange {
  readonly current: string;
  readonly password: string;
  /** Of the session that asks: the only one that goes on. */
  readonly token: string;
}

/** Accounts: their making, and what may change about them. */
export class Users {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #passwords: Passwords;

  constructor(parts: { tables: Tables; access: Access; clock: Clock; passwords: Passwords }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#clock = parts.clock;
    this.#passwords = parts.passwords;
  }

  /**
   * Makes a local account for whoever runs the server, an administrator where there is none yet. Throws
   * VALIDATION_ERROR, CONFLICT when the name is taken.
   */
  async create(username: string, password: string, within?: Within<User>): Promise<User> {
    const draft = await this.draft(username, password);
    return this.#tables.write(() => this.add(draft, this.#tables.users.hasAdmin() ? null : "setup"), within);
  }

  /** What a local account is made of. Throws VALIDATION_ERROR. */
  async draft(name: string, password: string): Promise<UserDraft> {
    const username = parseUsername("username", name);
    return { username, email: null, displayName: null, passwordHash: await this.#passwords.hash(password) };
  }

  /**
   * Makes an account, an administrator's on the plan `team`, others on `free`. Throws CONFLICT when the name
   * is taken. Inside a write.
   */
  add(draft: UserDraft, admin: AdminBy | null): User {
    const { users } = this.#tables;
    if (users.byUsername(draft.username) !== null) {
      throw new CofferError("CONFLICT", `The username "${draft.username}" is taken.`);
    }
    const now = this.#clock.now();
    const plan = admin === null ? "free" : "team";
    users.insert({ ...draft, id: newId<UserId>(now), plan, admin, createdAt: now });
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

  /**
   * Gives the caller another password and ends their other sessions.
   *
   * @throws CofferError FORBIDDEN for a key and for an account that has no password, VALIDATION_ERROR for
   *   a wrong `current` and a bad `password`
   */
  async changePassword(
    caller: Caller,
    { current, password, token }: PasswordChange,
    within?: Within<void>,
  ): Promise<void> {
    const { userPk } = requireSession(caller);
    const { users, sessions } = this.#tables;
    const before = users.passwordHash(userPk);
    if (before === null) {
      throw new CofferError("FORBIDDEN", "This account has no password: it signs in at its provider.");
    }
    if (!(await this.#passwords.matches(current, before))) throw wrongCurrent();
    const after = await this.#passwords.hash(password);
    return this.#access.writeFromReserve(caller, within, () => {
      // It may have been changed while this one was being verified.
      if (users.passwordHash(userPk) !== before) throw wrongCurrent();
      users.setPasswordHash(userPk, after);
      sessions.removeOthersOf(userPk, hashSecret(token));
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

function wrongCurrent(): CofferError {
  return invalid("current", "is wrong");
}
