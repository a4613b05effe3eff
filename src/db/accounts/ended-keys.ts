import type { MadeByKey } from "../../domain/accounts/api-key.ts";
import type { DrivePk, KeyId, LinkId, UserId, UserPk, WebhookPk } from "../../domain/id.ts";
import { MADE_COUNTED } from "../../domain/limits.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** A link that a key made, with where its drive's feed tells of it. */
export interface LinkOfKey {
  readonly id: LinkId;
  /** Null if the drive is gone. */
  readonly drive: DrivePk | null;
  /** Null for links of which the feed does not tell. */
  readonly path: string | null;
}

/** A membership that a key made. */
export interface MemberOfKey {
  readonly drive: DrivePk;
  readonly user: UserPk;
  readonly userId: UserId;
}

interface Few {
  readonly key: KeyId;
  readonly limit: number;
}

const LINKS = ["presigned_link", "upload_link", "share_link"] as const;

/** How many rows there are of the keys in `below`. The planner takes the tables of a CROSS JOIN in their order. */
function few(rows: string): string {
  return `(SELECT count(*) FROM (SELECT 1 FROM below ${rows} LIMIT ${MADE_COUNTED}))`;
}

/** What keys made; and the keys that are gone while what they made is still to be removed: a trigger notes them. */
export class EndedKeysTable {
  readonly #sql;

  constructor({ sql }: Database) {
    const links = LINKS.map((table) =>
      few(`CROSS JOIN ${table} l ON l.key_id = below.id AND l.expires_at > :now`),
    );
    const members = (column: "made_by" | "raised_by") =>
      sql.prepare<MemberOfKey, [Parameters<Few>]>(
        `SELECT m.drive, m.user, u.id AS userId FROM drive_member m JOIN user u ON u.pk = m.user JOIN drive d ON d.pk = m.drive
          WHERE m.${column} = :key AND d.deleted_at IS NULL LIMIT :limit`,
      );
    this.#sql = {
      next: sql.prepare<{ id: KeyId }, []>("SELECT id FROM ended_key LIMIT 1"),
      forget: sql.prepare<never, [KeyId]>("DELETE FROM ended_key WHERE id = ?"),
      keys: sql.prepare<{ id: KeyId }, [Parameters<Few>]>(
        "SELECT id FROM api_key WHERE made_by = :key LIMIT :limit",
      ),
      webhooks: sql.prepare<{ pk: WebhookPk }, [Parameters<Few>]>(
        "SELECT pk FROM webhook WHERE key_id = :key LIMIT :limit",
      ),
      made: sql.prepare<MadeByKey, [{ key: KeyId; now: number }]>(
        `WITH RECURSIVE below (id) AS (
         SELECT :key UNION ALL
         SELECT k.id FROM below JOIN api_key k ON k.made_by = below.id LIMIT ${MADE_COUNTED + 1})
       SELECT (SELECT count(*) - 1 FROM below) AS keys,
              min(${MADE_COUNTED}, ${links.join(" + ")}) AS links,
              ${few("CROSS JOIN webhook w ON w.key_id = below.id")} AS webhooks,
              ${few("CROSS JOIN drive_member m ON m.made_by = below.id")} AS members`,
      ),
      links: LINKS.map((table) =>
        sql.prepare<LinkOfKey, [Parameters<Few>]>(
          `SELECT l.id, (SELECT pk FROM drive WHERE id = l.drive_id AND deleted_at IS NULL) AS drive,
                  ${table === "share_link" ? "l.path" : "NULL AS path"}
             FROM ${table} l WHERE l.key_id = :key LIMIT :limit`,
        ),
      ),
      members: members("made_by"),
      raised: members("raised_by"),
    };
  }

  /** One that is gone, and may have left something; null if there is none. */
  next(): KeyId | null {
    return this.#sql.next.get()?.id ?? null;
  }

  /** Says that a key that is gone has left nothing. Inside a write. */
  forget(key: KeyId): void {
    this.#sql.forget.run(key);
  }

  keysOf(key: KeyId, limit: number): KeyId[] {
    return this.#sql.keys.all({ key, limit }).map(({ id }) => id);
  }

  linksOf(key: KeyId, limit: number): LinkOfKey[] {
    return this.#sql.links.flatMap((some) => some.all({ key, limit })).slice(0, limit);
  }

  webhookOf(key: KeyId): WebhookPk | null {
    return this.#sql.webhooks.get({ key, limit: 1 })?.pk ?? null;
  }

  /** Not those of deleted drives: they go with these. */
  membersOf(key: KeyId, limit: number): MemberOfKey[] {
    return this.#sql.members.all({ key, limit });
  }

  /** Those whom the key made editors, and who stay readers. */
  raisedBy(key: KeyId, limit: number): MemberOfKey[] {
    return this.#sql.raised.all({ key, limit });
  }

  /** How much goes with a key, up to `MADE_COUNTED` of each kind. Links that have expired at `now` do not count. */
  madeBy(key: KeyId, now: number): MadeByKey {
    const made = this.#sql.made.get({ key, now });
    if (made === null) throw new Error("a count is missing");
    return made;
  }
}
