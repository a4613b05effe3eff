import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { DriveId, DrivePk, KeyId, LinkId, UserId } from "../../domain/id.ts";
import type {
  Link,
  LinkFacts,
  LinkKind,
  LinkPosition,
  LinkTarget,
  NewLink,
} from "../../domain/links/link.ts";
import type { Database } from "../engine/database.ts";

/** How often a link was used since the last time, and when at last, in milliseconds since the epoch. */
type LinkUse = {
  readonly id: LinkId;
  readonly count: number;
  readonly at: number;
};

type Row = LinkTarget &
  Omit<LinkFacts, "oneTime" | "createdBy"> & {
    readonly oneTime: 0 | 1;
    readonly keyId: KeyId | null;
    readonly keyName: string | null;
    readonly userId: UserId | null;
    readonly username: string | null;
  };

const START = { createdAt: Number.MAX_SAFE_INTEGER, id: "" };

const TABLES = ["presigned_link", "upload_link", "share_link"] as const;
type Table = (typeof TABLES)[number];

/** Links of all kinds. Each of the tables has the condition, so that each is read by its index. */
function linksWhere(condition: string): string {
  const rest = "drive_id, expires_at, created_at, key_id, user, sealed_token";
  return `
    SELECT id, 'presigned' AS kind, file_id, NULL AS path, NULL AS password_hash, NULL AS max_size, one_time, used_at,
           uses, last_used_at, ${rest} FROM presigned_link WHERE ${condition}
    UNION ALL
    SELECT id, 'upload', NULL, path, NULL, max_size, 1, used_at, used_at IS NOT NULL, used_at, ${rest}
      FROM upload_link WHERE ${condition}
    UNION ALL
    SELECT id, iif(file_id IS NULL, 'folder', 'file'), file_id, path, password_hash, NULL, 0, NULL, uses, last_used_at,
           ${rest} FROM share_link WHERE ${condition}`;
}

function completed(union: string): string {
  return `
    SELECT page.id, page.kind, page.drive_id AS driveId, page.file_id AS fileId, coalesce(f.path, page.path) AS path,
           page.password_hash AS passwordHash, page.sealed_token AS sealedToken, page.max_size AS maxSize, page.one_time AS oneTime,
           page.used_at AS usedAt, page.uses, page.last_used_at AS lastUsedAt, page.expires_at AS expiresAt,
           page.created_at AS createdAt, page.key_id AS keyId, k.name AS keyName, k.hash AS keyHash,
           coalesce(page.user, k.user) AS user, u.id AS userId, u.username
      FROM (${union}) page
      LEFT JOIN file f ON f.id = page.file_id AND f.drive = (SELECT pk FROM drive WHERE id = page.drive_id)
      LEFT JOIN api_key k ON k.id = page.key_id
      LEFT JOIN user u ON u.pk = page.user`;
}

const NEWEST_FIRST = "created_at DESC, id DESC";

/** Links of all kinds. Those that download, those that upload and those that show something have a table each. */
export function links({ sql }: Database) {
  const inserting = (table: Table, columns: string, values: string) =>
    sql.write<[NewLink]>(
      `INSERT INTO ${table} (hash, id, drive_id, key_id, user, expires_at, created_at, sealed_token, ${columns})
       VALUES (:hash, :id, :driveId, :keyId, :user, :expiresAt, :createdAt, :sealedToken, ${values})`,
    );
  const insertShare = inserting(
    "share_link",
    "file_id, path, password_hash",
    ":fileId, :path, :passwordHash",
  );
  const insertOf: Record<LinkKind, typeof insertShare> = {
    presigned: inserting("presigned_link", "file_id, one_time", ":fileId, :oneTime"),
    upload: inserting("upload_link", "path, max_size", ":path, :maxSize"),
    file: insertShare,
    folder: insertShare,
  };
  const change = (table: Table, values: string) =>
    sql.write<[LinkUse]>(`UPDATE ${table} SET ${values} WHERE id = :id`);
  const onlyUses = [
    change("presigned_link", "used_at = :at, uses = uses + :count, last_used_at = :at"),
    change("upload_link", "used_at = :at"),
  ];
  const countings = (["presigned_link", "share_link"] as const).map((table) =>
    change(table, "uses = uses + :count, last_used_at = max(ifnull(last_used_at, 0), :at)"),
  );
  const removals = TABLES.map((table) => sql.write<[id: LinkId]>(`DELETE FROM ${table} WHERE id = ?`));
  const expiries = TABLES.map((table) =>
    sql.removeSome<[before: number]>(table, "expires_at <= ? ORDER BY expires_at", "hash"),
  );
  // Three indexes are merged, so a page costs what it shows.
  const page = sql.all<Row, [{ drive: DriveId; createdAt: number; id: string; limit: number }], Link>(
    `${completed(
      `${linksWhere("drive_id = :drive AND (created_at, id) < (:createdAt, :id)")} ORDER BY ${NEWEST_FIRST} LIMIT +:limit`,
    )} ORDER BY page.created_at DESC, page.id DESC`,
    fromRow,
  );
  return {
    byId: sql.get<Row, [id: LinkId], Link>(completed(linksWhere("id = ?1")), fromRow),
    byHash: sql.get<Row, [hash: SecretHash], Link>(completed(linksWhere("hash = ?1")), fromRow),
    /** Up to `limit` links of a drive after a position, newest first, expired ones included. */
    page: (drive: DriveId, after: LinkPosition | null, limit: number): Link[] => {
      const { createdAt, id } = after ?? START;
      return page({ drive, createdAt, id, limit });
    },
    /** Inside a write. */
    insert: (link: NewLink) => insertOf[link.kind]({ passwordHash: null, maxSize: null, ...link }),
    /** Inside a write. */
    remove: (id: LinkId): void => {
      for (const removal of removals) removal(id);
    },
    /** Notes the only use of a link. Inside a write. */
    markUsed: (id: LinkId, at: number): void => {
      for (const use of onlyUses) use({ id, count: 1, at });
    },
    /** Adds uses of links that download or show something. Inside a write. */
    countUse: (use: LinkUse): void => {
      for (const counting of countings) counting(use);
    },
    /** Removes up to `limit` links of one table that expired by `before`. Returns 0 if there are none. Inside a write. */
    removeExpired: (before: number, limit: number): number => {
      for (const expiry of expiries) {
        const removed = expiry(before, limit);
        if (removed > 0) return removed;
      }
      return 0;
    },
    removeSharesOf: sql.removeSome<[drive: DrivePk]>(
      "share_link",
      "drive_id = (SELECT id FROM drive WHERE pk = ?)",
      "hash",
    ),
  };
}

function fromRow({ keyId, keyName, userId, username, oneTime, ...row }: Row): Link {
  const link = { ...row, oneTime: oneTime === 1 };
  if (keyId !== null) return { ...link, createdBy: { kind: "key", id: keyId, name: keyName } };
  if (userId === null) throw new Error("a link has no maker");
  return { ...link, createdBy: { kind: "user", id: userId, name: username } };
}
