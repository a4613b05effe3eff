import type { StoreId } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** Milliseconds. */
const MINUTE = 60_000;

/** What the database records about its contents directory, and about the time. */
export function store({ sql }: Database) {
  const minute = sql.number<[]>("PRAGMA user_version");
  return {
    /** The identity; null in a new database, or one of an earlier version. */
    id: sql.value<StoreId, []>("SELECT id FROM store WHERE pk = 1"),
    /** Contents without a row that were written up to this time must not be removed; milliseconds. */
    straysKeptUntil: sql.number<[]>("SELECT strays_kept_until FROM store WHERE pk = 1"),
    /** Sets both. */
    put: sql.write<[id: StoreId, straysKeptUntil: number]>(
      `INSERT INTO store (pk, id, strays_kept_until) VALUES (1, ?, ?)
       ON CONFLICT (pk) DO UPDATE SET id = excluded.id, strays_kept_until = excluded.strays_kept_until`,
    ),
    /**
     * When the clock was last known to be right, in milliseconds, to the minute; 0 if it never was. It is the number in
     * the file's header that SQLite leaves to the application.
     */
    trustedAt: () => minute() * MINUTE,
    /** Inside a write. */
    putTrustedAt: (now: number) => {
      sql.run(`PRAGMA user_version = ${Math.max(0, Math.floor(now / MINUTE))}`);
    },
  };
}
