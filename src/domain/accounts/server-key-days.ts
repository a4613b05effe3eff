import {
  isKey,
  isUser,
  NO_USE,
  plus,
  type ServerKeyDay,
  type ServerWho,
  type SomeonesDay,
  USAGE_COUNTS,
  type UsageCounts,
  type UsageDay,
} from "./usage-day.ts";
import { Largest } from "../largest.ts";
import { USAGE_DAYS } from "../limits.ts";

/** What was done on the server on one day, by key: put together from what was done in each account, and by each user. */
export class ServerKeyDays {
  readonly #day: number;
  readonly #most = USAGE_COUNTS.map(
    (count) => [count, new Largest<SomeonesDay>(USAGE_DAYS.most, (row) => row[count])] as const,
  );
  #session = NO_USE;
  /** Of all users together. */
  #users = NO_USE;
  /** Of those who are none. */
  readonly #nobodys: ServerKeyDay[] = [];

  constructor(day: number) {
    this.#day = day;
  }

  /** What one did in an account. What whoever has a link did is also that of requests without a key. */
  addOfAccount(row: SomeonesDay): void {
    if (row.who === "session") this.#session = plus(this.#session, row);
    if (!isKey(row.who)) return;
    for (const [count, most] of this.#most) if (row[count] > 0) most.add(row);
  }

  /** The same of the server. Comes last: no keys did more then than all users. */
  addOfServer({ who, ...row }: UsageDay<ServerWho>): void {
    if (isUser(who) || who === "other") this.#users = plus(this.#users, row);
    else this.#nobodys.push(nobodys(this.#day, who, row));
  }

  entries(): readonly ServerKeyDay[] {
    const rows = new Set(this.#most.flatMap(([, most]) => most.values));
    const keys = [...rows].flatMap(({ who, ...row }) => (isKey(who) ? [{ ...row, who }] : []));
    const others = [this.#session, ...keys].reduce((left, row) => plus(left, row, -1), this.#users);
    const words = [nobodys(this.#day, "session", this.#session), nobodys(this.#day, "other", others)];
    return [
      ...keys,
      ...words.filter((word) => USAGE_COUNTS.some((count) => word[count] > 0)),
      ...this.#nobodys,
    ];
  }
}

function nobodys(day: number, who: ServerKeyDay["who"], counts: UsageCounts): ServerKeyDay {
  return { ...counts, day, who, name: null, userId: null, username: null };
}
