import type { MadeByKey } from "../../domain/accounts/api-key.ts";
import type { DrivePk, KeyId, LinkId, UserId, UserPk, WebhookPk } from "../../domain/id.ts";
import { MADE_COUNTED } from "../../domain/limits.ts";
import type { Database } from "../engine/database.ts";

/** A link that a key made, with where its drive's feed tells of it. */
interface LinkOfKey {
  readonly id: LinkId;
  /** Null if the drive is gone. */
  readonly drive: DrivePk | null;
  /** Null for links of which the feed does not tell. */
  readonly path: string | null;
}

/** A membership that a key made. */
interface MemberOfKey {
  readonly drive: DrivePk;
  readonly user: UserPk;
  readonly userId: UserId;
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
    sql.all<MemberOfKey, [key: KeyId, limit: number]>(
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
