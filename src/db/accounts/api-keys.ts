import { driveIsAlive, KEY_IS_ALIVE, LISTED_KEY_IS_ALIVE } from "../alive.ts";
import type { ApiKey, SecretHash } from "../../domain/accounts/api-key.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { type FolderPath, ROOT } from "../../domain/files/path.ts";
import type { Plan } from "../../domain/accounts/plan.ts";
import type { Scope } from "../../domain/accounts/scope.ts";
import type { DriveId, DrivePk, KeyId, UserId, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";
import { SnapshotCache } from "../engine/snapshot-cache.ts";

/** A key to be stored; times are milliseconds since the epoch. */
export interface NewApiKey {
  readonly id: KeyId;
  readonly hash: SecretHash;
  readonly prefix: string;
  readonly name: string;
  readonly scope: Scope;
  readonly createdAt: number;
  /** Null for never. */
  readonly expiresAt: number | null;
  /** The key that made it; null if none did. */
  readonly madeBy: KeyId | null;
  /** When its secret stops working, if that is before the key expires: another one replaces it until then. */
  readonly secretExpiresAt?: number;
}

/** The secret that replaces a key's earlier one; see `NewApiKey`. */
export type NewerSecret = Required<
  Pick<NewApiKey, "id" | "hash" | "prefix" | "expiresAt" | "secretExpiresAt">
>;

/** What a key reaches: all drives of a user, or one drive, of which a prefix may be less than all. */
export type KeyReach = { readonly user: UserPk } | { readonly drive: DrivePk; readonly prefix: FolderPath };

interface CallerRow {
  readonly keyId: KeyId;
  readonly scope: Scope;
  readonly userPk: UserPk | null;
  readonly userId: UserId | null;
  readonly drivePk: DrivePk | null;
  readonly driveId: DriveId | null;
  readonly pathPrefix: FolderPath | null;
  readonly ownerId: UserId | null;
  readonly plan: Plan;
  readonly madeBy: KeyId | null;
  readonly isApplication: 0 | 1;
}

const COLUMNS = `k.id, k.prefix, k.name, k.scope, (SELECT d.id FROM drive d WHERE d.pk = k.drive) AS driveId,
                 k.path_prefix AS pathPrefix,
                 k.created_at AS createdAt, k.last_used_at AS lastUsedAt, k.expires_at AS expiresAt,
                 k.made_by AS madeBy,
                 (SELECT g.client_id FROM oauth_grant g WHERE g.key_id = k.id) AS clientId`;
/** The keys that reach no more of a drive than a prefix. */
const WITHIN_PREFIX = "substr(ifnull(path_prefix, ''), 1, length(:prefix)) = :prefix";
const OF_USER = `(user = :user OR drive IN (SELECT pk FROM drive WHERE user = :user AND deleted_at IS NULL))`;

/** Keys that are valid: neither revoked nor expired, their drive exists and their user is not disabled. */
const VALID = `
  FROM api_key k
  LEFT JOIN user u ON u.pk = k.user
  LEFT JOIN drive d ON d.pk = k.drive
  LEFT JOIN user o ON o.pk = d.user
 WHERE (d.pk IS NULL OR ${driveIsAlive(":now")})
   AND u.disabled_at IS NULL AND o.disabled_at IS NULL
   AND ${KEY_IS_ALIVE}`;

/** API keys, found by the hashes of their secrets. */
export class ApiKeysTable {
  readonly #sql;
  readonly #callers: SnapshotCache<SecretHash, Caller | null>;

  constructor(database: Database) {
    const { sql } = database;
    this.#callers = new SnapshotCache(database);
    const holder = `SELECT k.id AS keyId, k.scope, u.pk AS userPk, u.id AS userId, d.pk AS drivePk, d.id AS driveId,
                           k.path_prefix AS pathPrefix,
                           o.id AS ownerId, coalesce(u.plan, o.plan, 'free') AS plan,
                           k.made_by AS madeBy, k.secret_expires_at IS NOT NULL AS isApplication
                      ${VALID} AND k.hash = :hash`;
    this.#sql = {
      holder: sql.prepare<CallerRow, [{ hash: SecretHash; now: number }]>(holder),
      caller: sql.prepare<CallerRow, [{ hash: SecretHash; now: number }]>(
        `${holder} AND (k.secret_expires_at IS NULL OR k.secret_expires_at > :now)`,
      ),
      isValid: sql.prepare<object, [{ id: KeyId; now: number }]>(`SELECT 1 ${VALID} AND k.id = :id`),
      // Reads only the index, and stops at the wanted row.
      userHas: sql.prepare<object, [UserPk, number]>("SELECT 1 FROM api_key WHERE user = ? LIMIT 1 OFFSET ?"),
      driveHas: sql.prepare<object, [DrivePk, number]>(
        "SELECT 1 FROM api_key WHERE drive = ? LIMIT 1 OFFSET ?",
      ),
      insert: sql.prepare<
        never,
        [
          Parameters<Omit<NewApiKey, "secretExpiresAt">> & {
            secretExpiresAt: number | null;
            user: UserPk | null;
            drive: DrivePk | null;
            pathPrefix: FolderPath | null;
          },
        ]
      >(
        `INSERT INTO api_key (id, hash, prefix, name, scope, user, drive, path_prefix, created_at, expires_at,
                            secret_expires_at, made_by)
       VALUES (:id, :hash, :prefix, :name, :scope, :user, :drive, :pathPrefix, :createdAt, :expiresAt,
               :secretExpiresAt, :madeBy)`,
      ),
      ofUser: sql.prepare<ApiKey, [{ user: UserPk; now: number }]>(
        `SELECT ${COLUMNS} FROM api_key k WHERE ${OF_USER} AND ${LISTED_KEY_IS_ALIVE} ORDER BY created_at, pk`,
      ),
      ofDrive: sql.prepare<ApiKey, [{ drive: DrivePk; prefix: FolderPath; now: number }]>(
        `SELECT ${COLUMNS} FROM api_key k WHERE drive = :drive AND ${WITHIN_PREFIX} AND ${LISTED_KEY_IS_ALIVE}
        ORDER BY created_at, pk`,
      ),
      replaceSecret: sql.prepare<never, [Parameters<NewerSecret>]>(
        `UPDATE api_key SET hash = :hash, prefix = :prefix, expires_at = :expiresAt,
                          secret_expires_at = :secretExpiresAt WHERE id = :id`,
      ),
      remove: sql.prepare<never, [KeyId]>("DELETE FROM api_key WHERE id = ?"),
      oneOfUser: sql.prepare<ApiKey, [{ user: UserPk; now: number; id: KeyId }]>(
        `SELECT ${COLUMNS} FROM api_key k WHERE id = :id AND ${OF_USER} AND ${KEY_IS_ALIVE}`,
      ),
      oneOfDrive: sql.prepare<ApiKey, [{ drive: DrivePk; prefix: FolderPath; now: number; id: KeyId }]>(
        `SELECT ${COLUMNS} FROM api_key k
        WHERE id = :id AND drive = :drive AND ${WITHIN_PREFIX} AND ${KEY_IS_ALIVE}`,
      ),
      isBelow: sql.prepare<object, [{ id: KeyId; above: KeyId }]>(
        `WITH RECURSIVE maker (id) AS (
         SELECT :id UNION ALL SELECT k.made_by FROM maker JOIN api_key k ON k.id = maker.id)
       SELECT 1 FROM maker WHERE id = :above`,
      ),
      removeSomeOf: sql.prepare<never, [DrivePk, number]>(
        "DELETE FROM api_key WHERE pk IN (SELECT pk FROM api_key WHERE drive = ? LIMIT ?)",
      ),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM api_key WHERE pk IN
         (SELECT pk FROM api_key WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
      expiryOf: sql.prepare<{ expiresAt: number | null }, [KeyId]>(
        "SELECT expires_at AS expiresAt FROM api_key WHERE id = ?",
      ),
      touch: sql.prepare<never, [{ id: KeyId; at: number }]>(
        "UPDATE api_key SET last_used_at = max(ifnull(last_used_at, 0), :at) WHERE id = :id",
      ),
    };
  }

  /**
   * The caller with the key of this hash; null if there is none, it expired, its drive is gone or its user disabled.
   */
  callerOf(hash: SecretHash, now: number): Caller | null {
    return this.#callers.get(hash, () => fromRow(this.#sql.caller.get({ hash, now })));
  }

  /** The same, also if only its secret has expired: for what was made with the key earlier. */
  holderOf(hash: SecretHash, now: number): Caller | null {
    return fromRow(this.#sql.holder.get({ hash, now }));
  }

  /** Whether a key is still valid, as for `holderOf`. */
  isValid(id: KeyId, now: number): boolean {
    return this.#sql.isValid.get({ id, now }) !== null;
  }

  /** A user's keys and those of the user's drives, or a drive's keys within a prefix; oldest first, none expired. */
  list(reach: KeyReach, now: number): ApiKey[] {
    return "user" in reach
      ? this.#sql.ofUser.all({ user: reach.user, now })
      : this.#sql.ofDrive.all({ ...reach, now });
  }

  /** The key among those of `list`; null if it is none of them. */
  find(id: KeyId, reach: KeyReach, now: number): ApiKey | null {
    return "user" in reach
      ? this.#sql.oneOfUser.get({ user: reach.user, now, id })
      : this.#sql.oneOfDrive.get({ ...reach, now, id });
  }

  /** Whether a key is another, or was made by it, or by a key that this made, and so on. */
  isBelow(id: KeyId, above: KeyId): boolean {
    return this.#sql.isBelow.get({ id, above }) !== null;
  }

  /** When a key expires; null for never, or if there is no such key. */
  expiryOf(id: KeyId): number | null {
    return this.#sql.expiryOf.get(id)?.expiresAt ?? null;
  }

  /** Whether at least `count` keys are of exactly this user, or this drive; `count` is at least 1. */
  hasAtLeast(count: number, reach: KeyReach): boolean {
    const row =
      "user" in reach
        ? this.#sql.userHas.get(reach.user, count - 1)
        : this.#sql.driveHas.get(reach.drive, count - 1);
    return row !== null;
  }

  /** Inside a write. */
  insert(key: NewApiKey, reach: KeyReach): void {
    this.#sql.insert.run({
      ...key,
      secretExpiresAt: key.secretExpiresAt ?? null,
      user: "user" in reach ? reach.user : null,
      drive: "drive" in reach ? reach.drive : null,
      pathPrefix: "drive" in reach && reach.prefix !== ROOT ? reach.prefix : null,
    });
  }

  /** Gives a key another secret; the earlier one stops working. Inside a write. */
  replaceSecret(newer: NewerSecret): void {
    this.#sql.replaceSecret.run({ ...newer });
  }

  /** Removes a key, whosever it is. What it made does not work any more: see `EndedKeys`. Inside a write. */
  removeAny(id: KeyId): void {
    this.#sql.remove.run(id);
  }

  /** Removes up to `limit` keys of a deleted drive. Returns how many. Inside a write. */
  removeSomeOf(drive: DrivePk, limit: number): number {
    return this.#sql.removeSomeOf.run(drive, limit).changes;
  }

  /** Removes up to `limit` keys that have expired. Returns how many. Inside a write. */
  removeExpired(now: number, limit: number): number {
    return this.#sql.removeExpired.run(now, limit).changes;
  }

  /** Stores when a key was last used. Inside a write. */
  touch(id: KeyId, at: number): void {
    this.#sql.touch.run({ id, at });
  }
}

function fromRow(row: CallerRow | null): Caller | null {
  if (row === null) return null;
  const { keyId, scope, plan, madeBy, userPk, userId, drivePk, driveId, ownerId, pathPrefix } = row;
  const key = { keyId, scope, plan, madeBy, isApplication: row.isApplication === 1 };
  if (userPk !== null && userId !== null) return { kind: "account", ...key, userPk, userId };
  if (drivePk !== null && driveId !== null)
    return { kind: "drive", ...key, drivePk, driveId, ownerId, prefix: pathPrefix ?? ROOT };
  throw new Error(`key ${keyId} reaches neither a user nor a drive`);
}
