import type { Tables } from "../../db/tables.ts";
import type { UserPk } from "../../domain/id.ts";
import type { OidcProvider } from "./oidc.ts";

export class Administrators {
  readonly #tables: Tables;
  readonly #issuers: readonly string[];
  readonly #subjects: readonly string[];

  constructor(parts: { tables: Tables; oidc: Pick<OidcProvider, "issuer" | "admins"> | null }) {
    const { tables, oidc } = parts;
    this.#tables = tables;
    this.#issuers = oidc === null ? [] : spellings(oidc.issuer);
    this.#subjects = oidc?.admins ?? [];
  }

  /** Whether the configuration lists this user. */
  names(issuer: string, subject: string): boolean {
    return this.#issuers.includes(issuer) && this.#subjects.includes(subject);
  }

  /**
   * Applies the configuration to existing accounts, at start. Who is no longer listed stays if they set the server up.
   */
  async appoint(): Promise<void> {
    const { users, writeFromReserve } = this.#tables;
    // Most starts have nothing to write, and so no disk to wait for.
    if (this.#subjects.length === 0 && users.listedAdmins().length === 0) return;
    await writeFromReserve(() => {
      const named = new Set(this.#accounts());
      for (const pk of users.listedAdmins()) if (!named.has(pk)) users.setAdmin(pk, null);
      for (const pk of named) {
        if (users.existing(pk).admin !== null) continue;
        users.setAdmin(pk, "listed");
        users.setPlan(pk, "team");
      }
    });
  }

  #accounts(): UserPk[] {
    const { identities } = this.#tables;
    return this.#issuers
      .flatMap((issuer) => this.#subjects.map((subject) => identities.find(issuer, subject)))
      .filter((pk) => pk !== null);
  }
}

/** The issuer with and without a trailing slash: a provider may use either. */
function spellings(issuer: string): string[] {
  const bare = issuer.replace(/\/$/, "");
  return [bare, `${bare}/`];
}
