import type { Clock } from "../../process/clock.ts";
import type { Tables } from "../../db/tables.ts";
import type { AccountCaller, Caller, DriveCaller } from "../../domain/accounts/caller.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DriveId, UserPk } from "../../domain/id.ts";
import { type Month, monthOf } from "../../domain/time.ts";
import type { Usage } from "../../db/accounts/usage.ts";
import type { Access } from "../access.ts";
import { Service } from "../service.ts";
import type { Quota } from "../quota.ts";
import { seenCounts } from "../files/folder-counts.ts";
import { DayMeter } from "./day-meter.ts";

export type UsageReport = Awaited<ReturnType<UsageMeter["report"]>>;

const PIECE = 200;

/** A drive, or an account for what is of none of its drives. Ids of drives are texts, keys of accounts numbers. */
type Who = DriveId | UserPk;

interface Entry {
  readonly who: Who;
  /** The first millisecond of the month. */
  readonly month: number;
  readonly used: Usage;
}

/** Counts use by drive and by account, for a month, and by caller, for a day. In memory until `flush`: reads need no write. */
export class UsageMeter extends Service<{ tables: Tables; access: Access; quota: Quota; clock: Clock }> {
  /** What is not written yet, by the first millisecond of the month. */
  #counted = new Map<number, Map<Who, Usage>>();
  #month: Month = { start: 0, end: 0 };
  #flushed: Promise<void> = Promise.resolve();
  readonly #bytes = { received: 0, sent: 0 };
  readonly #days = new DayMeter(this.parts);

  /** How many bytes of contents were received and sent since the start. */
  get bytes(): { readonly received: number; readonly sent: number } {
    return this.#bytes;
  }

  /** Counts a request: for the drive that its key is limited to, else for the account; that without a key by day alone. */
  countRequest(caller: Caller | null, status: number): void {
    this.#days.countRequest(caller, status);
    if (caller === null) return;
    const who = caller.kind === "drive" ? caller.driveId : caller.userPk;
    this.#add({ who, month: this.#thisMonth(), used: { operations: 1, bandwidth: 0 } });
  }

  /** Counts bytes of content that somebody sent to a drive. @param caller null for whoever has a link */
  countReceived(caller: Caller | null, drive: DriveId, bytes: number): void {
    this.#bytes.received += bytes;
    this.#days.countReceived(caller ?? drive, bytes);
    this.#countBytes(drive, bytes);
  }

  /** The same of content that somebody read there. */
  countSent(caller: Caller | null, drive: DriveId, bytes: number): void {
    this.#bytes.sent += bytes;
    this.#days.countSent(caller ?? drive, bytes);
    this.#countBytes(drive, bytes);
  }

  #countBytes(drive: DriveId, bytes: number): void {
    this.#add({ who: drive, month: this.#thisMonth(), used: { operations: 0, bandwidth: bytes } });
  }

  flush(): Promise<void> {
    const flushed = this.#flushed.then(async () => {
      await this.#writeDown();
      await this.#days.flush();
    });
    // The caller gets the error; the next flush tries again.
    this.#flushed = flushed.catch(() => {});
    return flushed;
  }

  /** Before an answer, which has to do without the latest counts if nothing can be written. */
  async tryFlush(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
    }
  }

  /** The use of the caller's account, or of its one drive. */
  async report(caller: Caller) {
    await this.tryFlush();
    const now = this.parts.clock.now();
    const { kept, storage, used } =
      caller.kind === "account" ? this.#ofAccount(caller, now) : this.#ofDrive(caller, now);
    return {
      /** Bytes stored now. */
      storage,
      /** Bytes kept beside them, of replaced and deleted files. */
      versions: figure(kept.size),
      /** Requests in the period. */
      operations: figure(used.operations),
      /** Bytes sent and received in the period. */
      bandwidth: figure(used.bandwidth),
      period: monthOf(now),
    };
  }

  #ofAccount({ userPk, plan }: AccountCaller, now: number) {
    const { tables, quota } = this.parts;
    return {
      kept: tables.keptContents.of({ kind: "user", pk: userPk }),
      storage: figure(tables.drives.storedBy(userPk, now), quota.limitFor(plan)),
      used: tables.usage.ofAccount(userPk, monthOf(now).start),
    };
  }

  #ofDrive(caller: DriveCaller, now: number) {
    const { tables, quota, access } = this.parts;
    const drive = access.ownDrive(caller);
    return {
      kept: tables.keptContents.of({ kind: "drive", pk: drive.pk }),
      storage: figure(seenCounts(tables, drive, caller.prefix, now).totalSize, quota.limitOf(drive)),
      used: tables.usage.ofDrive(drive.pk, monthOf(now).start),
    };
  }

  async #writeDown(): Promise<void> {
    const taken = [...this.#counted].flatMap(([month, counted]) =>
      [...counted].map(([who, used]) => ({ who, month, used })),
    );
    this.#counted = new Map();
    for (let from = 0; from < taken.length; from += PIECE) {
      try {
        await this.parts.tables.writeFromReserve(() => {
          const { usage } = this.parts.tables;
          for (const { who, month, used } of taken.slice(from, from + PIECE)) {
            if (typeof who === "string") usage.addToDrive({ who, month, ...used });
            else usage.addToAccount({ who, month, ...used });
          }
        });
      } catch (error) {
        for (const entry of taken.slice(from)) this.#add(entry);
        throw error;
      }
    }
  }

  #add({ who, month, used: { operations, bandwidth } }: Entry): void {
    const counted = this.#counted.get(month) ?? new Map<Who, Usage>();
    const present = counted.get(who);
    counted.set(who, {
      operations: (present?.operations ?? 0) + operations,
      bandwidth: (present?.bandwidth ?? 0) + bandwidth,
    });
    this.#counted.set(month, counted);
  }

  #thisMonth(): number {
    const now = this.parts.clock.now();
    // Called for every request: computed again only when the month is over.
    if (now < this.#month.start || now >= this.#month.end) this.#month = monthOf(now);
    return this.#month.start;
  }
}

/** An amount used; `limit` is null if there is none. */
function figure(used: number, limit: number | null = null) {
  return { used, limit };
}

/** What is not written yet: how often something was used and, in milliseconds since the epoch, when last. */
interface Use<Id> {
  readonly id: Id;
  readonly count: number;
  readonly at: number;
}

/** When things were last used. Kept in memory until `flush`, so that reads need no write. */
export class LastUses<Id> {
  readonly #uses = new Map<Id, Use<Id>>();

  note(id: Id, now: number): void {
    this.#uses.set(id, { id, count: (this.#uses.get(id)?.count ?? 0) + 1, at: now });
  }

  get(id: Id): Use<Id> | undefined {
    return this.#uses.get(id);
  }

  /** Writes all uses, some in each transaction. What fails is kept for the next call. */
  async flush({ writeFromReserve }: Tables, write: (use: Use<Id>) => void): Promise<void> {
    const all = [...this.#uses.values()];
    for (let from = 0; from < all.length; from += PIECE) {
      const uses = all.slice(from, from + PIECE);
      await writeFromReserve(() => uses.forEach(write));
      for (const { id, count } of uses) {
        const now = this.#uses.get(id);
        // Keep what was used again meanwhile.
        if (now !== undefined && now.count > count) this.#uses.set(id, { ...now, count: now.count - count });
        else this.#uses.delete(id);
      }
    }
  }
}
