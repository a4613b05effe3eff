import type { OidcProvider } from "./oidc-flow.ts";
import { hashSecret, type SecretHash } from "../../domain/accounts/api-key.ts";
import { CofferError } from "../../domain/errors.ts";
import { type Identity, proposeUsername, type User } from "../../domain/accounts/user.ts";
import { newToken } from "../../domain/accounts/sign-in.ts";
import type { Origin } from "../../domain/audit/origin.ts";
import { sessionSubject, userSubject } from "../../domain/audit/subjects.ts";
import type { UserPk } from "../../domain/id.ts";
import { SERVER, userActor } from "../audit/audit.ts";
import type { Parts } from "../parts.ts";
import type { LiveSettings } from "../upkeep/live-settings.ts";
import { Service } from "../service.ts";
import type { Passwords } from "./passwords.ts";
import type { Sessions, SignedIn } from "./sessions.ts";
import type { Users } from "./users.ts";

export interface Browser {
  readonly origin: Origin;
  /** The token of the session that it had; null if it had none. */
  readonly previous: string | null;
}

/** By which way somebody signed in, or got an account. */
type SignInMethod = "setup" | "signup" | "password" | "provider";

/** All ways to sign in: the setup link, a password, registration, a provider. Each begins a new session. */
export class SignIn extends Service<
  Pick<Parts, "tables" | "audit" | "clock" | "log"> & {
    users: Users;
    sessions: Sessions;
    passwords: Passwords;
    settings: Pick<LiveSettings, "hasOpenSignups">;
    oidc: Pick<OidcProvider, "issuer" | "admins"> | null;
  }
> {
  /** The hash of the setup link's token; null while there is none. Of this process alone: each start makes a new one. */
  #setupToken: SecretHash | null = null;

  /** Makes those administrators whom the configuration lists, at start, and no others, except who set the server up. */
  async appoint(): Promise<void> {
    const { users, identities, writeFromReserve } = this.parts.tables;
    const { issuers, subjects } = this.#listed;
    // Most starts have nothing to write, and so no disk to wait for.
    if (subjects.length === 0 && users.listedAdmins().length === 0) return;
    await writeFromReserve(() => {
      const found = issuers.flatMap((issuer) => subjects.map((subject) => identities.find(issuer, subject)));
      const named = new Set(found.filter((pk) => pk !== null));
      for (const pk of users.listedAdmins()) {
        if (named.has(pk)) continue;
        users.setAdmin(pk, null);
        this.#recordAppointed("user.admin_revoked", pk);
      }
      for (const pk of named) {
        if (users.existing(pk).admin !== null) continue;
        users.setAdmin(pk, "listed");
        users.setPlan(pk, "team");
        this.#recordAppointed("user.admin_granted", pk);
      }
    });
  }

  #recordAppointed(action: "user.admin_granted" | "user.admin_revoked", pk: UserPk): void {
    const subject = userSubject(this.parts.tables.users.existing(pk));
    this.parts.audit.addBy(SERVER, null, { action, subject, detail: { by: "COFFER_ADMINS" } });
  }

  /** The administrators whom the configuration lists. A provider may use a trailing slash, or none. */
  get #listed() {
    const { oidc } = this.parts;
    const issuer = oidc?.issuer.replace(/\/$/, "");
    return { issuers: issuer === undefined ? [] : [issuer, `${issuer}/`], subjects: oidc?.admins ?? [] };
  }

  /** `isNew`: there is no administrator yet. `isOpen`: people may register with a password now. */
  options(): { readonly isNew: boolean; readonly isOpen: boolean } {
    const isNew = !this.parts.tables.users.hasAdmin();
    return { isNew, isOpen: this.parts.settings.hasOpenSignups && !isNew };
  }

  /** Makes the token of the setup link; an older one becomes invalid. Null if there is an administrator. */
  issueSetupToken(): string | null {
    if (this.parts.tables.users.hasAdmin()) return null;
    const { token, hash } = newToken();
    this.#setupToken = hash;
    return token;
  }

  isSetupToken(token: string): boolean {
    return hashSecret(token) === this.#setupToken && !this.parts.tables.users.hasAdmin();
  }

  /** Creates an administrator account. Throws GONE for a used link, NOT_FOUND for an unknown one, VALIDATION_ERROR. */
  async setUp(token: string, username: string, password: string, browser: Browser): Promise<SignedIn> {
    const { tables, users } = this.parts;
    this.#requireSetup(token);
    const draft = await users.draft(username, password);
    const signedIn = await tables.writeFromReserve(() => {
      this.#requireSetup(token);
      return this.#register(users.add(draft, "setup"), browser, "setup");
    });
    this.#setupToken = null;
    return signedIn;
  }

  /** Throws FORBIDDEN if sign-up is closed or there is no administrator yet; VALIDATION_ERROR, CONFLICT. */
  async signUp(username: string, password: string, browser: Browser): Promise<SignedIn> {
    const { tables, users, settings } = this.parts;
    if (!settings.hasOpenSignups) {
      throw new CofferError(
        "FORBIDDEN",
        "Sign-up is turned off on this server. Ask its administrator for an account.",
      );
    }
    if (!tables.users.hasAdmin())
      throw new CofferError(
        "FORBIDDEN",
        "This server has no administrator yet. Its operator must set it up first.",
      );
    const draft = await users.draft(username, password);
    return tables.write(() => this.#register(users.add(draft, null), browser, "signup"));
  }

  /** Throws UNAUTHORIZED. An unknown user and a wrong password give the same error after the same time. */
  async withPassword(username: string, password: string, browser: Browser): Promise<SignedIn> {
    const { tables, passwords } = this.parts;
    const user = tables.users.byUsername(username.toLowerCase());
    const hash = user === null || user.disabledAt !== null ? null : tables.users.passwordHash(user.pk);
    const matches = await passwords.matches(password, hash);
    if (user === null || !matches) throw wrong();
    return tables.writeFromReserve(() => {
      const present = tables.users.byPk(user.pk);
      // The password may have been changed, or the user disabled, during the verification.
      const isCurrent = present?.disabledAt === null && tables.users.passwordHash(user.pk) === hash;
      if (!isCurrent) throw wrong();
      return this.#begin(present, browser, "password");
    });
  }

  /**
   * Signs in a user of a provider, and creates the account the first time, whatever `signups` says: the provider
   * decides who has one. The first user is not made an administrator. Throws FORBIDDEN for a disabled user.
   */
  async withIdentity(identity: Identity, browser: Browser): Promise<SignedIn> {
    const { tables, log } = this.parts;
    const { issuer, subject } = identity;
    const isNew = tables.identities.find(issuer, subject) === null;
    const signedIn = await tables.writeFromReserve(() => {
      const known = tables.identities.find(issuer, subject);
      if (known === null) return this.#register(this.#addUserOf(identity), browser, "provider");
      tables.users.setProfile(known, identity.email, identity.displayName);
      const user = tables.users.existing(known);
      if (user.disabledAt !== null)
        throw new CofferError("FORBIDDEN", "This account is disabled. Ask the server's administrator.");
      return this.#begin(user, browser, "provider");
    });
    // The operator needs the subject to make them an administrator, and no page shows it.
    if (isNew)
      log.info("account created for a user of the provider", { user_id: signedIn.caller.userId, subject });
    return signedIn;
  }

  #addUserOf({ issuer, subject, names, email, displayName }: Identity): User {
    const { tables, users, clock } = this.parts;
    const username = tables.users.freeUsername(proposeUsername(names));
    const { issuers, subjects } = this.#listed;
    const isListed = issuers.includes(issuer) && subjects.includes(subject);
    const user = users.add({ username, email, displayName, passwordHash: null }, isListed ? "listed" : null);
    tables.identities.insert(issuer, subject, user.pk, clock.now());
    return user;
  }

  /** Begins the first session of a new user. Inside a write. */
  #register(user: User, browser: Browser, method: SignInMethod): SignedIn {
    const subject = userSubject(user);
    const detail = { method, admin: user.admin !== null };
    this.parts.audit.addBy(userActor(user), browser.origin, { action: "user.created", subject, detail });
    return this.#begin(user, browser, method);
  }

  /** Inside a write. */
  #begin(user: User, { origin, previous }: Browser, method: SignInMethod): SignedIn {
    const { audit, sessions } = this.parts;
    if (previous !== null) sessions.endFormer(previous, origin);
    const begun = sessions.begin(user, origin.userAgent ?? "");
    const subject = sessionSubject(begun.caller.sessionId);
    audit.addBy(userActor(user), origin, { action: "session.created", subject, detail: { method } });
    return begun;
  }

  #requireSetup(token: string): void {
    if (this.parts.tables.users.hasAdmin()) {
      throw new CofferError(
        "GONE",
        "This server already has an administrator: the setup link was used. Sign in instead.",
      );
    }
    if (hashSecret(token) !== this.#setupToken) {
      throw new CofferError("NOT_FOUND", "No such setup link; the server prints a new one when it starts.");
    }
  }
}

function wrong(): CofferError {
  return new CofferError(
    "UNAUTHORIZED",
    "The username or the password is wrong. Try again, or ask the server's administrator for a new password.",
  );
}
