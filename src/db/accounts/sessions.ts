import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { Plan } from "../../domain/accounts/plan.ts";
import type { SessionId, UserId, UserPk } from "../../domain/id.ts";
import type { Session } from "../../domain/accounts/session.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** A session to be stored; times are milliseconds since the epoch. */
export interface NewSession {
  readonly id: SessionId;
  readonly hash: SecretHash;
  readonly user: UserPk;
  readonly userAgent: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A session and its user. */
export interface SessionHolder {
  readonly id: SessionId;
  readonly lastUsedAt: number;
  readonly userPk: UserPk;
  readonly userId: UserId;
  readonly plan: Plan;
}

/** Sessions. Readers never see expired ones and those of disabled users. */
export class SessionsTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      holder: sql.prepare<SessionHolder, [SecretHash, number]>(
        `SELECT s.id, s.last_used_at AS lastUsedAt, u.pk AS userPk, u.id AS userId, u.plan
         FROM session s JOIN user u ON u.pk = s.user
        WHERE s.hash = ? AND s.expires_at > ? AND u.disabled_at IS NULL`,
      ),
      isValid: sql.prepare<object, [SessionId, number]>(
        `SELECT 1 FROM session s JOIN user u ON u.pk = s.user
        WHERE s.id = ? AND s.expires_at > ? AND u.disabled_at IS NULL`,
      ),
      ofUser: sql.prepare<Session, [UserPk, number]>(
        `SELECT id, user_agent AS userAgent, created_at AS createdAt, last_used_at AS lastUsedAt
         FROM session WHERE user = ? AND expires_at > ? ORDER BY created_at, pk`,
      ),
      insert: sql.prepare<never, [Parameters<NewSession>]>(
        `INSERT INTO session (id, hash, user, user_agent, created_at, last_used_at, expires_at)
       VALUES (:id, :hash, :user, :userAgent, :createdAt, :createdAt, :expiresAt)`,
      ),
      touch: sql.prepare<never, [{ id: SessionId; at: number; expiresAt: number }]>(
        `UPDATE session SET last_used_at = max(last_used_at, :at), expires_at = max(expires_at, :expiresAt)
        WHERE id = :id`,
      ),
      removeByHash: sql.prepare<never, [SecretHash]>("DELETE FROM session WHERE hash = ?"),
      removeOne: sql.prepare<never, [SessionId, UserPk]>("DELETE FROM session WHERE id = ? AND user = ?"),
      removeAllOf: sql.prepare<never, [UserPk]>("DELETE FROM session WHERE user = ?"),
      removeOthersOf: sql.prepare<never, [UserPk, SecretHash]>(
        "DELETE FROM session WHERE user = ? AND hash <> ?",
      ),
      removeOldest: sql.prepare<never, [UserPk, SessionId, number]>(
        `DELETE FROM session WHERE pk IN
         (SELECT pk FROM session WHERE user = ? AND id <> ? ORDER BY created_at DESC, pk DESC LIMIT 200 OFFSET ?)`,
      ),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM session WHERE pk IN
         (SELECT pk FROM session WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
    };
  }

  /** The session whose token has this hash; null if there is none. */
  holder(hash: SecretHash, now: number): SessionHolder | null {
    return this.#sql.holder.get(hash, now);
  }

  /** Whether a session is still valid, as for `holder`. */
  isValid(id: SessionId, now: number): boolean {
    return this.#sql.isValid.get(id, now) !== null;
  }

  /** A user's sessions, oldest first. */
  ofUser(user: UserPk, now: number): Session[] {
    return this.#sql.ofUser.all(user, now);
  }

  /** Inside a write. */
  insert(session: NewSession): void {
    this.#sql.insert.run({ ...session });
  }

  /** Stores a use and the new expiry; does nothing if the session has ended. Inside a write. */
  touch(id: SessionId, at: number, expiresAt: number): void {
    this.#sql.touch.run({ id, at, expiresAt });
  }

  /** Inside a write. */
  removeByHash(hash: SecretHash): void {
    this.#sql.removeByHash.run(hash);
  }

  /** Returns whether the user had it. Inside a write. */
  removeOne(id: SessionId, user: UserPk): boolean {
    return this.#sql.removeOne.run(id, user).changes > 0;
  }

  /** Returns how many there were. Inside a write. */
  removeAllOf(user: UserPk): number {
    return this.#sql.removeAllOf.run(user).changes;
  }

  /** Removes all of a user's except the one with this hash. Inside a write. */
  removeOthersOf(user: UserPk, kept: SecretHash): void {
    this.#sql.removeOthersOf.run(user, kept);
  }

  /**
   * Removes some of a user's oldest if there are more than `kept`, but not `newest`: it looks old if the clock was set
   * back. Inside a write.
   */
  removeOldest(user: UserPk, newest: SessionId, kept: number): void {
    this.#sql.removeOldest.run(user, newest, kept - 1);
  }

  /** Removes up to `limit` that have expired. Returns how many. Inside a write. */
  removeExpired(now: number, limit: number): number {
    return this.#sql.removeExpired.run(now, limit).changes;
  }
}
