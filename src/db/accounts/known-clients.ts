import type { KnownClientHash } from "../../domain/accounts/known-client.ts";
import type { Database } from "../engine/database.ts";

/** Clients that have sent an account's correct password; times are milliseconds since the epoch. */
export class KnownClientsTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      usedAt: sql.prepare<{ usedAt: number }, [KnownClientHash]>(
        "SELECT used_at AS usedAt FROM known_client WHERE hash = ?",
      ),
      put: sql.prepare<never, [KnownClientHash, number]>(
        `INSERT INTO known_client (hash, used_at) VALUES (?, ?)
       ON CONFLICT (hash) DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
      ),
      count: sql.prepare<{ clients: number }, []>("SELECT count(*) AS clients FROM known_client"),
      removeOldest: sql.prepare<never, [number]>(
        "DELETE FROM known_client WHERE hash IN (SELECT hash FROM known_client ORDER BY used_at LIMIT ?)",
      ),
      removeUnused: sql.prepare<never, [number, number]>(
        `DELETE FROM known_client WHERE hash IN
         (SELECT hash FROM known_client WHERE used_at <= ? ORDER BY used_at LIMIT ?)`,
      ),
    };
  }

  /** When it last sent the password; null if it is not known. */
  usedAt(hash: KnownClientHash): number | null {
    return this.#sql.usedAt.get(hash)?.usedAt ?? null;
  }

  /** Inside a write. */
  put(hash: KnownClientHash, now: number): void {
    this.#sql.put.run(hash, now);
  }

  /** Keeps the `most` most recently used. Inside a write. */
  trim(most: number): void {
    const surplus = (this.#sql.count.get()?.clients ?? 0) - most;
    if (surplus > 0) this.#sql.removeOldest.run(surplus);
  }

  /** Removes up to `limit` that were last used at `before` or earlier. Returns how many. Inside a write. */
  removeUnused(before: number, limit: number): number {
    return this.#sql.removeUnused.run(before, limit).changes;
  }
}
