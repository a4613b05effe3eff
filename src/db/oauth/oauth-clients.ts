import type { OAuthClient } from "../../domain/oauth/oauth-client.ts";
import type { Database } from "../engine/database.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  /** A JSON array. */
  readonly redirectUris: string;
}

/** OAuth clients that registered themselves; times are milliseconds since the epoch. */
export function oauthClients({ sql }: Database) {
  const insert = sql.write<[id: string, name: string, redirectUris: string, expiresAt: number]>(
    "INSERT INTO oauth_client (id, name, redirect_uris, expires_at) VALUES (?, ?, ?, ?)",
  );
  const count = sql.number<[]>("SELECT count(*) AS clients FROM oauth_client");
  const removeUnused = sql.write<[limit: number]>(
    `DELETE FROM oauth_client WHERE id IN
       (SELECT id FROM oauth_client WHERE used = 0 ORDER BY expires_at LIMIT ?)`,
  );
  return {
    byId: sql.get<Row, [id: string, now: number], OAuthClient>(
      "SELECT id, name, redirect_uris AS redirectUris FROM oauth_client WHERE id = ? AND expires_at > ?",
      (row) => ({ ...row, redirectUris: JSON.parse(row.redirectUris) }),
    ),
    /** Inside a write. */
    insert: ({ id, name, redirectUris }: OAuthClient, expiresAt: number) =>
      insert(id, name, JSON.stringify(redirectUris), expiresAt),
    /**
     * Removes the oldest that nobody let in, if there are more than `most`. Returns how many are left. Inside a write.
     */
    trim: (most: number) => {
      const clients = count();
      return clients <= most ? clients : clients - removeUnused(clients - most);
    },
    /** Keeps a client for longer, because somebody let it in; does nothing for an unknown one. */
    use: sql.write<[id: string, expiresAt: number]>(
      "UPDATE oauth_client SET used = 1, expires_at = max(expires_at, ?2) WHERE id = ?1",
    ),
    removeExpired: sql.write<[now: number, limit: number]>(
      `DELETE FROM oauth_client WHERE id IN
         (SELECT id FROM oauth_client WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ),
  };
}
