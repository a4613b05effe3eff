import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import type { DriveId, UserPk } from "../domain/id.ts";
import { type Month, monthOf, type Usage } from "../domain/usage.ts";
import type { Access } from "./access.ts";
import type { Quota } from "./quota.ts";

/** How much of something is used; `limit` is null where there is none. */
export interface Figure {
  readonly used: number;
  readonly limit: number | null;
}

/** What a caller's account or drive uses; storage now, the rest in this month. Bytes. */
export interface UsageReport {
  readonly storage: Figure;
  readonly operations: Figure;
  readonly bandwidth: Figure;
  readonly period: Month;
}

interface Tally {
  operations: number;
  bandwidth: number;
}

/** What was counted in one month and is not written down yet. */
interface Counted {
  readonly month: Month;
  readonly drives: Map<DriveId, Tally>;
  readonly accounts: Map<UserPk, Tally>;
}

/**
 * Counts what is used, by drive and by account. It is kept in memory and written down in batches, so
 * that reads stay reads; what was counted since the last batch is lost in a crash, but not in a stop.
 */
export class UsageMeter {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #quota: Quota;
  readonly #clock: Clock;
  #current: Counted;
  /** Of months that have ended, or whose writing failed. */
  #earlier: Counted[] = [];

  constructor(parts: { tables: Tables; access: Access; quota: Quota; clock: Clock }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#quota = parts.quota;
    this.#clock = parts.clock;
    this.#current = nothingIn(monthOf(parts.clock.now()));
  }

  /** Counts a request: for the drive that its key is limited to, else for the account. */
  countOperation(caller: Caller): void {
    const counted = this.#counted();
    const tally =
      caller.kind === "drive"
        ? tallyOf(counted.drives, caller.driveId)
        : tallyOf(counted.accounts, caller.userPk);
    tally.operations += 1;
  }

  /** Counts bytes of content that went into a drive or came out of it, whoever sent or fetched them. */
  countBytes(drive: DriveId, bytes: number): void {
    tallyOf(this.#counted().drives, drive).bandwidth += bytes;
  }

  /** Writes down what was counted so far. */
  async flush(): Promise<void> {
    if (this.#earlier.length > 0 || !isEmpty(this.#current)) await this.#flushAnd(() => {});
  }

  /** What the caller's account uses in all, or the one drive that their key is limited to. */
  report(caller: Caller): Promise<UsageReport> {
    return this.#flushAnd(() => {
      const now = this.#clock.now();
      const period = monthOf(now);
      const { storage, used } =
        caller.kind === "account"
          ? {
              storage: {
                used: this.#tables.drives.storedBy(caller.userPk, now),
                limit: this.#quota.limitFor(caller.plan),
              },
              used: this.#tables.usage.ofAccount(caller.userPk, period.start),
            }
          : this.#ofDrive(caller, period.start);
      return {
        storage,
        operations: { used: used.operations, limit: null },
        bandwidth: { used: used.bandwidth, limit: null },
        period,
      };
    });
  }

  #ofDrive(
    caller: Caller & { readonly kind: "drive" },
    month: number,
  ): { readonly storage: Figure; readonly used: Usage } {
    const drive = this.#access.drive(caller, caller.driveId);
    return {
      storage: { used: drive.totalSize, limit: this.#quota.limitOf(drive) },
      used: this.#tables.usage.ofDrive(drive.pk, month),
    };
  }

  /** Writes down what was counted, and reads in the same transaction, after every batch before it. */
  async #flushAnd<T>(read: () => T): Promise<T> {
    const taken = [...this.#earlier, this.#current];
    this.#earlier = [];
    this.#current = nothingIn(this.#current.month);
    try {
      return await this.#tables.write(() => {
        for (const counted of taken) this.#write(counted);
        return read();
      });
    } catch (error) {
      this.#earlier.push(...taken);
      throw error;
    }
  }

  #write({ month, drives, accounts }: Counted): void {
    for (const [who, tally] of drives) {
      this.#tables.usage.addToDrive({ who, month: month.start, ...tally });
    }
    for (const [who, tally] of accounts) {
      this.#tables.usage.addToAccount({ who, month: month.start, ...tally });
    }
  }

  #counted(): Counted {
    const now = this.#clock.now();
    const { start, end } = this.#current.month;
    if (now < start || now >= end) {
      if (!isEmpty(this.#current)) this.#earlier.push(this.#current);
      this.#current = nothingIn(monthOf(now));
    }
    return this.#current;
  }
}

function nothingIn(month: Month): Counted {
  return { month, drives: new Map(), accounts: new Map() };
}

function isEmpty({ drives, accounts }: Counted): boolean {
  return drives.size === 0 && accounts.size === 0;
}

function tallyOf<Who>(tallies: Map<Who, Tally>, who: Who): Tally {
  const present = tallies.get(who);
  if (present !== undefined) return present;
  const tally = { operations: 0, bandwidth: 0 };
  tallies.set(who, tally);
  return tally;
}
