import type { DriveId, UserId } from "../domain/id.ts";
import type { RecordName } from "../domain/idempotency.ts";
import type { Database } from "./engine/database.ts";

/** Encrypted responses to writes. Their names are derived from the caller and the Idempotency-Key. */
export class IdempotencyTable {
  readonly #sql;
  #kept: RecordName | null = null;

  constructor({ sql }: Database) {
    this.#sql = {
      find: sql.prepare<{ sealed: Uint8Array }, [RecordName, number]>(
        "SELECT sealed FROM idempotency_record WHERE name = ? AND expires_at > ?",
      ),
      usedBy: sql.prepare<{ size: number }, [UserId | DriveId]>(
        "SELECT size FROM idempotency_use WHERE owner = ?",
      ),
      removeOld: sql.prepare<never, [RecordName]>("DELETE FROM idempotency_record WHERE name = ?"),
      put: sql.prepare<never, [RecordName, UserId | DriveId | null, Uint8Array, number]>(
        "INSERT INTO idempotency_record (name, owner, sealed, expires_at) VALUES (?, ?, ?, ?)",
      ),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM idempotency_record WHERE name IN
         (SELECT name FROM idempotency_record WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
    };
  }

  /** The record under this name; null if there is none, or it has expired. */
  find(name: RecordName, now: number): Uint8Array | null {
    return this.#sql.find.get(name, now)?.sealed ?? null;
  }

  /** How many bytes the records of an owner take. Expired ones count until the sweep removes them. */
  usedBy(owner: UserId | DriveId): number {
    return this.#sql.usedBy.get(owner)?.size ?? 0;
  }

  /**
   * Replaces an expired record of the same name. Inside a write.
   *
   * @param owner for whom it counts; null for nobody
   */
  put(name: RecordName, owner: UserId | DriveId | null, sealed: Uint8Array, expiresAt: number): void {
    this.#sql.removeOld.run(name);
    this.#sql.put.run(name, owner, sealed, expiresAt);
    this.#kept = name;
  }

  /** The name of the record that was put last since the last call; null for none. Inside a write. */
  takeKept(): RecordName | null {
    const kept = this.#kept;
    this.#kept = null;
    return kept;
  }

  /** Forgets a response. Inside a write. */
  remove(name: RecordName): void {
    this.#sql.removeOld.run(name);
  }

  /** Removes some expired records. Returns how many. Inside a write. */
  removeExpired(now: number, limit: number): number {
    return this.#sql.removeExpired.run(now, limit).changes;
  }
}
