import type { Plan } from "../../domain/accounts/plan.ts";
import type { UserId, UserPk } from "../../domain/id.ts";
import { type AdminBy, numberedUsername, type User } from "../../domain/accounts/user.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** A new user. Times are milliseconds since the epoch. */
export interface NewUser {
  readonly id: UserId;
  readonly username: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly plan: Plan;
  readonly admin: AdminBy | null;
  /** From `Bun.password`; null for accounts that sign in at a provider. */
  readonly passwordHash: string | null;
  readonly createdAt: number;
}

const COLUMNS = `pk, id, username, email, display_name AS displayName, plan, admin, created_at AS createdAt,
  disabled_at AS disabledAt`;

/** Users, disabled ones included. */
export class UsersTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      insert: sql.prepare<never, [Parameters<NewUser>]>(
        `INSERT INTO user (id, username, email, display_name, plan, admin, password_hash, created_at)
       VALUES (:id, :username, :email, :displayName, :plan, :admin, :passwordHash, :createdAt)`,
      ),
      byPk: sql.prepare<User, [UserPk]>(`SELECT ${COLUMNS} FROM user WHERE pk = ?`),
      byId: sql.prepare<User, [UserId]>(`SELECT ${COLUMNS} FROM user WHERE id = ?`),
      byUsername: sql.prepare<User, [string]>(`SELECT ${COLUMNS} FROM user WHERE username = ?`),
      hasAny: sql.prepare<object, []>("SELECT 1 FROM user LIMIT 1"),
      hasAdmin: sql.prepare<object, []>(
        "SELECT 1 FROM user WHERE admin IN ('setup', 'listed') AND disabled_at IS NULL LIMIT 1",
      ),
      listedAdmins: sql.prepare<{ pk: UserPk }, []>("SELECT pk FROM user WHERE admin = 'listed'"),
      all: sql.prepare<User, []>(`SELECT ${COLUMNS} FROM user ORDER BY username`),
      taken: sql.prepare<object, [string]>("SELECT 1 FROM user WHERE username = ?"),
      passwordHash: sql.prepare<{ hash: string | null }, [UserPk]>(
        "SELECT password_hash AS hash FROM user WHERE pk = ?",
      ),
      setPasswordHash: sql.prepare<never, [string, UserPk]>("UPDATE user SET password_hash = ? WHERE pk = ?"),
      setPlan: sql.prepare<never, [Plan, UserPk]>("UPDATE user SET plan = ? WHERE pk = ?"),
      setAdmin: sql.prepare<never, [AdminBy | null, UserPk]>("UPDATE user SET admin = ? WHERE pk = ?"),
      setDisabledAt: sql.prepare<never, [number | null, UserPk]>(
        "UPDATE user SET disabled_at = ? WHERE pk = ?",
      ),
      setProfile: sql.prepare<never, [string | null, string | null, UserPk]>(
        "UPDATE user SET email = ?, display_name = ? WHERE pk = ?",
      ),
    };
  }

  byPk(pk: UserPk): User | null {
    return this.#sql.byPk.get(pk);
  }

  /** The user of a row or a caller. It exists, because users are never deleted. */
  existing(pk: UserPk): User {
    const user = this.byPk(pk);
    if (user === null) throw new Error(`user ${pk} is missing`);
    return user;
  }

  byId(id: UserId): User | null {
    return this.#sql.byId.get(id);
  }

  byUsername(username: string): User | null {
    return this.#sql.byUsername.get(username);
  }

  hasAny(): boolean {
    return this.#sql.hasAny.get() !== null;
  }

  hasAdmin(): boolean {
    return this.#sql.hasAdmin.get() !== null;
  }

  /** The administrators that the configuration listed when it was last applied. */
  listedAdmins(): UserPk[] {
    return this.#sql.listedAdmins.all().map(({ pk }) => pk);
  }

  /** Every user, by username. */
  all(): User[] {
    return this.#sql.all.all();
  }

  /** Null for a user without a password. */
  passwordHash(pk: UserPk): string | null {
    return this.#sql.passwordHash.get(pk)?.hash ?? null;
  }

  /** The first of `username`, `username-2`, `username-3` ... that is free. Inside a write. */
  freeUsername(username: string): string {
    let candidate = username;
    for (let n = 2; this.#sql.taken.get(candidate) !== null; n += 1)
      candidate = numberedUsername(username, n);
    return candidate;
  }

  /** Inside a write. */
  insert(user: NewUser): void {
    this.#sql.insert.run({ ...user });
  }

  /** Inside a write. */
  setPasswordHash(pk: UserPk, hash: string): void {
    this.#sql.setPasswordHash.run(hash, pk);
  }

  /** Inside a write. */
  setPlan(pk: UserPk, plan: Plan): void {
    this.#sql.setPlan.run(plan, pk);
  }

  /** Null for an ordinary user. Inside a write. */
  setAdmin(pk: UserPk, admin: AdminBy | null): void {
    this.#sql.setAdmin.run(admin, pk);
  }

  /** Null enables the user. Inside a write. */
  setDisabledAt(pk: UserPk, at: number | null): void {
    this.#sql.setDisabledAt.run(at, pk);
  }

  /** Inside a write. */
  setProfile(pk: UserPk, email: string | null, displayName: string | null): void {
    this.#sql.setProfile.run(email, displayName, pk);
  }
}
