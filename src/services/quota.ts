import type { Tables } from "../db/tables.ts";
import type { Plan } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError } from "../domain/errors.ts";
import { UNCLAIMED_COPIED_FILES, UNCLAIMED_STORAGE_BYTES } from "../domain/limits.ts";

/** Bytes per plan; null where there is no limit. */
export type StorageLimits = Readonly<Record<Plan, number | null>>;

/** How much may be stored: per drive while it is unclaimed, per owner by plan from then on. */
export class Quota {
  readonly #tables: Tables;
  readonly #limits: StorageLimits;

  constructor(tables: Tables, limits: StorageLimits) {
    this.#tables = tables;
    this.#limits = limits;
  }

  /** The most an account of this plan may store, in bytes; null without a limit. */
  limitFor(plan: Plan): number | null {
    return this.#limits[plan];
  }

  /** The most a drive can ever hold, in bytes; null without a limit. */
  limitOf(drive: Drive): number | null {
    if (drive.owner === null) return UNCLAIMED_STORAGE_BYTES;
    return this.#limits[this.#tables.users.existing(drive.owner.pk).plan];
  }

  /**
   * Throws QUOTA_EXCEEDED when the drive, as the write in progress leaves it, holds more than it may.
   * Called inside the write, after its changes, so that parallel writes cannot pass it together.
   */
  requireRoom(drive: Drive, now: number): void {
    const limit = this.limitOf(drive);
    if (limit === null || this.#stored(drive, now) <= limit) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      drive.owner === null
        ? `An unclaimed drive holds at most ${limit} bytes; claim it, or make room first.`
        : `The account's plan allows ${limit} bytes; make room, or change the plan.`,
    );
  }

  /** The same for the number of files, which only copies of folders could make large without an owner. */
  requireFewFiles(drive: Drive, now: number): void {
    const files = drive.owner === null ? (this.#tables.drives.byPk(drive.pk, now)?.fileCount ?? 0) : 0;
    if (files <= UNCLAIMED_COPIED_FILES) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `In an unclaimed drive folders are copied up to ${UNCLAIMED_COPIED_FILES} files in all; claim it first.`,
    );
  }

  #stored(drive: Drive, now: number): number {
    if (drive.owner === null) return this.#tables.drives.byPk(drive.pk, now)?.totalSize ?? 0;
    return this.#tables.drives.storedBy(drive.owner.pk, now);
  }
}
