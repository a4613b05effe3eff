import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { DrivePk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

interface ClaimToken {
  /** Null if the drive expired and was removed. */
  readonly drive: DrivePk | null;
  /** Times are milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

export function claimTokens({ sql }: Database) {
  return {
    /** Null for an unknown token, one that ended long ago, or one whose drive was deleted by a caller. */
    find: sql.get<ClaimToken, [hash: SecretHash]>(
      "SELECT drive, expires_at AS expiresAt, used_at AS usedAt FROM claim_token WHERE hash = ?",
    ),
    insert: sql.write<[hash: SecretHash, drive: DrivePk, expiresAt: number, createdAt: number]>(
      "INSERT INTO claim_token (hash, drive, expires_at, created_at) VALUES (?, ?, ?, ?)",
    ),
    markUsed: sql.write<[hash: SecretHash, now: number]>(
      "UPDATE claim_token SET used_at = ?2 WHERE hash = ?1",
    ),
    /** Removes the tokens of a drive that a caller deleted. */
    removeOf: sql.write<[drive: DrivePk]>("DELETE FROM claim_token WHERE drive = ?"),
    /** Removes up to `limit` tokens that were used or expired by `before`. */
    removeEnded: sql.removeSome<[before: number]>(
      "claim_token",
      "ifnull(used_at, expires_at) <= ? ORDER BY ifnull(used_at, expires_at)",
      "hash",
    ),
  };
}
