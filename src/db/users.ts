import type { Plan } from "../domain/caller.ts";
import type { UserId, UserPk } from "../domain/id.ts";
import type { User } from "../domain/user.ts";
import type { Database } from "./database.ts";
import type { Parameters } from "./parameters.ts";

export interface NewUser {
  readonly id: UserId;
  readonly username: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly plan: Plan;
  /** As `Bun.password` makes it; null for accounts that sign in elsewhere. */
  readonly passwordHash: string | null;
  readonly createdAt: number;
}

const COLUMNS = `pk, id, username, email, display_name AS displayName, plan, created_at AS createdAt`;

export class Users {
  readonly #insert;
  readonly #byPk;
  readonly #byUsername;
  readonly #count;

  constructor({ sql }: Database) {
    this.#insert = sql.prepare<never, [Parameters<NewUser>]>(
      `INSERT INTO user (id, username, email, display_name, plan, password_hash, created_at)
       VALUES (:id, :username, :email, :displayName, :plan, :passwordHash, :createdAt)`,
    );
    this.#byPk = sql.prepare<User, [UserPk]>(`SELECT ${COLUMNS} FROM user WHERE pk = ?`);
    this.#byUsername = sql.prepare<User, [string]>(`SELECT ${COLUMNS} FROM user WHERE username = ?`);
    this.#count = sql.prepare<{ users: number }, []>("SELECT count(*) AS users FROM user");
  }

  byPk(pk: UserPk): User | null {
    return this.#byPk.get(pk);
  }

  byUsername(username: string): User | null {
    return this.#byUsername.get(username);
  }

  count(): number {
    return this.#count.get()?.users ?? 0;
  }

  /** Inside a write. */
  insert(user: NewUser): void {
    this.#insert.run({ ...user });
  }
}
