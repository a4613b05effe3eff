import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { SessionCaller } from "../../domain/accounts/caller.ts";
import type { SessionId, UserPk } from "../../domain/id.ts";
import type { KnownClientHash, Session } from "../../domain/accounts/sign-in.ts";
import type { Database } from "../engine/database.ts";

/** A session to be stored; times are milliseconds since the epoch. */
type NewSession = Omit<Session, "lastUsedAt"> & {
  readonly hash: SecretHash;
  readonly user: UserPk;
  readonly expiresAt: number;
};

type SessionHolder = Pick<Session, "id" | "lastUsedAt"> & Pick<SessionCaller, "userPk" | "userId" | "plan">;

/** Sessions. Readers never see expired ones and those of disabled users. */
export function sessions({ sql }: Database) {
  return {
    holder: sql.get<SessionHolder, [hash: SecretHash, now: number]>(
      `SELECT s.id, s.last_used_at AS lastUsedAt, u.pk AS userPk, u.id AS userId, u.plan
         FROM session s JOIN user u ON u.pk = s.user
        WHERE s.hash = ? AND s.expires_at > ? AND u.disabled_at IS NULL`,
    ),
    /** Whether a session is still valid, as for `holder`. */
    isValid: sql.has<[id: SessionId, now: number]>(
      `SELECT 1 FROM session s JOIN user u ON u.pk = s.user
        WHERE s.id = ? AND s.expires_at > ? AND u.disabled_at IS NULL`,
    ),
    ofUser: sql.all<Session, [user: UserPk, now: number]>(
      `SELECT id, user_agent AS userAgent, created_at AS createdAt, last_used_at AS lastUsedAt
         FROM session WHERE user = ? AND expires_at > ? ORDER BY created_at, pk`,
    ),
    /** How many there are, at most `most`. */
    count: sql.number<[now: number, most: number]>(
      "SELECT count(*) FROM (SELECT 1 FROM session WHERE expires_at > ? LIMIT ?) page",
    ),
    insert: sql.write<[NewSession]>(
      `INSERT INTO session (id, hash, user, user_agent, created_at, last_used_at, expires_at)
       VALUES (:id, :hash, :user, :userAgent, :createdAt, :createdAt, :expiresAt)`,
    ),
    /** Stores a use and the new expiry; does nothing if the session has ended. */
    touch: sql.write<[id: SessionId, usedAt: number, expiresAt: number]>(
      "UPDATE session SET last_used_at = max(last_used_at, ?2), expires_at = max(expires_at, ?3) WHERE id = ?1",
    ),
    removeByHash: sql.write<[hash: SecretHash]>("DELETE FROM session WHERE hash = ?"),
    /** Returns whether the user had it. */
    removeOne: sql.writeAny<[id: SessionId, user: UserPk]>("DELETE FROM session WHERE id = ? AND user = ?"),
    removeAllOf: sql.write<[user: UserPk]>("DELETE FROM session WHERE user = ?"),
    removeOthersOf: sql.write<[user: UserPk, kept: SecretHash]>(
      "DELETE FROM session WHERE user = ? AND hash <> ?",
    ),
    /** Removes some of a user's oldest above `kept`, not `newest`: it looks old if the clock was set back. */
    removeOldest: sql.write<[user: UserPk, newest: SessionId, kept: number]>(
      `DELETE FROM session WHERE pk IN
         (SELECT pk FROM session WHERE user = ? AND id <> ? ORDER BY created_at DESC, pk DESC LIMIT 200 OFFSET ? - 1)`,
    ),
    removeExpired: sql.removeSome<[now: number]>("session", "expires_at <= ? ORDER BY expires_at"),
  };
}

/** Clients that have sent an account's correct password; times are milliseconds since the epoch. */
export function knownClients({ sql }: Database) {
  const count = sql.number<[]>("SELECT count(*) AS clients FROM known_client");
  const removeOldest = sql.write<[limit: number]>(
    "DELETE FROM known_client WHERE hash IN (SELECT hash FROM known_client ORDER BY used_at LIMIT ?)",
  );
  return {
    usedAt: sql.value<number, [hash: KnownClientHash]>("SELECT used_at FROM known_client WHERE hash = ?"),
    put: sql.write<[hash: KnownClientHash, now: number]>(
      `INSERT INTO known_client (hash, used_at) VALUES (?, ?)
       ON CONFLICT (hash) DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
    ),
    /** Keeps the `most` most recently used. Inside a write. */
    trim: (most: number) => {
      const surplus = count() - most;
      if (surplus > 0) removeOldest(surplus);
    },
    removeUnused: sql.removeSome<[before: number]>("known_client", "used_at <= ? ORDER BY used_at", "hash"),
  };
}
