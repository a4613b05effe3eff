import type { Clock } from "../../process/clock.ts";
import type { Kept } from "../../db/history/kept-contents.ts";
import type { Tables } from "../../db/tables.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DriveId, UserPk } from "../../domain/id.ts";
import { type Month, monthOf, type Usage } from "../../domain/accounts/usage.ts";
import type { Access } from "../access.ts";
import type { Quota } from "../quota.ts";
import { seenCounts } from "../files/seen-counts.ts";

/** An amount used; `limit` is null if there is none. */
export interface Figure {
  readonly used: number;
  readonly limit: number | null;
}

export interface UsageReport {
  /** Bytes stored now. */
  readonly storage: Figure;
  /** Bytes kept beside them, of replaced and deleted files. */
  readonly versions: Figure;
  /** Requests in the period. */
  readonly operations: Figure;
  /** Bytes sent and received in the period. */
  readonly bandwidth: Figure;
  readonly period: Month;
}

/** How many figures one transaction writes. */
const PIECE = 200;

/** What one drive or account used in a month. */
type Entry = ({ readonly drive: DriveId } | { readonly account: UserPk }) & {
  /** The first millisecond of the month. */
  readonly month: number;
  readonly used: Usage;
};

/** The counts of one month that are not written yet. */
interface Counted {
  readonly drives: Map<DriveId, Usage>;
  readonly accounts: Map<UserPk, Usage>;
}

/**
 * Counts use by drive and by account. Counts are kept in memory and written in batches, so that reads need no
 * write. Those since the last batch are lost in a crash, but not when the server stops.
 */
export class UsageMeter {
  readonly #parts;
  /** By the first millisecond of the month. */
  #counted = new Map<number, Counted>();
  #month: Month = { start: 0, end: 0 };
  /** Settles when the last flush ends. */
  #flushed: Promise<void> = Promise.resolve();

  constructor(parts: { tables: Tables; access: Access; quota: Quota; clock: Clock }) {
    this.#parts = parts;
  }

  /** Counts a request: for the drive that its key is limited to, else for the account. */
  countOperation(caller: Caller): void {
    const { drives, accounts } = this.#thisMonth();
    const request = { operations: 1, bandwidth: 0 };
    if (caller.kind === "drive") add(drives, caller.driveId, request);
    else add(accounts, caller.userPk, request);
  }

  /** Counts bytes of content sent to or read from a drive, by any caller. */
  countBytes(drive: DriveId, bytes: number): void {
    add(this.#thisMonth().drives, drive, { operations: 0, bandwidth: bytes });
  }

  /** Writes the counts so far, some at a time. */
  flush(): Promise<void> {
    const flushed = this.#flushed.then(() => this.#writeDown());
    // The caller gets the error; the next flush tries again.
    this.#flushed = flushed.catch(() => {});
    return flushed;
  }

  /**
   * The use of the caller's account, or of the one drive that the key is limited to. If nothing can be written, the
   * latest counts are missing.
   */
  async report(caller: Caller): Promise<UsageReport> {
    try {
      await this.flush();
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
    }
    const now = this.#parts.clock.now();
    const period = monthOf(now);
    const { kept, storage, used } =
      caller.kind === "account"
        ? {
            kept: this.#parts.tables.keptContents.of({ kind: "user", pk: caller.userPk }),
            storage: {
              used: this.#parts.tables.drives.storedBy(caller.userPk, now),
              limit: this.#parts.quota.limitFor(caller.plan),
            },
            used: this.#parts.tables.usage.ofAccount(caller.userPk, period.start),
          }
        : this.#ofDrive(caller, period.start);
    return {
      storage,
      versions: { used: kept.size, limit: null },
      operations: { used: used.operations, limit: null },
      bandwidth: { used: used.bandwidth, limit: null },
      period,
    };
  }

  #ofDrive(
    caller: Caller & { readonly kind: "drive" },
    month: number,
  ): { readonly kept: Kept; readonly storage: Figure; readonly used: Usage } {
    const drive = this.#parts.access.ownDrive(caller);
    return {
      kept: this.#parts.tables.keptContents.of({ kind: "drive", pk: drive.pk }),
      storage: {
        used: seenCounts(this.#parts.tables, drive, caller.prefix, this.#parts.clock.now()).totalSize,
        limit: this.#parts.quota.limitOf(drive),
      },
      used: this.#parts.tables.usage.ofDrive(drive.pk, month),
    };
  }

  async #writeDown(): Promise<void> {
    const taken = [...this.#counted].flatMap(([month, counted]) => entriesOf(month, counted));
    this.#counted = new Map();
    for (let from = 0; from < taken.length; from += PIECE) {
      try {
        await this.#parts.tables.writeFromReserve(() =>
          taken.slice(from, from + PIECE).forEach((entry) => this.#write(entry)),
        );
      } catch (error) {
        for (const entry of taken.slice(from)) this.#takeBack(entry);
        throw error;
      }
    }
  }

  #write({ month, used, ...who }: Entry): void {
    if ("drive" in who) this.#parts.tables.usage.addToDrive({ who: who.drive, month, ...used });
    else this.#parts.tables.usage.addToAccount({ who: who.account, month, ...used });
  }

  #takeBack({ month, used, ...who }: Entry): void {
    const { drives, accounts } = this.#in(month);
    if ("drive" in who) add(drives, who.drive, used);
    else add(accounts, who.account, used);
  }

  #thisMonth(): Counted {
    const now = this.#parts.clock.now();
    // Called for every request: computed again only when the month is over.
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

function entriesOf(month: number, { drives, accounts }: Counted): Entry[] {
  return [
    ...[...drives].map(([drive, used]) => ({ drive, month, used })),
    ...[...accounts].map(([account, used]) => ({ account, month, used })),
  ];
}

function add<Who>(counted: Map<Who, Usage>, who: Who, { operations, bandwidth }: Usage): void {
  const present = counted.get(who);
  counted.set(who, {
    operations: (present?.operations ?? 0) + operations,
    bandwidth: (present?.bandwidth ?? 0) + bandwidth,
  });
}
