import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { KeyId } from "../../domain/id.ts";
import type { Scope } from "../../domain/accounts/scope.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** A client that a person let in. Its key has the rest: what it reaches, and until when. */
export interface OAuthGrant {
  readonly keyId: KeyId;
  readonly clientId: string;
  readonly scope: Scope;
  /** Of the one refresh token that works. */
  readonly refreshHash: SecretHash;
  /** The one that was used last; null if its answer cannot be given again. */
  readonly used: UsedRefresh | null;
}

export interface UsedRefresh {
  readonly hash: SecretHash;
  /** What its answer was derived with. */
  readonly salt: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface NewOAuthGrant extends Omit<OAuthGrant, "scope" | "used"> {
  /** Of the authorization code that it began with. */
  readonly codeHash: SecretHash;
  /** Of the part of its refresh tokens that stays. */
  readonly familyHash: SecretHash;
}

type Row = Omit<OAuthGrant, "used"> & {
  readonly usedHash: SecretHash | null;
  readonly usedSalt: Uint8Array | null;
  readonly usedAt: number | null;
};

/** Grants of OAuth clients. A grant goes with its key, so its reader must check whether that is valid. */
export class OAuthGrantsTable {
  readonly #sql;

  constructor({ sql }: Database) {
    const grants = `SELECT g.key_id AS keyId, g.client_id AS clientId, g.refresh_hash AS refreshHash, k.scope,
                           g.used_hash AS usedHash, g.used_salt AS usedSalt, g.used_at AS usedAt
                      FROM oauth_grant g JOIN api_key k ON k.id = g.key_id`;
    this.#sql = {
      byFamily: sql.prepare<Row, [SecretHash]>(`${grants} WHERE g.family_hash = ?`),
      byAccess: sql.prepare<Row, [SecretHash]>(`${grants} WHERE k.hash = ?`),
      keyOfCode: sql.prepare<{ keyId: KeyId }, [SecretHash]>(
        "SELECT key_id AS keyId FROM oauth_grant WHERE code_hash = ?",
      ),
      has: sql.prepare<object, [KeyId]>("SELECT 1 FROM oauth_grant WHERE key_id = ?"),
      insert: sql.prepare<never, [Parameters<NewOAuthGrant>]>(
        `INSERT INTO oauth_grant (key_id, client_id, code_hash, family_hash, refresh_hash)
       VALUES (:keyId, :clientId, :codeHash, :familyHash, :refreshHash)`,
      ),
      setRefresh: sql.prepare<
        never,
        [{ keyId: KeyId; next: SecretHash; hash: SecretHash; salt: Uint8Array; at: number }]
      >(
        `UPDATE oauth_grant SET refresh_hash = :next, used_hash = :hash, used_salt = :salt, used_at = :at
        WHERE key_id = :keyId`,
      ),
      forgetUsed: sql.prepare<never, [KeyId]>(
        "UPDATE oauth_grant SET used_hash = NULL, used_salt = NULL, used_at = NULL WHERE key_id = ?",
      ),
    };
  }

  /** The grant of a family of refresh tokens. */
  byFamily(hash: SecretHash): OAuthGrant | null {
    return fromRow(this.#sql.byFamily.get(hash));
  }

  /** The grant of an access token, also of one that has expired. */
  byAccess(hash: SecretHash): OAuthGrant | null {
    return fromRow(this.#sql.byAccess.get(hash));
  }

  /** The key that a client got for an authorization code; null if it got none, or the grant has ended. */
  keyOfCode(hash: SecretHash): KeyId | null {
    return this.#sql.keyOfCode.get(hash)?.keyId ?? null;
  }

  /** Whether a key was given to an OAuth client. */
  has(keyId: KeyId): boolean {
    return this.#sql.has.get(keyId) !== null;
  }

  /** Inside a write. */
  insert(grant: NewOAuthGrant): void {
    this.#sql.insert.run({ ...grant });
  }

  /** Replaces the refresh token that works, which was used. Inside a write. */
  setRefresh(keyId: KeyId, next: SecretHash, used: UsedRefresh): void {
    this.#sql.setRefresh.run({ keyId, next, ...used });
  }

  /** Forgets what is needed to give the last answer again. Inside a write. */
  forgetUsed(keyId: KeyId): void {
    this.#sql.forgetUsed.run(keyId);
  }
}

function fromRow(row: Row | null): OAuthGrant | null {
  if (row === null) return null;
  const { usedHash: hash, usedSalt: salt, usedAt: at, ...grant } = row;
  return { ...grant, used: hash === null || salt === null || at === null ? null : { hash, salt, at } };
}
