import type { UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** Users by issuer and subject of an OpenID Connect provider. */
export function identities({ sql }: Database) {
  return {
    find: sql.value<UserPk, [issuer: string, subject: string]>(
      "SELECT user FROM identity WHERE issuer = ? AND subject = ?",
    ),
    insert: sql.write<[issuer: string, subject: string, user: UserPk, now: number]>(
      "INSERT INTO identity (issuer, subject, user, created_at) VALUES (?, ?, ?, ?)",
    ),
  };
}
