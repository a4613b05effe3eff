import { type Caller, requirePerson } from "../../domain/accounts/caller.ts";
import { type AccountWho, dayOf, type ServerWho, type UsageDay } from "../../domain/accounts/usage-day.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Users } from "./users.ts";

/** What was done on each day, as it was counted. */
export class UsageDays extends Service<Pick<Parts, "tables" | "clock" | "usage"> & { users: Users }> {
  /** Of the caller's account, by key, for so many days up to today. Throws FORBIDDEN for what was let in. */
  async ofAccount(caller: Caller, days: number): Promise<readonly UsageDay<AccountWho>[]> {
    const { userPk } = requirePerson(caller);
    await this.parts.usage.tryFlush();
    return this.parts.tables.usageDays.ofUser(userPk, this.#since(days));
  }

  /** Of all, by user. Throws FORBIDDEN unless the caller is an administrator with a session. */
  async ofServer(caller: Caller, days: number): Promise<readonly UsageDay<ServerWho>[]> {
    this.parts.users.requireAdmin(caller);
    await this.parts.usage.tryFlush();
    return this.parts.tables.usageDays.ofServer(this.#since(days));
  }

  #since(days: number): number {
    return dayOf(this.parts.clock.now()) - (days - 1) * DAY_MS;
  }
}
