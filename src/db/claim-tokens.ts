import type { SecretHash } from "../domain/api-key.ts";
import type { DrivePk } from "../domain/id.ts";
import type { Database } from "./database.ts";

export class ClaimTokens {
  readonly #insert;
  readonly #removeOf;

  constructor({ sql }: Database) {
    this.#insert = sql.prepare<never, [SecretHash, DrivePk, number, number]>(
      "INSERT INTO claim_token (hash, drive, expires_at, created_at) VALUES (?, ?, ?, ?)",
    );
    this.#removeOf = sql.prepare<never, [DrivePk]>("DELETE FROM claim_token WHERE drive = ?");
  }

  /** Inside a write. */
  insert(hash: SecretHash, drive: DrivePk, expiresAt: number, createdAt: number): void {
    this.#insert.run(hash, drive, expiresAt, createdAt);
  }

  /** Forgets the tokens of a drive that its owner deleted. Inside a write. */
  removeOf(drive: DrivePk): void {
    this.#removeOf.run(drive);
  }
}
