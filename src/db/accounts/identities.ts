import type { UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** Users by issuer and subject of an OpenID Connect provider. */
export class IdentitiesTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      find: sql.prepare<{ user: UserPk }, [string, string]>(
        "SELECT user FROM identity WHERE issuer = ? AND subject = ?",
      ),
      insert: sql.prepare<never, [string, string, UserPk, number]>(
        "INSERT INTO identity (issuer, subject, user, created_at) VALUES (?, ?, ?, ?)",
      ),
    };
  }

  find(issuer: string, subject: string): UserPk | null {
    return this.#sql.find.get(issuer, subject)?.user ?? null;
  }

  /** Inside a write. */
  insert(issuer: string, subject: string, user: UserPk, now: number): void {
    this.#sql.insert.run(issuer, subject, user, now);
  }
}
