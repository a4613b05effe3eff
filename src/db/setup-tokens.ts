import type { SecretHash } from "../domain/api-key.ts";
import type { Database } from "./database.ts";

/** The token of the setup link, which creates an administrator account. There is at most one. */
export class SetupTokensTable {
  readonly #replace;
  readonly #matches;
  readonly #remove;

  constructor({ sql }: Database) {
    this.#replace = sql.prepare<never, [SecretHash, number]>(
      "INSERT OR REPLACE INTO setup_token (pk, hash, created_at) VALUES (1, ?, ?)",
    );
    this.#matches = sql.prepare<object, [SecretHash]>("SELECT 1 FROM setup_token WHERE pk = 1 AND hash = ?");
    this.#remove = sql.prepare<never, []>("DELETE FROM setup_token WHERE pk = 1");
  }

  /** Replaces the token. Inside a write. */
  replace(hash: SecretHash, now: number): void {
    this.#replace.run(hash, now);
  }

  matches(hash: SecretHash): boolean {
    return this.#matches.get(hash) !== null;
  }

  /** Inside a write. */
  remove(): void {
    this.#remove.run();
  }
}
