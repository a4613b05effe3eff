import type { Within } from "../../db/engine/database.ts";
import { hashSecret } from "../../domain/accounts/api-key.ts";
import { type Caller, requireAccount, requireSession } from "../../domain/accounts/caller.ts";
import { userSubject } from "../../domain/audit/subjects.ts";
import type { Language } from "../../domain/accounts/language.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Passwords } from "./passwords.ts";
import { viewOf } from "./users.ts";

export type Account = ReturnType<Accounts["get"]>;

interface PasswordChange {
  readonly current: string;
  readonly password: string;
  /** Of the session that sends the request; only that one is kept. */
  readonly token: string;
}

/** Users' own accounts. For what administrators do with users see `Users`. */
export class Accounts extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "quota" | "clock" | "retention"> & {
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

  /** @param language of the dashboard; null for the one that the browser asks for. Throws FORBIDDEN for a key. */
  setLanguage(caller: Caller, language: Language | null, within?: Within<Account>): Promise<Account> {
    const { tables, access } = this.parts;
    const { userPk } = requireSession(caller);
    return access.write(caller, within, () => {
      tables.users.setLanguage(userPk, language);
      return this.get(caller);
    });
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
      const subject = userSubject(users.existing(userPk));
      this.parts.audit.add(caller, { action: "password.changed", subject });
    });
  }
}

function wrongCurrent(): CofferError {
  return invalid("current", "is wrong");
}
