import { type Releaser, releaserOf } from "../db/released-contents.ts";
import type { Tables } from "../db/tables.ts";
import type { Plan } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError } from "../domain/errors.ts";
import { DISK_PER_STORAGE, UNCLAIMED_COPIED_FILES, UNCLAIMED_STORAGE_BYTES } from "../domain/limits.ts";

/** Bytes per plan; null where there is no limit. */
export type StorageLimits = Readonly<Record<Plan, number | null>>;

/**
 * How much may be stored: per drive while it is unclaimed, per owner by plan from then on. Contents that were
 * replaced or deleted stay on the disk for a while. They count against a second, looser limit.
 */
export class Quota {
  readonly #tables: Tables;
  readonly #limits: StorageLimits;
  readonly #pressed: (releaser: Releaser) => void;

  /**
   * `pressed` is told, inside a write, of somebody who has let go of more than they may store: it is to remove some
   * of that early.
   */
  constructor(parts: {
    tables: Tables;
    storageLimits: StorageLimits;
    pressed: (releaser: Releaser) => void;
  }) {
    this.#tables = parts.tables;
    this.#limits = parts.storageLimits;
    this.#pressed = parts.pressed;
  }

  /** The most an account of this plan may store, in bytes; null without a limit. */
  limitFor(plan: Plan): number | null {
    return this.#limits[plan];
  }

  /** The most a drive can ever hold, in bytes; null without a limit. */
  limitOf(drive: Drive): number | null {
    return this.#limitOf(releaserOf(drive));
  }

  /**
   * Throws QUOTA_EXCEEDED when the drive, as the write in progress leaves it, holds more than it may.
   * Called inside the write, after its changes, so that parallel writes cannot pass it together.
   *
   * @param more bytes that are to come
   */
  requireRoom(drive: Drive, now: number, more = 0): void {
    const limit = this.limitOf(drive);
    if (limit === null) return;
    if (this.#stored(drive, now) + more > limit) {
      throw new CofferError(
        "QUOTA_EXCEEDED",
        drive.owner === null
          ? `An unclaimed drive holds at most ${limit} bytes; claim it, or delete files first.`
          : `The account's plan allows ${limit} bytes; delete files, or change the plan.`,
      );
    }
    this.requireDiskRoom(drive, now);
  }

  /**
   * The same for all that is on the disk for the drive or its owner: what they store, and what they let go of
   * and is not removed yet. What they let go of is removed early once it is more than they may store, so one that
   * is refused for this has room again in a minute.
   */
  requireDiskRoom(drive: Drive, now: number): void {
    const releaser = releaserOf(drive);
    const excess = this.excessOf(releaser);
    if (excess <= 0) return;
    this.#pressed(releaser);
    const limit = this.limitOf(drive) ?? 0;
    if (this.#stored(drive, now) + limit + excess <= limit * DISK_PER_STORAGE) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      "Replaced and deleted files still take up too much disk space. They are being removed: try again in a minute.",
    );
  }

  /** By how many bytes somebody has let go of more than they may store; 0 or less where it is not more. */
  excessOf(releaser: Releaser): number {
    const limit = this.#limitOf(releaser);
    return limit === null ? 0 : this.#tables.releasedContents.size(releaser) - limit;
  }

  /** Throws QUOTA_EXCEEDED for too many files, which only copies of folders could make large without an owner. */
  requireFewFiles(drive: Drive, now: number, more = 0): void {
    const files = drive.owner === null ? (this.#tables.drives.byPk(drive.pk, now)?.fileCount ?? 0) : 0;
    if (files + more <= UNCLAIMED_COPIED_FILES) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `In an unclaimed drive folders are copied up to ${UNCLAIMED_COPIED_FILES} files in all; claim it first.`,
    );
  }

  #limitOf(releaser: Releaser): number | null {
    return releaser.kind === "drive"
      ? UNCLAIMED_STORAGE_BYTES
      : this.#limits[this.#tables.users.existing(releaser.pk).plan];
  }

  #stored(drive: Drive, now: number): number {
    if (drive.owner === null) return this.#tables.drives.byPk(drive.pk, now)?.totalSize ?? 0;
    return this.#tables.drives.storedBy(drive.owner.pk, now);
  }
}
