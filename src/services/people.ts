import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { type Caller, type Plan, requireSession } from "../domain/caller.ts";
import { CofferError, notFound } from "../domain/errors.ts";
import { parseId, type UserId } from "../domain/id.ts";
import type { User } from "../domain/user.ts";
import type { Access } from "./access.ts";
import type { Users } from "./users.ts";

/** Somebody with an account, as administrators see them. */
export interface Person {
  readonly user: User;
  readonly hasPassword: boolean;
  readonly driveCount: number;
  /** Bytes in all their drives. */
  readonly totalSize: number;
}

/** What administrators may change about somebody; what is left out stays. */
export interface PersonChange {
  readonly plan?: Plan | undefined;
  readonly disabled?: boolean | undefined;
}

/**
 * Who has an account here. All of it is for administrators alone, signed in; everybody else gets
 * FORBIDDEN.
 */
export class People {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #users: Users;

  constructor(parts: { tables: Tables; access: Access; clock: Clock; users: Users }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#clock = parts.clock;
    this.#users = parts.users;
  }

  /** Everybody, by username. */
  list(caller: Caller): Person[] {
    this.#requireAdmin(caller);
    return this.#tables.users.all().map((user) => this.#person(user));
  }

  /** Makes a local account on the plan `free`. Throws VALIDATION_ERROR, CONFLICT when the name is taken. */
  async create(caller: Caller, username: string, password: string, within?: Within<Person>): Promise<Person> {
    this.#requireAdmin(caller);
    const draft = await this.#users.draft(username, password);
    return this.#access.write(caller, within, () => {
      this.#requireAdmin(caller);
      return this.#person(this.#users.add(draft, null));
    });
  }

  /**
   * Changes a plan, or shuts somebody out and lets them in again. A disabled person's sessions end for
   * good, their keys rest until they are enabled; both at once.
   *
   * @throws CofferError NOT_FOUND, FORBIDDEN for disabling an administrator
   */
  async update(
    caller: Caller,
    reference: string,
    { plan, disabled }: PersonChange,
    within?: Within<Person>,
  ): Promise<Person> {
    this.#requireAdmin(caller);
    const id = parseId<UserId>(reference);
    return this.#access.writeFromReserve(caller, within, () => {
      this.#requireAdmin(caller);
      const { pk } = this.#known(id);
      if (plan !== undefined) this.#tables.users.setPlan(pk, plan);
      if (disabled === true) this.#disable(pk);
      if (disabled === false) this.#tables.users.setDisabledAt(pk, null);
      return this.#person(this.#known(id));
    });
  }

  #disable(pk: User["pk"]): void {
    const { users, sessions } = this.#tables;
    const { admin, disabledAt } = users.existing(pk);
    if (admin !== null) {
      throw new CofferError("FORBIDDEN", "An administrator cannot be disabled.");
    }
    if (disabledAt === null) users.setDisabledAt(pk, this.#clock.now());
    sessions.removeAllOf(pk);
  }

  #known(id: UserId | null): User {
    const user = id === null ? null : this.#tables.users.byId(id);
    if (user === null) throw notFound("person");
    return user;
  }

  #person(user: User): Person {
    const { users, drives } = this.#tables;
    const now = this.#clock.now();
    return {
      user,
      hasPassword: users.passwordHash(user.pk) !== null,
      driveCount: drives.countOf(user.pk, now),
      totalSize: drives.storedBy(user.pk, now),
    };
  }

  #requireAdmin(caller: Caller): void {
    if (this.#tables.users.existing(requireSession(caller).userPk).admin !== null) return;
    throw new CofferError("FORBIDDEN", "Only administrators of this server can manage users.");
  }
}
