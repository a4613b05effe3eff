import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import { type Caller, type Plan, requireAccount } from "../domain/caller.ts";
import type { User } from "../domain/user.ts";
import type { Quota } from "./quota.ts";

/** An account as its owner sees it. */
export interface Account {
  readonly user: User;
  /** Whether it can sign in with a password. */
  readonly hasPassword: boolean;
  readonly driveCount: number;
  readonly limits: AccountLimits;
}

/** What an account's plan and the server allow. */
export interface AccountLimits {
  readonly requestsPerMinute: number;
  /** Bytes; null without a limit. */
  readonly storage: number | null;
  /** Bytes. */
  readonly fileSize: number;
}

/** What accounts are told from. */
export interface AccountsParts {
  readonly tables: Tables;
  readonly quota: Quota;
  readonly clock: Clock;
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  /** Bytes. */
  readonly maxFileSize: number;
}

/** What accounts are and may do, for those who hold them. */
export class Accounts {
  readonly #parts: AccountsParts;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
  }

  /** The caller's own account. Throws FORBIDDEN for a drive caller. */
  get(caller: Caller): Account {
    const { tables, quota, clock, rateLimits, maxFileSize } = this.#parts;
    const user = tables.users.existing(requireAccount(caller).userPk);
    return {
      user,
      hasPassword: tables.users.passwordHash(user.pk) !== null,
      driveCount: tables.drives.countOf(user.pk, clock.now()),
      limits: {
        requestsPerMinute: rateLimits[user.plan],
        storage: quota.limitFor(user.plan),
        fileSize: maxFileSize,
      },
    };
  }
}
