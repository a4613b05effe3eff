import type { StoreId } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** Milliseconds. */
const MINUTE = 60_000;

/** What the database records about its contents directory, and about the time. */
export class StoreTable {
  readonly #id;
  readonly #keptUntil;
  readonly #put;
  readonly #sql;
  readonly #minute;

  constructor({ sql }: Database) {
    this.#sql = sql;
    this.#minute = sql.prepare<{ user_version: number }, []>("PRAGMA user_version");
    this.#id = sql.prepare<{ id: StoreId }, []>("SELECT id FROM store WHERE pk = 1");
    this.#keptUntil = sql.prepare<{ time: number }, []>(
      "SELECT strays_kept_until AS time FROM store WHERE pk = 1",
    );
    this.#put = sql.prepare<never, [StoreId, number]>(
      `INSERT INTO store (pk, id, strays_kept_until) VALUES (1, ?, ?)
       ON CONFLICT (pk) DO UPDATE SET id = excluded.id, strays_kept_until = excluded.strays_kept_until`,
    );
  }

  /** The identity; null in a new database, or one of an earlier version. */
  id(): StoreId | null {
    return this.#id.get()?.id ?? null;
  }

  /** Contents without a row that were written up to this time must not be removed; milliseconds. */
  straysKeptUntil(): number {
    return this.#keptUntil.get()?.time ?? 0;
  }

  /** Sets both. Inside a write. */
  put(id: StoreId, straysKeptUntil: number): void {
    this.#put.run(id, straysKeptUntil);
  }

  /**
   * When the clock was last known to be right, in milliseconds, to the minute; 0 if it never was. It is the number in
   * the file's header that SQLite leaves to the application.
   */
  trustedAt(): number {
    return (this.#minute.get()?.user_version ?? 0) * MINUTE;
  }

  /** Inside a write. */
  putTrustedAt(now: number): void {
    this.#sql.run(`PRAGMA user_version = ${Math.max(0, Math.floor(now / MINUTE))}`);
  }
}
