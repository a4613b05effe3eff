import type { RecordName } from "../domain/idempotency.ts";
import type { Database } from "./database.ts";

/** Encrypted responses to writes. Their names are derived from the caller and the Idempotency-Key. */
export class IdempotencyTable {
  readonly #find;
  readonly #put;
  readonly #removeExpired;

  constructor({ sql }: Database) {
    this.#find = sql.prepare<{ sealed: Uint8Array }, [RecordName, number]>(
      "SELECT sealed FROM idempotency_record WHERE name = ? AND expires_at > ?",
    );
    this.#put = sql.prepare<never, [RecordName, Uint8Array, number]>(
      `INSERT INTO idempotency_record (name, sealed, expires_at) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, expires_at = excluded.expires_at`,
    );
    this.#removeExpired = sql.prepare<never, [number, number]>(
      `DELETE FROM idempotency_record WHERE name IN
         (SELECT name FROM idempotency_record WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    );
  }

  /** The record under this name; null if there is none, or it has expired. */
  find(name: RecordName, now: number): Uint8Array | null {
    return this.#find.get(name, now)?.sealed ?? null;
  }

  /** Replaces an expired record of the same name. Inside a write. */
  put(name: RecordName, sealed: Uint8Array, expiresAt: number): void {
    this.#put.run(name, sealed, expiresAt);
  }

  /** Removes some expired records. Returns how many. Inside a write. */
  removeExpired(now: number, limit: number): number {
    return this.#removeExpired.run(now, limit).changes;
  }
}
