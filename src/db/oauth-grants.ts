import type { SecretHash } from "../domain/api-key.ts";
import type { KeyId } from "../domain/id.ts";
import type { Scope } from "../domain/scope.ts";
import type { Database } from "./database.ts";
import type { Parameters } from "./parameters.ts";

/** A client that a person let in. Its key has the rest: what it reaches, and until when. */
export interface OAuthGrant {
  readonly keyId: KeyId;
  readonly clientId: string;
  readonly scope: Scope;
  /** Of the one refresh token that works. */
  readonly refreshHash: SecretHash;
}

/** A grant to be stored. */
export interface NewOAuthGrant extends Omit<OAuthGrant, "scope"> {
  /** Of the authorization code that it began with. */
  readonly codeHash: SecretHash;
  /** Of the part of its refresh tokens that stays. */
  readonly familyHash: SecretHash;
}

/** Grants of OAuth clients. A grant goes with its key, so its reader must check whether that is valid. */
export class OAuthGrantsTable {
  readonly #byFamily;
  readonly #byAccess;
  readonly #keyOfCode;
  readonly #has;
  readonly #insert;
  readonly #setRefresh;

  constructor({ sql }: Database) {
    const grants = `SELECT g.key_id AS keyId, g.client_id AS clientId, g.refresh_hash AS refreshHash, k.scope
                      FROM oauth_grant g JOIN api_key k ON k.id = g.key_id`;
    this.#byFamily = sql.prepare<OAuthGrant, [SecretHash]>(`${grants} WHERE g.family_hash = ?`);
    this.#byAccess = sql.prepare<OAuthGrant, [SecretHash]>(`${grants} WHERE k.hash = ?`);
    this.#keyOfCode = sql.prepare<{ keyId: KeyId }, [SecretHash]>(
      "SELECT key_id AS keyId FROM oauth_grant WHERE code_hash = ?",
    );
    this.#has = sql.prepare<object, [KeyId]>("SELECT 1 FROM oauth_grant WHERE key_id = ?");
    this.#insert = sql.prepare<never, [Parameters<NewOAuthGrant>]>(
      `INSERT INTO oauth_grant (key_id, client_id, code_hash, family_hash, refresh_hash)
       VALUES (:keyId, :clientId, :codeHash, :familyHash, :refreshHash)`,
    );
    this.#setRefresh = sql.prepare<never, [SecretHash, KeyId]>(
      "UPDATE oauth_grant SET refresh_hash = ? WHERE key_id = ?",
    );
  }

  /** The grant of a family of refresh tokens. */
  byFamily(hash: SecretHash): OAuthGrant | null {
    return this.#byFamily.get(hash);
  }

  /** The grant of an access token, also of one that has expired. */
  byAccess(hash: SecretHash): OAuthGrant | null {
    return this.#byAccess.get(hash);
  }

  /** The key that a client got for an authorization code; null if it got none, or the grant has ended. */
  keyOfCode(hash: SecretHash): KeyId | null {
    return this.#keyOfCode.get(hash)?.keyId ?? null;
  }

  /** Whether a key was given to an OAuth client. */
  has(keyId: KeyId): boolean {
    return this.#has.get(keyId) !== null;
  }

  /** Inside a write. */
  insert(grant: NewOAuthGrant): void {
    this.#insert.run({ ...grant });
  }

  /** Replaces the refresh token that works. Inside a write. */
  setRefresh(keyId: KeyId, hash: SecretHash): void {
    this.#setRefresh.run(hash, keyId);
  }
}
