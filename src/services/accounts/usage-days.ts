import { type Caller, requirePerson } from "../../domain/accounts/caller.ts";
import { ServerKeyDays } from "../../domain/accounts/server-key-days.ts";
import {
  type AccountWho,
  dayOf,
  type ServerKeyDay,
  type ServerWho,
  type UsageDay,
} from "../../domain/accounts/usage-day.ts";
import { DAY_MS } from "../../domain/time.ts";
import { KeptCounts } from "../kept-counts.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Users } from "./users.ts";

/** How many rows of accounts are looked at in one statement. */
const ROWS = 100;
/** For how many numbers of days results are kept. */
const KEPT = 3;

/** What was done on each day, as it was counted. */
export class UsageDays extends Service<Pick<Parts, "tables" | "clock" | "usage"> & { users: Users }> {
  readonly #byKey = new KeptCounts<number, readonly ServerKeyDay[]>({ clock: this.parts.clock, most: KEPT });

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

  /** The same by key, of which each day names those that did most. All rows of accounts are looked at. */
  async ofServerByKey(caller: Caller, days: number): Promise<readonly ServerKeyDay[]> {
    this.parts.users.requireAdmin(caller);
    await this.parts.usage.tryFlush();
    return this.#byKey.of(days, () => this.#countByKey(this.#since(days), days));
  }

  *#countByKey(since: number, count: number): Generator<void, readonly ServerKeyDay[]> {
    const { usageDays } = this.parts.tables;
    const days = new Map<number, ServerKeyDays>();
    for (let day = since; days.size < count; day += DAY_MS) {
      const ofDay = new ServerKeyDays(day);
      days.set(day, ofDay);
      for (let after: number | undefined = 0; after !== undefined;) {
        const rows = usageDays.someOfDay(day, after, ROWS);
        for (const row of rows) ofDay.addOfAccount(row);
        yield;
        after = rows.length === ROWS ? rows.at(-1)?.pk : undefined;
      }
    }
    for (const row of usageDays.ofServer(since)) days.get(row.day)?.addOfServer(row);
    const entries: ServerKeyDay[] = [];
    for (const day of days.values()) {
      yield;
      entries.push(...day.entries());
    }
    return entries;
  }

  #since(days: number): number {
    return dayOf(this.parts.clock.now()) - (days - 1) * DAY_MS;
  }
}
