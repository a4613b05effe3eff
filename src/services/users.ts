import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import { CofferError, invalid } from "../domain/errors.ts";
import { newId, type UserId } from "../domain/id.ts";
import { parseUsername, type User } from "../domain/user.ts";

const PASSWORD_CHARACTERS = { least: 8, most: 1024 };

/** Accounts, as the shell makes them. */
export class Users {
  readonly #tables: Tables;
  readonly #clock: Clock;

  constructor(parts: { tables: Tables; clock: Clock }) {
    this.#tables = parts.tables;
    this.#clock = parts.clock;
  }

  /**
   * Makes a local account; the first is on the plan `team`, the others on `free`.
   *
   * @throws CofferError VALIDATION_ERROR, CONFLICT when the name is taken
   */
  async create(name: string, password: string): Promise<User> {
    const username = parseUsername("username", name);
    requirePassword(password);
    const passwordHash = await Bun.password.hash(password);
    return this.#tables.write(() => {
      const { users } = this.#tables;
      if (users.byUsername(username) !== null) {
        throw new CofferError("CONFLICT", `The username "${username}" is taken.`);
      }
      const now = this.#clock.now();
      const plan = users.count() === 0 ? "team" : "free";
      const id = newId<UserId>(now);
      users.insert({ id, username, email: null, displayName: null, plan, passwordHash, createdAt: now });
      const user = users.byUsername(username);
      if (user === null) throw new Error("a user is missing right after its write");
      return user;
    });
  }
}

function requirePassword(password: string): void {
  const { least, most } = PASSWORD_CHARACTERS;
  if (password.length < least || password.length > most) {
    throw invalid("password", `must have ${least} to ${most} characters`);
  }
}
