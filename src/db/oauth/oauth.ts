import type { OAuthClient } from "../../domain/oauth/oauth-client.ts";
import type { Database } from "../engine/database.ts";
import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { KeyId } from "../../domain/id.ts";
import type { Scope } from "../../domain/accounts/roles.ts";

type ClientRow = Omit<OAuthClient, "redirectUris"> & {
  /** A JSON array. */
  readonly redirectUris: string;
};

/** OAuth clients that registered themselves; times are milliseconds since the epoch. */
export function oauthClients({ sql }: Database) {
  const insert = sql.write<[id: string, name: string, redirectUris: string, expiresAt: number]>(
    "INSERT INTO oauth_client (id, name, redirect_uris, expires_at) VALUES (?, ?, ?, ?)",
  );
  const count = sql.number<[]>("SELECT count(*) AS clients FROM oauth_client");
  const removeUnused = sql.removeSome<[]>("oauth_client", "used = 0 ORDER BY expires_at", "id");
  return {
    byId: sql.get<ClientRow, [id: string, now: number], OAuthClient>(
      "SELECT id, name, redirect_uris AS redirectUris FROM oauth_client WHERE id = ? AND expires_at > ?",
      (row) => ({ ...row, redirectUris: JSON.parse(row.redirectUris) }),
    ),
    /** Inside a write. */
    insert: ({ id, name, redirectUris }: OAuthClient, expiresAt: number) =>
      insert(id, name, JSON.stringify(redirectUris), expiresAt),
    /** Removes the oldest that nobody let in, beyond `most`. Returns how many are left. Inside a write. */
    trim: (most: number) => {
      const clients = count();
      return clients <= most ? clients : clients - removeUnused(clients - most);
    },
    /** Keeps a client for longer, because somebody let it in; does nothing for an unknown one. */
    use: sql.write<[id: string, expiresAt: number]>(
      "UPDATE oauth_client SET used = 1, expires_at = max(expires_at, ?2) WHERE id = ?1",
    ),
    removeExpired: sql.removeSome<[now: number]>("oauth_client", "expires_at <= ? ORDER BY expires_at", "id"),
  };
}

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

type UsedRefresh = {
  readonly hash: SecretHash;
  /** What its answer was derived with. */
  readonly salt: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

type NewOAuthGrant = Omit<OAuthGrant, "scope" | "used"> & {
  /** Of the authorization code that it began with. */
  readonly codeHash: SecretHash;
  /** Of the part of its refresh tokens that stays. */
  readonly familyHash: SecretHash;
};

type Row = Omit<OAuthGrant, "used"> & {
  readonly usedHash: SecretHash | null;
  readonly usedSalt: Uint8Array | null;
  readonly usedAt: number | null;
};

/** Grants of OAuth clients. A grant goes with its key, so its reader must check whether that is valid. */
export function oauthGrants({ sql }: Database) {
  const grants = `SELECT g.key_id AS keyId, g.client_id AS clientId, g.refresh_hash AS refreshHash, k.scope,
                         g.used_hash AS usedHash, g.used_salt AS usedSalt, g.used_at AS usedAt
                    FROM oauth_grant g JOIN api_key k ON k.id = g.key_id`;
  const setRefresh = sql.write<[UsedRefresh & { keyId: KeyId; next: SecretHash }]>(
    `UPDATE oauth_grant SET refresh_hash = :next, used_hash = :hash, used_salt = :salt, used_at = :at
      WHERE key_id = :keyId`,
  );
  return {
    byFamily: sql.get<Row, [hash: SecretHash], OAuthGrant>(`${grants} WHERE g.family_hash = ?`, fromRow),
    /** The grant of an access token, also of one that has expired. */
    byAccess: sql.get<Row, [hash: SecretHash], OAuthGrant>(`${grants} WHERE k.hash = ?`, fromRow),
    /** The key that a client got for an authorization code; null if it got none, or the grant has ended. */
    keyOfCode: sql.value<KeyId, [hash: SecretHash]>("SELECT key_id FROM oauth_grant WHERE code_hash = ?"),
    has: sql.has<[keyId: KeyId]>("SELECT 1 FROM oauth_grant WHERE key_id = ?"),
    insert: sql.write<[NewOAuthGrant]>(
      `INSERT INTO oauth_grant (key_id, client_id, code_hash, family_hash, refresh_hash)
       VALUES (:keyId, :clientId, :codeHash, :familyHash, :refreshHash)`,
    ),
    /** Replaces the refresh token that works, which was used. Inside a write. */
    setRefresh: (keyId: KeyId, next: SecretHash, used: UsedRefresh) => setRefresh({ ...used, keyId, next }),
    /** Forgets what is needed to give the last answer again. */
    forgetUsed: sql.write<[keyId: KeyId]>(
      "UPDATE oauth_grant SET used_hash = NULL, used_salt = NULL, used_at = NULL WHERE key_id = ?",
    ),
  };
}

function fromRow({ usedHash: hash, usedSalt: salt, usedAt: at, ...grant }: Row): OAuthGrant {
  return { ...grant, used: hash === null || salt === null || at === null ? null : { hash, salt, at } };
}
