import type { Within } from "../../db/engine/database.ts";
import type { Tables } from "../../db/tables.ts";
import { type Caller, requireAccount, requireSession } from "../../domain/accounts/caller.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import { CofferError, invalid, orNotFound } from "../../domain/errors.ts";
import { newId, parseId, type UserId } from "../../domain/id.ts";
import { type AdminBy, parseUsername, type User } from "../../domain/accounts/user.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Passwords } from "./passwords.ts";
import { hashSecret } from "../../domain/accounts/api-key.ts";

export interface UserView {
  readonly user: User;
  readonly hasPassword: boolean;
  readonly driveCount: number;
}

export interface ManagedUser extends UserView {
  readonly totalSize: number;
}

interface UserDraft extends Pick<User, "username" | "email" | "displayName"> {
  /** Null for users who sign in at a provider. */
  readonly passwordHash: string | null;
}

/** Creates and manages users, for administrators, for sign-in and for the shell. */
export class Users extends Service<Pick<Parts, "tables" | "access" | "clock"> & { passwords: Passwords }> {
  /** Every user, by username. Throws FORBIDDEN unless the caller is an administrator with a session. */
  list(caller: Caller): ManagedUser[] {
    this.#requireAdmin(caller);
    return this.all().map((user) => this.#managed(user));
  }

  /** Creates a user on the plan `free`. Throws FORBIDDEN, VALIDATION_ERROR, CONFLICT. */
  async create(caller: Caller, username: string, password: string, within?: Within<ManagedUser>) {
    this.#requireAdmin(caller);
    const draft = await this.draft(username, password);
    return this.parts.access.write(caller, within, () => {
      this.#requireAdmin(caller);
      return this.#managed(this.add(draft, null));
    });
  }

  /** At once. The sessions of a disabled user end, and keys do not work until it is enabled. Throws FORBIDDEN, NOT_FOUND. */
  async update(
    caller: Caller,
    reference: string,
    { plan, disabled }: { plan?: Plan | undefined; disabled?: boolean | undefined },
    within?: Within<ManagedUser>,
  ): Promise<ManagedUser> {
    this.#requireAdmin(caller);
    const id = parseId<UserId>(reference);
    return this.parts.access.writeFromReserve(caller, within, () => {
      this.#requireAdmin(caller);
      const { pk } = this.#known(id);
      if (plan !== undefined) this.parts.tables.users.setPlan(pk, plan);
      if (disabled === true) this.#disable(pk);
      if (disabled === false) this.parts.tables.users.setDisabledAt(pk, null);
      return this.#managed(this.#known(id));
    });
  }

  async draft(name: string, password: string): Promise<UserDraft> {
    const username = parseUsername("username", name);
    const passwordHash = await this.parts.passwords.hash(password);
    return { username, email: null, displayName: null, passwordHash };
  }

  /** Creates a user: an administrator on the plan `team`, others on `free`. Throws CONFLICT. Inside a write. */
  add(draft: UserDraft, admin: AdminBy | null): User {
    const { users } = this.parts.tables;
    if (users.byUsername(draft.username) !== null) {
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
    return this.parts.tables.write(() =>
      this.add(draft, this.parts.tables.users.hasAdmin() ? null : "setup"),
    );
  }

  /** Sets a user's password from the shell and ends all their sessions. Throws VALIDATION_ERROR, NOT_FOUND. */
  async resetPassword(username: string, password: string): Promise<User> {
    this.#named(username);
    const hash = await this.parts.passwords.hash(password);
    return this.parts.tables.write(() => {
      const user = this.#named(username);
      this.parts.tables.users.setPasswordHash(user.pk, hash);
      this.parts.tables.sessions.removeAllOf(user.pk);
      return user;
    });
  }

  /** Sets a user's plan from the shell, from the next request on. Throws NOT_FOUND. */
  setPlan(username: string, plan: Plan): Promise<User> {
    return this.parts.tables.write(() => {
      const { pk } = this.#named(username);
      this.parts.tables.users.setPlan(pk, plan);
      return this.#named(username);
    });
  }

  #requireAdmin(caller: Caller): void {
    if (this.parts.tables.users.existing(requireSession(caller).userPk).admin !== null) return;
    throw new CofferError(
      "FORBIDDEN",
      "Only administrators of this server can manage users. Ask one of them.",
    );
  }

  #disable(pk: User["pk"]): void {
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

function viewOf(user: User, { users, drives }: Tables, now: number): UserView {
  return {
    user,
    hasPassword: users.passwordHash(user.pk) !== null,
    driveCount: drives.countOf(user.pk, now),
  };
}

export type Account = ReturnType<Accounts["get"]>;

interface PasswordChange {
  readonly current: string;
  readonly password: string;
  /** Of the session that sends the request; only that one is kept. */
  readonly token: string;
}

/** Users' own accounts. For what administrators do with users see `Users`. */
export class Accounts extends Service<
  Pick<Parts, "tables" | "access" | "quota" | "clock" | "retention"> & {
    passwords: Passwords;
    /** Requests per minute. */
    rateLimits: Readonly<Record<Plan, number>>;
    /** Bytes. */
    maxFileSize: number;
  }
> {
  /** The caller's own account. Throws FORBIDDEN for a drive caller. */
  get(caller: Caller) {
    const { tables, quota, clock, rateLimits, maxFileSize, retention } = this.parts;
    const user = tables.users.existing(requireAccount(caller).userPk);
    return {
      ...viewOf(user, tables, clock.now()),
      /** What the plan and the server allow. */
      limits: {
        requestsPerMinute: rateLimits[user.plan],
        /** Bytes; null without a limit. */
        storage: quota.limitFor(user.plan),
        /** Bytes. */
        fileSize: maxFileSize,
        /** What is kept of replaced and deleted files. */
        kept: retention,
      },
    };
  }

  /** Ends the other sessions too. Throws FORBIDDEN for a key, and without a password; VALIDATION_ERROR. */
  async changePassword(caller: Caller, { current, password, token }: PasswordChange, within?: Within<void>) {
    const { tables, access, passwords } = this.parts;
    const { userPk } = requireSession(caller);
    const { users, sessions } = tables;
    const before = users.passwordHash(userPk);
    if (before === null) {
      throw new CofferError(
        "FORBIDDEN",
        "This account has no password: it signs in at its provider. Change the password there.",
      );
    }
    if (!(await passwords.matches(current, before))) throw wrongCurrent();
    const after = await passwords.hash(password);
    return access.writeFromReserve(caller, within, () => {
      // It may have been changed during the verification.
      if (users.passwordHash(userPk) !== before) throw wrongCurrent();
      users.setPasswordHash(userPk, after);
      sessions.removeOthersOf(userPk, hashSecret(token));
    });
  }
}

function wrongCurrent(): CofferError {
  return invalid("current", "is wrong");
}
