import type { Tables } from "../../db/tables.ts";
import { bucketOf, type Caller } from "../../domain/accounts/caller.ts";
import { dayOf, type UsageCounts } from "../../domain/accounts/usage-day.ts";
import type { DriveId, UserId } from "../../domain/id.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { Clock } from "../../process/clock.ts";
import { Service } from "../service.ts";

/** How many callers one transaction writes down: up to two rows for each. */
const PIECE = 100;

/** Whose use is counted: a caller's, or that of links to a drive; null for requests without a key. */
type Counted = Caller | DriveId | null;

type Counter = { -readonly [name in keyof UsageCounts]: number } & { readonly by: Counted };

/** Counts what each caller does on each day. Kept in memory until `flush`, so that no request writes anything. */
export class DayMeter extends Service<{ tables: Tables; clock: Clock }> {
  /** What is not written yet, by the first millisecond of the day. */
  readonly #days = new Map<number, Map<string, Counter>>();
  #today = { start: 0, counters: new Map<string, Counter>() };

  countRequest(caller: Caller | null, status: number): void {
    const counter = this.#counter(caller);
    counter.requests += 1;
    if (status >= 500) counter.serverErrors += 1;
    else if (status >= 400) counter.clientErrors += 1;
  }

  /** @param by the caller, or for whoever has a link the drive */
  countReceived(by: Caller | DriveId, bytes: number): void {
    this.#counter(by).received += bytes;
  }

  countSent(by: Caller | DriveId, bytes: number): void {
    this.#counter(by).sent += bytes;
  }

  /** Writes all down, some in each transaction. What fails is kept for the next call. */
  async flush(): Promise<void> {
    const taken = [...this.#days].flatMap(([day, counters]) =>
      [...counters.values()].map((counter) => ({ day, counter })),
    );
    this.#days.clear();
    this.#today = { start: 0, counters: new Map() };
    for (let from = 0; from < taken.length; from += PIECE) {
      try {
        await this.parts.tables.writeFromReserve(() => {
          for (const { day, counter } of taken.slice(from, from + PIECE)) this.#write(day, counter);
        });
      } catch (error) {
        for (const { day, counter } of taken.slice(from)) this.#keep(day, counter);
        throw error;
      }
    }
  }

  /** The counter of today. Called for every request: it makes something only at the first of somebody. */
  #counter(by: Counted): Counter {
    const now = this.parts.clock.now();
    const { start } = this.#today;
    if (now < start || now >= start + DAY_MS) {
      const day = dayOf(now);
      this.#today = { start: day, counters: this.#countersOf(day) };
    }
    return counterIn(this.#today.counters, by);
  }

  #countersOf(day: number): Map<string, Counter> {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const counters = new Map<string, Counter>();
    this.#days.set(day, counters);
    return counters;
  }

  #keep(day: number, unwritten: Counter): void {
    const counter = counterIn(this.#countersOf(day), unwritten.by);
    counter.requests += unwritten.requests;
    counter.clientErrors += unwritten.clientErrors;
    counter.serverErrors += unwritten.serverErrors;
    counter.received += unwritten.received;
    counter.sent += unwritten.sent;
  }

  #write(day: number, { by, ...counts }: Counter): void {
    const { usageDays } = this.parts.tables;
    const used = { day, ...counts };
    if (by === null || typeof by === "string") {
      if (by !== null) usageDays.addOfDrive({ ...used, who: "link", drive: by });
      return void usageDays.addOfServer({ ...used, who: "anonymous" });
    }
    const user = userOf(by);
    if (user !== null) usageDays.addOfUser({ ...used, who: by.keyId ?? "session", user });
    usageDays.addOfServer({ ...used, who: user ?? "unclaimed" });
  }
}

function counterIn(counters: Map<string, Counter>, by: Counted): Counter {
  const key = by === null ? "anonymous" : typeof by === "string" ? by : bucketOf(by);
  const known = counters.get(key);
  if (known !== undefined) return known;
  const counter = { by, requests: 0, clientErrors: 0, serverErrors: 0, received: 0, sent: 0 };
  counters.set(key, counter);
  return counter;
}

/** Whose account a caller uses; null for an unclaimed drive. */
function userOf(caller: Caller): UserId | null {
  return caller.kind === "account" ? caller.userId : caller.ownerId;
}
