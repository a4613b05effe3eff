import type { KnownClientHash } from "../../domain/accounts/sign-in.ts";
import type { Database } from "../engine/database.ts";

/** Clients that have sent an account's correct password; times are milliseconds since the epoch. */
export function knownClients({ sql }: Database) {
  const count = sql.number<[]>("SELECT count(*) AS clients FROM known_client");
  const removeOldest = sql.write<[limit: number]>(
    "DELETE FROM known_client WHERE hash IN (SELECT hash FROM known_client ORDER BY used_at LIMIT ?)",
  );
  return {
    /** When it last sent the password; null if it is not known. */
    usedAt: sql.value<number, [hash: KnownClientHash]>("SELECT used_at FROM known_client WHERE hash = ?"),
    put: sql.write<[hash: KnownClientHash, now: number]>(
      `INSERT INTO known_client (hash, used_at) VALUES (?, ?)
       ON CONFLICT (hash) DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
    ),
    /** Keeps the `most` most recently used. Inside a write. */
    trim: (most: number) => {
      const surplus = count() - most;
      if (surplus > 0) removeOldest(surplus);
    },
    /** Removes up to `limit` that were last used at `before` or earlier. */
    removeUnused: sql.write<[before: number, limit: number]>(
      `DELETE FROM known_client WHERE hash IN
         (SELECT hash FROM known_client WHERE used_at <= ? ORDER BY used_at LIMIT ?)`,
    ),
  };
}
