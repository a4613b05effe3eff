import type { Within } from "../../db/engine/database.ts";
import type { Tables } from "../../db/tables.ts";
import { type Caller, requireSession } from "../../domain/accounts/caller.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import type { AuditFacts } from "../../domain/audit/audit-event.ts";
import { commandActor } from "../../domain/audit/new-audit-event.ts";
import { userSubject } from "../../domain/audit/subjects.ts";
import { CofferError, orNotFound } from "../../domain/errors.ts";
import { newId, parseId, type UserId } from "../../domain/id.ts";
import { type AdminBy, parseUsername, type User } from "../../domain/accounts/user.ts";
import { KEYS } from "../../domain/limits.ts";
import type { Parts } from "../parts.ts";
import { inPieces } from "../pieces.ts";
import { Service } from "../service.ts";
import type { Passwords } from "./passwords.ts";

export interface UserView {
  readonly user: User;
  readonly hasPassword: boolean;
  readonly driveCount: number;
}

export interface ManagedUser extends UserView {
  readonly totalSize: number;
}

/** What is to be changed of a user; undefined stays. */
interface UserUpdate {
  readonly plan?: Plan | undefined;
  readonly disabled?: boolean | undefined;
  readonly admin?: boolean | undefined;
  /** A new password: whoever knew the old one, or has a session or key of the user, reaches nothing any more. */
  readonly password?: string | undefined;
}

/** How many keys one transaction removes. */
const KEYS_AT_ONCE = 50;

interface UserDraft extends Pick<User, "username" | "email" | "displayName"> {
  /** Null for users who sign in at a provider. */
  readonly passwordHash: string | null;
}

/** Creates and manages users, for administrators, for sign-in and for the shell. */
export class Users extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "clock"> & { passwords: Passwords }
> {
  /** Every user, by username. Throws FORBIDDEN unless the caller is an administrator with a session. */
  list(caller: Caller): ManagedUser[] {
    this.requireAdmin(caller);
    return this.all().map((user) => this.#managed(user));
  }

  /** Creates a user on the plan `free`. Throws FORBIDDEN, VALIDATION_ERROR, CONFLICT. */
  async create(caller: Caller, username: string, password: string, within?: Within<ManagedUser>) {
    this.requireAdmin(caller);
    const draft = await this.draft(username, password);
    return this.parts.access.write(caller, within, () => {
      this.requireAdmin(caller);
      const user = this.add(draft, null);
      this.parts.audit.add(caller, { action: "user.created", subject: userSubject(user) });
      return this.#managed(user);
    });
  }

  /**
   * At once. The sessions of a disabled user end, and keys do not work until it is enabled; where the password is reset,
   * both end for good. Throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.
   */
  async update(
    caller: Caller,
    reference: string,
    { plan, disabled, admin, password }: UserUpdate,
    within?: Within<ManagedUser>,
  ): Promise<ManagedUser> {
    const { access, audit, tables, passwords } = this.parts;
    // Before a password is hashed, which takes long.
    this.managedBy(caller, reference);
    const hash = password === undefined ? null : await passwords.hash(password);
    if (hash !== null) await this.#endKeys(caller, reference);
    return access.writeFromReserve(caller, within, () => {
      const before = this.managedBy(caller, reference);
      const { pk } = before;
      if (plan !== undefined) tables.users.setPlan(pk, plan);
      if (disabled === true) this.disable(pk);
      if (disabled === false) tables.users.setDisabledAt(pk, null);
      if (admin !== undefined) this.#appoint(pk, admin);
      if (hash !== null) this.#reset(caller, pk, hash);
      const user = tables.users.existing(pk);
      for (const facts of changesOf(before, user)) audit.add(caller, facts);
      if (hash !== null) audit.add(caller, { action: "password.changed", subject: userSubject(user) });
      return this.#managed(user);
    });
  }

  /** A user whom an administrator asks for. Throws FORBIDDEN unless the caller is one with a session; NOT_FOUND. */
  managedBy(caller: Caller, reference: string): User {
    this.requireAdmin(caller);
    return this.#known(parseId<UserId>(reference));
  }

  async draft(name: string, password: string): Promise<UserDraft> {
    const username = parseUsername("username", name);
    const passwordHash = await this.parts.passwords.hash(password);
    return { username, email: null, displayName: null, passwordHash };
  }

  /** Creates a user: an administrator on the plan `team`, others on `free`. Throws CONFLICT. Inside a write. */
  add(draft: UserDraft, admin: AdminBy | null): User {
    const { users } = this.parts.tables;
    if (users.isTaken(draft.username)) {
      throw new CofferError("CONFLICT", `The username "${draft.username}" is taken. Choose another.`);
    }
    const now = this.parts.clock.now();
    const plan = admin === null ? "free" : "team";
    users.insert({ ...draft, id: newId<UserId>(now), plan, admin, createdAt: now });
    return this.#named(draft.username);
  }

  all(): User[] {
    return this.parts.tables.users.all();
  }

  /** Creates a user from the shell: an administrator if there is none yet. Throws VALIDATION_ERROR, CONFLICT. */
  async createFromShell(username: string, password: string): Promise<User> {
    const draft = await this.draft(username, password);
    return this.parts.tables.write(() => {
      const user = this.add(draft, this.parts.tables.users.hasAdmin() ? null : "setup");
      const detail = { admin: user.admin !== null };
      this.#recordFromShell("user create", { action: "user.created", subject: userSubject(user), detail });
      return user;
    });
  }

  /** Sets a user's password from the shell and ends all their sessions. Throws VALIDATION_ERROR, NOT_FOUND. */
  async resetPassword(username: string, password: string): Promise<User> {
    this.#named(username);
    const hash = await this.parts.passwords.hash(password);
    return this.parts.tables.write(() => {
      const user = this.#named(username);
      this.parts.tables.users.setPasswordHash(user.pk, hash);
      this.parts.tables.sessions.removeAllOf(user.pk);
      const facts = { action: "password.changed", subject: userSubject(user) } as const;
      this.#recordFromShell("user reset-password", facts);
      return user;
    });
  }

  /** Sets a user's plan from the shell, from the next request on. Throws NOT_FOUND. */
  setPlan(username: string, plan: Plan): Promise<User> {
    return this.parts.tables.write(() => {
      const before = this.#named(username);
      this.parts.tables.users.setPlan(before.pk, plan);
      const user = this.#named(username);
      for (const facts of changesOf(before, user)) this.#recordFromShell("user set-plan", facts);
      return user;
    });
  }

  #recordFromShell(command: string, facts: AuditFacts): void {
    this.parts.audit.addBy(commandActor(command), null, facts);
  }

  /** Throws FORBIDDEN unless the caller is an administrator with a session. */
  requireAdmin(caller: Caller): void {
    if (this.parts.tables.users.existing(requireSession(caller).userPk).admin !== null) return;
    throw new CofferError("FORBIDDEN", "Only administrators of this server can do this. Ask one of them.");
  }

  /** In pieces: there may be many, and the last are removed with the password. */
  async #endKeys(caller: Caller, reference: string): Promise<void> {
    const { access, tables } = this.parts;
    await inPieces(() =>
      access.writeFromReserve(caller, undefined, () => {
        const { pk } = this.managedBy(caller, reference);
        this.#requireResettable(caller, pk);
        return tables.apiKeys.removeSomeOfUser(pk, KEYS_AT_ONCE);
      }),
    );
  }

  #reset(caller: Caller, pk: User["pk"], hash: string): void {
    const { users, sessions, apiKeys } = this.parts.tables;
    this.#requireResettable(caller, pk);
    users.setPasswordHash(pk, hash);
    sessions.removeAllOf(pk);
    apiKeys.removeSomeOfUser(pk, KEYS.account);
  }

  /** Not one's own, which takes the current one; nor of who signs in at a provider. */
  #requireResettable(caller: Caller, pk: User["pk"]): void {
    if (requireSession(caller).userPk === pk)
      throw new CofferError("FORBIDDEN", "Change your own password on your account page.");
    if (this.parts.tables.users.passwordHash(pk) === null)
      throw new CofferError("FORBIDDEN", "This user has no password, and signs in at a provider.");
  }

  /** Makes an administrator, or takes that away: never from the last one that can sign in. */
  #appoint(pk: User["pk"], isAdmin: boolean): void {
    const { users } = this.parts.tables;
    const { admin, disabledAt } = users.existing(pk);
    if (isAdmin === (admin !== null)) return;
    if (isAdmin && disabledAt !== null)
      throw new CofferError(
        "FORBIDDEN",
        "A disabled user cannot become an administrator. Enable them first.",
      );
    if (admin === "listed")
      throw new CofferError(
        "FORBIDDEN",
        "The server's configuration makes this user an administrator. Change it there.",
      );
    users.setAdmin(pk, isAdmin ? "setup" : null);
    if (!users.hasAdmin())
      throw new CofferError("FORBIDDEN", "This is the only administrator. Make another one first.");
  }

  /** Ends the sessions; keys do not work any more. Throws FORBIDDEN for an administrator. Inside a write. */
  disable(pk: User["pk"]): void {
    const { users, sessions } = this.parts.tables;
    const { admin, disabledAt } = users.existing(pk);
    if (admin !== null) throw new CofferError("FORBIDDEN", "An administrator cannot be disabled.");
    if (disabledAt === null) users.setDisabledAt(pk, this.parts.clock.now());
    sessions.removeAllOf(pk);
  }

  #known(id: UserId | null): User {
    return orNotFound(id && this.parts.tables.users.byId(id), "user");
  }

  #named(username: string): User {
    const user = this.parts.tables.users.byUsername(username);
    if (user === null) throw new CofferError("NOT_FOUND", `There is no user "${username}".`);
    return user;
  }

  #managed(user: User): ManagedUser {
    const { tables, clock } = this.parts;
    const now = clock.now();
    return { ...viewOf(user, tables, now), totalSize: tables.drives.storedBy(user.pk, now) };
  }
}

/** What the audit log is told of a user who was changed. */
function changesOf(before: User, after: User): AuditFacts[] {
  const subject = userSubject(after);
  const isOff = after.disabledAt !== null;
  const isAdmin = after.admin !== null;
  const facts: AuditFacts[] = [];
  if (before.plan !== after.plan)
    facts.push({ action: "user.plan_changed", subject, detail: { from: before.plan, to: after.plan } });
  if (isOff !== (before.disabledAt !== null))
    facts.push({ action: isOff ? "user.disabled" : "user.enabled", subject });
  if (isAdmin !== (before.admin !== null))
    facts.push({ action: isAdmin ? "user.admin_granted" : "user.admin_revoked", subject });
  return facts;
}

/** What both the user and administrators see of a user. */
export function viewOf(user: User, { users, drives }: Tables, now: number): UserView {
  return {
    user,
    hasPassword: users.passwordHash(user.pk) !== null,
    driveCount: drives.countOf(user.pk, now),
  };
}
