import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { DrivePk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

export interface ClaimToken {
  /** Null if the drive expired and was removed. */
  readonly drive: DrivePk | null;
  /** Times are milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

/** Claim tokens of drives, found by their hashes. */
export class ClaimTokensTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      find: sql.prepare<ClaimToken, [SecretHash]>(
        "SELECT drive, expires_at AS expiresAt, used_at AS usedAt FROM claim_token WHERE hash = ?",
      ),
      insert: sql.prepare<never, [SecretHash, DrivePk, number, number]>(
        "INSERT INTO claim_token (hash, drive, expires_at, created_at) VALUES (?, ?, ?, ?)",
      ),
      markUsed: sql.prepare<never, [number, SecretHash]>("UPDATE claim_token SET used_at = ? WHERE hash = ?"),
      removeOf: sql.prepare<never, [DrivePk]>("DELETE FROM claim_token WHERE drive = ?"),
      removeEnded: sql.prepare<never, [number, number]>(
        `DELETE FROM claim_token WHERE hash IN
         (SELECT hash FROM claim_token WHERE ifnull(used_at, expires_at) <= ?
           ORDER BY ifnull(used_at, expires_at) LIMIT ?)`,
      ),
    };
  }

  /** Null for an unknown token, one that ended long ago, or one whose drive was deleted by a caller. */
  find(hash: SecretHash): ClaimToken | null {
    return this.#sql.find.get(hash);
  }

  /** Inside a write. */
  insert(hash: SecretHash, drive: DrivePk, expiresAt: number, createdAt: number): void {
    this.#sql.insert.run(hash, drive, expiresAt, createdAt);
  }

  /** Inside a write. */
  markUsed(hash: SecretHash, now: number): void {
    this.#sql.markUsed.run(now, hash);
  }

  /** Removes the tokens of a drive that a caller deleted. Inside a write. */
  removeOf(drive: DrivePk): void {
    this.#sql.removeOf.run(drive);
  }

  /** Removes up to `limit` tokens that were used or expired by `before`. Returns how many. Inside a write. */
  removeEnded(before: number, limit: number): number {
    return this.#sql.removeEnded.run(before, limit).changes;
  }
}
