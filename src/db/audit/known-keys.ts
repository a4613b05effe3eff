import type { SecretHash } from "../../domain/accounts/api-key.ts";
import { REVOKED_KEYS } from "../../domain/audit/audit-event.ts";
import type { MORE_REFUSED, RefusalReason } from "../../domain/audit/audit-reasons.ts";
import type { KeyId } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** A key with which nobody is let in any more. */
export interface RefusedKey {
  readonly id: KeyId;
  readonly name: string;
  readonly username: string;
  readonly reason: Exclude<RefusalReason<"key.used">, typeof MORE_REFUSED>;
}

/** What a key is called, and whose it is: null for a drive without an owner. */
interface NamedKey {
  readonly name: string | null;
  readonly username: string | null;
}

/** What the audit log asks of keys. A trigger remembers those that are removed, if they were an account's. */
export function knownKeys({ sql }: Database) {
  const revoked = sql.get<RefusedKey, [SecretHash, now: number]>(
    `SELECT id, name, username, iif(expires_at <= ?2, 'expired', 'revoked') AS reason
       FROM revoked_key WHERE hash = ?1`,
  );
  const idle = sql.get<RefusedKey, [SecretHash, now: number]>(
    `SELECT k.id, k.name, u.username, iif(k.expires_at <= ?2, 'expired', 'disabled') AS reason
       FROM api_key k LEFT JOIN drive d ON d.pk = k.drive JOIN user u ON u.pk = coalesce(k.user, d.user)
      WHERE k.hash = ?1 AND (k.secret_expires_at IS NULL OR k.secret_expires_at > ?2)`,
  );
  const named = sql.get<NamedKey, [KeyId]>(
    `SELECT k.name, u.username FROM api_key k LEFT JOIN drive d ON d.pk = k.drive
       LEFT JOIN user u ON u.pk = coalesce(k.user, d.user) WHERE k.id = ?`,
  );
  return {
    /** A key that is not valid now, if it ever was an account's; null for any other secret. */
    refused: (hash: SecretHash, now: number): RefusedKey | null => revoked(hash, now) ?? idle(hash, now),
    /** The name of a key, and whose it is. A request may outlive its key: then neither is known. */
    named: (id: KeyId): NamedKey => named(id) ?? { name: null, username: null },
    /** Forgets some of the keys that are more than are remembered. Returns how many. */
    forgetSurplus: sql.write<[limit: number]>(
      `DELETE FROM revoked_key WHERE pk IN (
         SELECT pk FROM revoked_key WHERE pk <= (SELECT max(pk) FROM revoked_key) - ${REVOKED_KEYS}
          ORDER BY pk LIMIT ?)`,
    ),
  };
}
