import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import { WriteRefused } from "../domain/errors.ts";
import type { DriveId, UserPk } from "../domain/id.ts";
import { type Month, monthOf, type Usage } from "../domain/usage.ts";
import type { Access } from "./access.ts";
import type { Quota } from "./quota.ts";

/** How much of something is used; `limit` is null where there is none. */
export interface Figure {
  readonly used: number;
  readonly limit: number | null;
}

/** What a caller's account or drive uses. */
export interface UsageReport {
  /** Bytes stored now. */
  readonly storage: Figure;
  /** Requests in the period. */
  readonly operations: Figure;
  /** Bytes that came in and went out in the period. */
  readonly bandwidth: Figure;
  readonly period: Month;
}

/** What was counted in one month and is not written down yet. */
interface Counted {
  readonly drives: Map<DriveId, Usage>;
  readonly accounts: Map<UserPk, Usage>;
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
  /** By the first millisecond of the month. */
  #counted = new Map<number, Counted>();
  #month: Month = { start: 0, end: 0 };

  constructor(parts: { tables: Tables; access: Access; quota: Quota; clock: Clock }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#quota = parts.quota;
    this.#clock = parts.clock;
  }

  /** Counts a request: for the drive that its key is limited to, else for the account. */
  countOperation(caller: Caller): void {
    const { drives, accounts } = this.#thisMonth();
    const request = { operations: 1, bandwidth: 0 };
    if (caller.kind === "drive") add(drives, caller.driveId, request);
    else add(accounts, caller.userPk, request);
  }

  /** Counts bytes of content that went into a drive or came out of it, whoever sent or fetched them. */
  countBytes(drive: DriveId, bytes: number): void {
    add(this.#thisMonth().drives, drive, { operations: 0, bandwidth: bytes });
  }

  /** Writes down what was counted so far. */
  async flush(): Promise<void> {
    if (this.#counted.size > 0) await this.#flushAnd(() => {});
  }

  /**
   * What the caller's account uses in all, or the one drive that their key is limited to. Where nothing can be
   * written, what was counted last is missing.
   */
  async report(caller: Caller): Promise<UsageReport> {
    try {
      return await this.#flushAnd(() => this.#report(caller));
    } catch (error) {
      if (error instanceof WriteRefused) return this.#report(caller);
      throw error;
    }
  }

  #report(caller: Caller): UsageReport {
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
    const taken = this.#counted;
    this.#counted = new Map();
    try {
      return await this.#tables.writeFromReserve(() => {
        for (const [month, counted] of taken) this.#write(month, counted);
        return read();
      });
    } catch (error) {
      for (const [month, counted] of taken) this.#takeBack(month, counted);
      throw error;
    }
  }

  #write(month: number, { drives, accounts }: Counted): void {
    for (const [who, used] of drives) this.#tables.usage.addToDrive({ who, month, ...used });
    for (const [who, used] of accounts) this.#tables.usage.addToAccount({ who, month, ...used });
  }

  #takeBack(month: number, { drives, accounts }: Counted): void {
    const counted = this.#in(month);
    for (const [who, used] of drives) add(counted.drives, who, used);
    for (const [who, used] of accounts) add(counted.accounts, who, used);
  }

  #thisMonth(): Counted {
    const now = this.#clock.now();
    // Asked at each request, so that it is worked out anew only once it is over.
    if (now < this.#month.start || now >= this.#month.end) this.#month = monthOf(now);
    return this.#in(this.#month.start);
  }

  #in(month: number): Counted {
    const present = this.#counted.get(month);
    if (present !== undefined) return present;
    const counted = { drives: new Map<DriveId, Usage>(), accounts: new Map<UserPk, Usage>() };
    this.#counted.set(month, counted);
    return counted;
  }
}

function add<Who>(counted: Map<Who, Usage>, who: Who, { operations, bandwidth }: Usage): void {
  const present = counted.get(who);
  counted.set(who, {
    operations: (present?.operations ?? 0) + operations,
    bandwidth: (present?.bandwidth ?? 0) + bandwidth,
  });
}
