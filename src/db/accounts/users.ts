import type { Language } from "../../domain/accounts/language.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import type { UserId, UserPk } from "../../domain/id.ts";
import { type AdminBy, numberedUsername, type User } from "../../domain/accounts/user.ts";
import type { Database } from "../engine/database.ts";

type NewUser = Omit<User, "pk" | "disabledAt" | "language"> & {
  /** From `Bun.password`; null for accounts that sign in at a provider. */
  readonly passwordHash: string | null;
};

const COLUMNS = `pk, id, username, email, display_name AS displayName, plan, admin, created_at AS createdAt,
  disabled_at AS disabledAt, language`;

/** Users, disabled ones included; deleted ones only by their row. */
export function users({ sql }: Database) {
  const isTaken = sql.has<[username: string]>("SELECT 1 FROM user WHERE username = ?");
  return {
    byPk: sql.get<User, [pk: UserPk]>(`SELECT ${COLUMNS} FROM user WHERE pk = ?`),
    /** The user of a row or a caller. It exists: the rows of deleted users stay. */
    existing: sql.one<User, [pk: UserPk]>(`SELECT ${COLUMNS} FROM user WHERE pk = ?`),
    byId: sql.get<User, [id: UserId]>(`SELECT ${COLUMNS} FROM user WHERE id = ? AND deleted_at IS NULL`),
    byUsername: sql.get<User, [username: string]>(
      `SELECT ${COLUMNS} FROM user WHERE username = ? AND deleted_at IS NULL`,
    ),
    /** Whether somebody has the username, or had it and is deleted. */
    isTaken,
    hasAny: sql.has<[]>("SELECT 1 FROM user LIMIT 1"),
    hasAdmin: sql.has<[]>(
      "SELECT 1 FROM user WHERE admin IN ('setup', 'listed') AND disabled_at IS NULL LIMIT 1",
    ),
    /** The administrators that the configuration listed when it was last applied. */
    listedAdmins: sql.values<UserPk, []>("SELECT pk FROM user WHERE admin = 'listed'"),
    all: sql.all<User, []>(`SELECT ${COLUMNS} FROM user WHERE deleted_at IS NULL ORDER BY username`),
    /** Null for a user without a password. */
    passwordHash: sql.value<string, [pk: UserPk]>("SELECT password_hash FROM user WHERE pk = ?"),
    /** The first of `username`, `username-2`, `username-3` ... that is free. Inside a write. */
    freeUsername: (username: string) => {
      let candidate = username;
      for (let n = 2; isTaken(candidate); n += 1) candidate = numberedUsername(username, n);
      return candidate;
    },
    insert: sql.write<[NewUser]>(
      `INSERT INTO user (id, username, email, display_name, plan, admin, password_hash, created_at)
       VALUES (:id, :username, :email, :displayName, :plan, :admin, :passwordHash, :createdAt)`,
    ),
    setPasswordHash: sql.write<[pk: UserPk, hash: string]>(
      "UPDATE user SET password_hash = ?2 WHERE pk = ?1",
    ),
    setLanguage: sql.write<[pk: UserPk, language: Language | null]>(
      "UPDATE user SET language = ?2 WHERE pk = ?1",
    ),
    setPlan: sql.write<[pk: UserPk, plan: Plan]>("UPDATE user SET plan = ?2 WHERE pk = ?1"),
    setAdmin: sql.write<[pk: UserPk, admin: AdminBy | null]>("UPDATE user SET admin = ?2 WHERE pk = ?1"),
    setDisabledAt: sql.write<[pk: UserPk, at: number | null]>(
      "UPDATE user SET disabled_at = ?2 WHERE pk = ?1",
    ),
    /** Forgets who a user was, but for the name. The user is disabled, and has nothing any more. */
    markDeleted: sql.write<[pk: UserPk, at: number]>(
      `UPDATE user SET deleted_at = ?2, password_hash = NULL, email = NULL, display_name = NULL, language = NULL
        WHERE pk = ?1`,
    ),
    setProfile: sql.write<[pk: UserPk, email: string | null, displayName: string | null]>(
      "UPDATE user SET email = ?2, display_name = ?3 WHERE pk = ?1",
    ),
  };
}

export function identities({ sql }: Database) {
  return {
    find: sql.value<UserPk, [issuer: string, subject: string]>(
      "SELECT user FROM identity WHERE issuer = ? AND subject = ?",
    ),
    removeOf: sql.write<[user: UserPk]>("DELETE FROM identity WHERE user = ?"),
    insert: sql.write<[issuer: string, subject: string, user: UserPk, now: number]>(
      "INSERT INTO identity (issuer, subject, user, created_at) VALUES (?, ?, ?, ?)",
    ),
  };
}
