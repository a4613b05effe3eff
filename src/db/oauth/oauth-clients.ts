import type { OAuthClient } from "../../domain/oauth/oauth-client.ts";
import type { Database } from "../engine/database.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  /** A JSON array. */
  readonly redirectUris: string;
}

/** OAuth clients that registered themselves; times are milliseconds since the epoch. */
export class OAuthClientsTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byId: sql.prepare<Row, [string, number]>(
        "SELECT id, name, redirect_uris AS redirectUris FROM oauth_client WHERE id = ? AND expires_at > ?",
      ),
      insert: sql.prepare<never, [string, string, string, number]>(
        "INSERT INTO oauth_client (id, name, redirect_uris, expires_at) VALUES (?, ?, ?, ?)",
      ),
      count: sql.prepare<{ clients: number }, []>("SELECT count(*) AS clients FROM oauth_client"),
      removeUnused: sql.prepare<never, [number]>(
        `DELETE FROM oauth_client WHERE id IN
         (SELECT id FROM oauth_client WHERE used = 0 ORDER BY expires_at LIMIT ?)`,
      ),
      use: sql.prepare<never, [number, string]>(
        "UPDATE oauth_client SET used = 1, expires_at = max(expires_at, ?) WHERE id = ?",
      ),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM oauth_client WHERE id IN
         (SELECT id FROM oauth_client WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
    };
  }

  byId(id: string, now: number): OAuthClient | null {
    const row = this.#sql.byId.get(id, now);
    return row === null ? null : { ...row, redirectUris: JSON.parse(row.redirectUris) };
  }

  /** Inside a write. */
  insert({ id, name, redirectUris }: OAuthClient, expiresAt: number): void {
    this.#sql.insert.run(id, name, JSON.stringify(redirectUris), expiresAt);
  }

  /**
   * Removes the oldest that nobody let in, if there are more than `most`. Returns how many are left. Inside a write.
   */
  trim(most: number): number {
    const clients = this.#sql.count.get()?.clients ?? 0;
    return clients <= most ? clients : clients - this.#sql.removeUnused.run(clients - most).changes;
  }

  /** Keeps a client for longer, because somebody let it in; does nothing for an unknown one. Inside a write. */
  use(id: string, expiresAt: number): void {
    this.#sql.use.run(expiresAt, id);
  }

  /** Removes up to `limit` that have expired. Returns how many. Inside a write. */
  removeExpired(now: number, limit: number): number {
    return this.#sql.removeExpired.run(now, limit).changes;
  }
}
