import { driveIsAlive, firstOf, keyIsAlive, listedKeyIsAlive } from "../expressions.ts";
import type { ApiKey, MadeByKey, SecretHash } from "../../domain/accounts/api-key.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { type FolderPath, ROOT } from "../../domain/files/path.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import type { DrivePk, KeyId, LinkId, UserId, UserPk, WebhookPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import { type Cached, VersionCache } from "../engine/version-cache.ts";
import { MADE_COUNTED } from "../../domain/limits.ts";

type NewApiKey = Omit<ApiKey, "driveId" | "pathPrefix" | "lastUsedAt" | "clientId"> & {
  readonly hash: SecretHash;
  /** When its secret stops working, if that is before the key expires: another one replaces it until then. */
  readonly secretExpiresAt?: number;
};

type NewerSecret = Required<Pick<NewApiKey, "id" | "hash" | "prefix" | "expiresAt" | "secretExpiresAt">>;

/** What a key reaches: all drives of a user, or one drive, of which a prefix may be less than all. */
export type KeyReach = { readonly user: UserPk } | { readonly drive: DrivePk; readonly prefix: FolderPath };

type NewRow = Omit<NewApiKey, "secretExpiresAt"> & {
  readonly secretExpiresAt: number | null;
  readonly user: UserPk | null;
  readonly drive: DrivePk | null;
  readonly pathPrefix: FolderPath | null;
};

interface CallerRow extends Pick<ApiKey, "scope" | "driveId" | "pathPrefix" | "madeBy"> {
  readonly keyId: KeyId;
  readonly userPk: UserPk | null;
  readonly userId: UserId | null;
  readonly drivePk: DrivePk | null;
  readonly ownerId: UserId | null;
  readonly plan: Plan;
  readonly isApplication: 0 | 1;
  /** When the key ends by itself, with its secret or its drive. */
  readonly until: number;
}

const COLUMNS = `k.id, k.prefix, k.name, k.scope, (SELECT d.id FROM drive d WHERE d.pk = k.drive) AS driveId,
                 k.path_prefix AS pathPrefix,
                 k.created_at AS createdAt, k.last_used_at AS lastUsedAt, k.expires_at AS expiresAt,
                 k.made_by AS madeBy,
                 (SELECT g.client_id FROM oauth_grant g WHERE g.key_id = k.id) AS clientId`;
const WITHIN_PREFIX = "substr(ifnull(path_prefix, ''), 1, length(?3)) = ?3";
const OF_USER = "(user = ?1 OR drive IN (SELECT pk FROM drive WHERE user = ?1 AND deleted_at IS NULL))";

/** Keys that are valid: neither revoked nor expired, their drive exists and their user is not disabled. */
const VALID = `
  FROM api_key k
  LEFT JOIN user u ON u.pk = k.user
  LEFT JOIN drive d ON d.pk = k.drive
  LEFT JOIN user o ON o.pk = d.user
 WHERE (d.pk IS NULL OR ${driveIsAlive("?2")})
   AND u.disabled_at IS NULL AND o.disabled_at IS NULL
   AND ${keyIsAlive("?2")}`;

export function apiKeys(database: Database) {
  const { sql } = database;
  const callers = new VersionCache<SecretHash, Caller>(database);
  const holder = `SELECT k.id AS keyId, k.scope, u.pk AS userPk, u.id AS userId, d.pk AS drivePk, d.id AS driveId,
                         k.path_prefix AS pathPrefix,
                         o.id AS ownerId, coalesce(u.plan, o.plan, 'free') AS plan,
                         k.made_by AS madeBy, k.secret_expires_at IS NOT NULL AS isApplication,
                         ${firstOf("k.expires_at", "k.secret_expires_at", "d.expires_at")} AS until
                    ${VALID} AND k.hash = ?1`;
  const caller = sql.get<CallerRow, [hash: SecretHash, now: number], Cached<Caller>>(
    `${holder} AND (k.secret_expires_at IS NULL OR k.secret_expires_at > ?2)`,
    (row) => ({ value: fromRow(row), until: row.until }),
  );
  const ofUser = sql.all<ApiKey, [user: UserPk, now: number]>(
    `SELECT ${COLUMNS} FROM api_key k WHERE ${OF_USER} AND ${listedKeyIsAlive("?2")} ORDER BY created_at, pk`,
  );
  const ofDrive = sql.all<ApiKey, [drive: DrivePk, now: number, prefix: FolderPath]>(
    `SELECT ${COLUMNS} FROM api_key k WHERE drive = ?1 AND ${WITHIN_PREFIX} AND ${listedKeyIsAlive("?2")}
      ORDER BY created_at, pk`,
  );
  const oneOfUser = sql.get<ApiKey, [user: UserPk, now: number, id: KeyId]>(
    `SELECT ${COLUMNS} FROM api_key k WHERE id = ?3 AND ${OF_USER} AND ${keyIsAlive("?2")}`,
  );
  const oneOfDrive = sql.get<ApiKey, [drive: DrivePk, now: number, prefix: FolderPath, id: KeyId]>(
    `SELECT ${COLUMNS} FROM api_key k
      WHERE id = ?4 AND drive = ?1 AND ${WITHIN_PREFIX} AND ${keyIsAlive("?2")}`,
  );
  // Reads only the index, and stops at the wanted row.
  const userHas = sql.has<[user: UserPk, before: number]>(
    "SELECT 1 FROM api_key WHERE user = ? LIMIT 1 OFFSET ?",
  );
  const driveHas = sql.has<[drive: DrivePk, before: number]>(
    "SELECT 1 FROM api_key WHERE drive = ? LIMIT 1 OFFSET ?",
  );
  const insert = sql.write<[NewRow]>(
    `INSERT INTO api_key (id, hash, prefix, name, scope, user, drive, path_prefix, created_at, expires_at,
                          secret_expires_at, made_by)
     VALUES (:id, :hash, :prefix, :name, :scope, :user, :drive, :pathPrefix, :createdAt, :expiresAt,
             :secretExpiresAt, :madeBy)`,
  );
  return {
    /** The caller with the key of this hash; null if there is none, it expired, its drive is gone or its user disabled. */
    callerOf: (hash: SecretHash, now: number) => callers.get(hash, now, () => caller(hash, now)),
    /** The same, also if only its secret has expired: for what was made with the key earlier. */
    holderOf: sql.get<CallerRow, [hash: SecretHash, now: number], Caller>(holder, fromRow),
    /** Whether a key is still valid, as for `holderOf`. */
    isValid: sql.has<[id: KeyId, now: number]>(`SELECT 1 ${VALID} AND k.id = ?1`),
    /** A user's keys and those of the user's drives, or a drive's keys within a prefix; oldest first, none expired. */
    list: (reach: KeyReach, now: number) =>
      "user" in reach ? ofUser(reach.user, now) : ofDrive(reach.drive, now, reach.prefix),
    find: (id: KeyId, reach: KeyReach, now: number) =>
      "user" in reach ? oneOfUser(reach.user, now, id) : oneOfDrive(reach.drive, now, reach.prefix, id),
    /** Whether a key is another, or was made by it, or by a key that this made, and so on. */
    isBelow: sql.has<[id: KeyId, above: KeyId]>(
      `WITH RECURSIVE maker (id) AS (
         SELECT ?1 UNION ALL SELECT k.made_by FROM maker JOIN api_key k ON k.id = maker.id)
       SELECT 1 FROM maker WHERE id = ?2`,
    ),
    /** When a key expires; null for never, or if there is no such key. */
    expiryOf: sql.value<number, [id: KeyId]>("SELECT expires_at FROM api_key WHERE id = ?"),
    /** Whether at least `count` keys are of exactly this user, or this drive; `count` is at least 1. */
    hasAtLeast: (count: number, reach: KeyReach) =>
      "user" in reach ? userHas(reach.user, count - 1) : driveHas(reach.drive, count - 1),
    /** Inside a write. */
    insert: (key: NewApiKey, reach: KeyReach) =>
      insert({
        ...key,
        secretExpiresAt: key.secretExpiresAt ?? null,
        user: "user" in reach ? reach.user : null,
        drive: "drive" in reach ? reach.drive : null,
        pathPrefix: "drive" in reach && reach.prefix !== ROOT ? reach.prefix : null,
      }),
    /** Gives a key another secret; the earlier one stops working. */
    replaceSecret: sql.write<[NewerSecret]>(
      `UPDATE api_key SET hash = :hash, prefix = :prefix, expires_at = :expiresAt,
                          secret_expires_at = :secretExpiresAt WHERE id = :id`,
    ),
    /** Removes a key, whosever it is. What it made does not work any more: see `EndedKeys`. */
    removeAny: sql.write<[id: KeyId]>("DELETE FROM api_key WHERE id = ?"),
    removeSomeOf: sql.removeSome<[drive: DrivePk]>("api_key", "drive = ?"),
    /** Of a user's keys and those of the user's drives. */
    removeSomeOfUser: sql.removeSome<[user: UserPk]>("api_key", OF_USER),
    removeExpired: sql.removeSome<[now: number]>("api_key", "expires_at <= ? ORDER BY expires_at"),
    touch: sql.write<[id: KeyId, usedAt: number]>(
      "UPDATE api_key SET last_used_at = max(ifnull(last_used_at, 0), ?2) WHERE id = ?1",
    ),
  };
}

function fromRow(row: CallerRow): Caller {
  const { keyId, scope, plan, madeBy, userPk, userId, drivePk, driveId, ownerId, pathPrefix } = row;
  const key = { keyId, scope, plan, madeBy, isApplication: row.isApplication === 1 };
  if (userPk !== null && userId !== null) return { kind: "account", ...key, userPk, userId };
  if (drivePk !== null && driveId !== null)
    return { kind: "drive", ...key, drivePk, driveId, ownerId, prefix: pathPrefix ?? ROOT };
  throw new Error(`key ${keyId} reaches neither a user nor a drive`);
}

/** A link that a key made, with where its drive's feed tells of it. */
interface LinkOfKey {
  readonly id: LinkId;
  /** Null if the drive is gone. */
  readonly drive: DrivePk | null;
  /** Null for links of which the feed does not tell. */
  readonly path: string | null;
}

const LINKS = ["presigned_link", "upload_link", "share_link"] as const;

/** How many rows there are of the keys in `below`. The planner takes the tables of a CROSS JOIN in their order. */
function few(rows: string): string {
  return `(SELECT count(*) FROM (SELECT 1 FROM below ${rows} LIMIT ${MADE_COUNTED}))`;
}

/** What keys made; and the keys that are gone while what they made is still to be removed: a trigger notes them. */
export function endedKeys({ sql }: Database) {
  const liveLinks = LINKS.map((table) =>
    few(`CROSS JOIN ${table} l ON l.key_id = below.id AND l.expires_at > ?2`),
  );
  const links = LINKS.map((table) =>
    sql.all<LinkOfKey, [key: KeyId, limit: number]>(
      `SELECT l.id, (SELECT pk FROM drive WHERE id = l.drive_id AND deleted_at IS NULL) AS drive,
              ${table === "share_link" ? "l.path" : "NULL AS path"}
         FROM ${table} l WHERE l.key_id = ? LIMIT ?`,
    ),
  );
  const members = (column: "made_by" | "raised_by") =>
    sql.all<{ drive: DrivePk; user: UserPk; userId: UserId }, [key: KeyId, limit: number]>(
      `SELECT m.drive, m.user, u.id AS userId FROM drive_member m JOIN user u ON u.pk = m.user JOIN drive d ON d.pk = m.drive
        WHERE m.${column} = ? AND d.deleted_at IS NULL LIMIT ?`,
    );
  return {
    /** One that is gone, and may have left something; null if there is none. */
    next: sql.value<KeyId, []>("SELECT id FROM ended_key LIMIT 1"),
    /** Says that a key that is gone has left nothing. */
    forget: sql.write<[key: KeyId]>("DELETE FROM ended_key WHERE id = ?"),
    keysOf: sql.values<KeyId, [key: KeyId, limit: number]>(
      "SELECT id FROM api_key WHERE made_by = ? LIMIT ?",
    ),
    linksOf: (key: KeyId, limit: number) => links.flatMap((some) => some(key, limit)).slice(0, limit),
    webhookOf: sql.value<WebhookPk, [key: KeyId]>("SELECT pk FROM webhook WHERE key_id = ? LIMIT 1"),
    /** Not those of deleted drives: they go with these. */
    membersOf: members("made_by"),
    /** Those whom the key made editors, and who stay readers. */
    raisedBy: members("raised_by"),
    /** How much goes with a key, up to `MADE_COUNTED` of each kind. Links that have expired at `now` do not count. */
    madeBy: sql.one<MadeByKey, [key: KeyId, now: number]>(
      `WITH RECURSIVE below (id) AS (
         SELECT ?1 UNION ALL
         SELECT k.id FROM below JOIN api_key k ON k.made_by = below.id LIMIT ${MADE_COUNTED + 1})
       SELECT (SELECT count(*) - 1 FROM below) AS keys,
              min(${MADE_COUNTED}, ${liveLinks.join(" + ")}) AS links,
              ${few("CROSS JOIN webhook w ON w.key_id = below.id")} AS webhooks,
              ${few("CROSS JOIN drive_member m ON m.made_by = below.id")} AS members`,
    ),
  };
}
