import type { DriveId, KeyId, LinkId, UserId } from "../../domain/id.ts";
import type { LinkPosition, ListedLink } from "../../domain/links/link.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** How often a link was used since the last time, and when at last, in milliseconds since the epoch. */
export interface LinkUse {
  readonly id: LinkId;
  readonly count: number;
  readonly at: number;
}

interface PageRequest {
  readonly drive: DriveId;
  readonly createdAt: number;
  readonly id: string;
  readonly limit: number;
}

/** Before the newest. */
const START = { createdAt: Number.MAX_SAFE_INTEGER, id: "" };

interface Row extends Omit<ListedLink, "hasPassword" | "oneTime" | "createdBy"> {
  readonly hasPassword: 0 | 1;
  readonly oneTime: 0 | 1;
  readonly keyId: KeyId | null;
  readonly keyName: string | null;
  readonly userId: UserId | null;
  readonly username: string | null;
}

/** Links of all kinds, as they are listed. Each kind has a table of its own, with the same condition on all. */
function linksWhere(condition: string): string {
  const ends = "expires_at, created_at, key_id, user";
  return `
    SELECT id, 'presigned' AS kind, drive_id, file_id, NULL AS path, 0 AS has_password, one_time, used_at, uses,
           last_used_at, ${ends} FROM presigned_link WHERE ${condition}
    UNION ALL
    SELECT id, 'upload', drive_id, NULL, path, 0, 1, used_at, used_at IS NOT NULL, used_at, ${ends}
      FROM upload_link WHERE ${condition}
    UNION ALL
    SELECT id, iif(file_id IS NULL, 'folder', 'file'), drive_id, file_id, path, password_hash IS NOT NULL, 0, NULL,
           uses, last_used_at, ${ends} FROM share_link WHERE ${condition}`;
}

function listed(links: string): string {
  return `
    SELECT page.id, page.kind, page.drive_id AS driveId, coalesce(f.path, page.path) AS path,
           page.has_password AS hasPassword, page.one_time AS oneTime, page.used_at AS usedAt, page.uses,
           page.last_used_at AS lastUsedAt, page.expires_at AS expiresAt, page.created_at AS createdAt,
           page.key_id AS keyId, k.name AS keyName, coalesce(page.user, k.user) AS user,
           u.id AS userId, u.username
      FROM (${links}) page
      LEFT JOIN file f ON f.id = page.file_id AND f.drive = (SELECT pk FROM drive WHERE id = page.drive_id)
      LEFT JOIN api_key k ON k.id = page.key_id
      LEFT JOIN user u ON u.pk = page.user`;
}

const NEWEST_FIRST = "created_at DESC, id DESC";

/** Links of all kinds: listed, revoked and counted together. */
export class LinksTable {
  readonly #sql;
  readonly #removals;
  readonly #countings;

  constructor({ sql }: Database) {
    this.#sql = {
      byId: sql.prepare<Row, [LinkId]>(listed(linksWhere("id = ?1"))),
      // Three indexes are merged, so a page costs what it shows.
      page: sql.prepare<Row, [Parameters<PageRequest>]>(
        `${listed(
          `${linksWhere("drive_id = :drive AND (created_at, id) < (:createdAt, :id)")} ORDER BY ${NEWEST_FIRST} LIMIT +:limit`,
        )} ORDER BY page.created_at DESC, page.id DESC`,
      ),
    };
    this.#removals = ["presigned_link", "upload_link", "share_link"].map((table) =>
      sql.prepare<never, [LinkId]>(`DELETE FROM ${table} WHERE id = ?`),
    );
    this.#countings = ["presigned_link", "share_link"].map((table) =>
      sql.prepare<never, [Parameters<LinkUse>]>(
        `UPDATE ${table} SET uses = uses + :count, last_used_at = max(ifnull(last_used_at, 0), :at) WHERE id = :id`,
      ),
    );
  }

  byId(id: LinkId): ListedLink | null {
    const row = this.#sql.byId.get(id);
    return row === null ? null : fromRow(row);
  }

  /** Up to `limit` links of a drive after a position, newest first, expired ones included. */
  page(drive: DriveId, after: LinkPosition | null, limit: number): ListedLink[] {
    const { createdAt, id } = after ?? START;
    return this.#sql.page.all({ drive, createdAt, id, limit }).map(fromRow);
  }

  /** Inside a write. */
  remove(id: LinkId): void {
    for (const removal of this.#removals) removal.run(id);
  }

  /** Adds uses of links that download or show something. Inside a write. */
  countUse(use: LinkUse): void {
    for (const counting of this.#countings) counting.run({ ...use });
  }
}

function fromRow({ keyId, keyName, userId, username, ...row }: Row): ListedLink {
  const isFlagged = { hasPassword: row.hasPassword === 1, oneTime: row.oneTime === 1 };
  if (keyId !== null) return { ...row, ...isFlagged, createdBy: { kind: "key", id: keyId, name: keyName } };
  if (userId === null) throw new Error("a link has no maker");
  return { ...row, ...isFlagged, createdBy: { kind: "user", id: userId, name: username } };
}
