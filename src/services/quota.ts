import { type Releaser, releaserOf } from "../db/contents/blobs.ts";
import type { Kept } from "../db/history/kept.ts";
import type { Tables } from "../db/tables.ts";
import { type Caller, isUnclaimed, ownerOf } from "../domain/accounts/caller.ts";
import type { UserPk } from "../domain/id.ts";
import type { FilePath } from "../domain/files/path.ts";
import type { Plan } from "../domain/accounts/roles.ts";
import type { Drive } from "../domain/drives/drive.ts";
import { CofferError } from "../domain/errors.ts";
import { DISK_PER_STORAGE, RECORD_ROOM_BYTES, UNCLAIMED_STORAGE_BYTES } from "../domain/limits.ts";
import { Service } from "./service.ts";

/** Bytes per plan; null for no limit. */
export type StorageLimits = Readonly<Record<Plan, number | null>>;

/**
 * Limits how much may be stored: per drive while it is unclaimed, then per owner by plan. What snapshots need counts as
 * well, unless these go when room is needed. Versions and the trash are pruned where all together is more than the
 * limit. Contents that are let go of stay on the disk for a while, and count with everything else against a second,
 * higher limit. What is stored beside contents, the records, has a limit of its own.
 */
export class Quota extends Service<{
  tables: Tables;
  storageLimits: StorageLimits;
  /** Called inside a write for an owner who keeps, or has released, too much: some of both should be removed early. */
  removeEarly: (releaser: Releaser) => void;
}> {
  /** The most that an account of this plan may store, in bytes; null for no limit. */
  limitFor(plan: Plan): number | null {
    return this.parts.storageLimits[plan];
  }

  /** The most that a drive can hold, in bytes; null for no limit. */
  limitOf(drive: Drive): number | null {
    return this.#limitOf(releaserOf(drive));
  }

  /**
   * How many bytes may arrive at once for files of a drive's owner, beside what is stored; null for no limit. Only what
   * is written in the end must fit, so a file that will be replaced leaves room for the new one; if the path is not
   * known yet, that may be anything.
   */
  roomToArrive(drive: Drive, path: FilePath | null, now: number): number | null {
    const limit = this.limitOf(drive);
    if (limit === null || path === null) return limit;
    const replaced = this.parts.tables.files.byPath(drive.pk, path)?.size ?? 0;
    return limit - (this.#stored(releaserOf(drive), now) - replaced);
  }

  /**
   * Throws QUOTA_EXCEEDED if the drive holds more than it may after the write in progress, and `more` bytes that come
   * later. Call it inside the write, after its changes: then parallel writes cannot exceed the limit together.
   */
  requireRoom(drive: Drive, now: number, more = 0): void {
    const limit = this.limitOf(drive);
    if (limit === null) return;
    const owner = releaserOf(drive);
    const stored = this.#stored(owner, now);
    const kept = this.parts.tables.keptContents.of(owner);
    const { held } = kept;
    const isOver = stored + more > limit;
    if (
      isOver ||
      (stored + more + held > limit && !this.parts.tables.keptContents.hasDroppableSnapshots(owner))
    ) {
      const allowed =
        drive.owner === null
          ? `An unclaimed drive holds at most ${limit} bytes`
          : `The account's plan allows ${limit} bytes`;
      const hint = drive.owner === null ? "claim it, or delete" : "change the plan, or delete";
      throw new CofferError(
        "QUOTA_EXCEEDED",
        isOver
          ? `${allowed}; ${hint} files first.`
          : `${allowed}, and snapshots need ${held} of them; ${hint} snapshots or files first.`,
      );
    }
    this.#requireDiskRoom(owner, limit, stored, kept);
  }

  /**
   * The same for everything that a drive or its owner has on the disk: contents that are stored, kept, or released and
   * not removed yet. What is too much is removed early, so a caller that is refused for this has space again in a
   * minute.
   */
  requireDiskRoom(drive: Drive, now: number): void {
    const limit = this.limitOf(drive);
    if (limit === null) return;
    const owner = releaserOf(drive);
    this.#requireDiskRoom(owner, limit, this.#stored(owner, now), this.parts.tables.keptContents.of(owner));
  }

  #requireDiskRoom(owner: Releaser, limit: number, stored: number, kept: Kept): void {
    const released = this.parts.tables.releasedContents.size(owner);
    if (this.#keepsTooMuch(owner, limit, stored, kept) || released > limit) this.parts.removeEarly(owner);
    if (stored + kept.size + released <= limit * DISK_PER_STORAGE) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      "Replaced and deleted files still take up too much disk space. They are being removed: try again in a minute.",
    );
  }

  /** Throws QUOTA_EXCEEDED if what is kept for Idempotency-Keys of an account or unclaimed drive leaves no room. */
  requireRoomToKeep(caller: Caller): void {
    const limit = isUnclaimed(caller) ? UNCLAIMED_STORAGE_BYTES : this.parts.storageLimits[caller.plan];
    if (limit === null) return;
    const room = recordRoom(limit);
    if (this.parts.tables.idempotencyRecords.usedBy(ownerOf(caller)) < room) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `The responses that are kept for Idempotency-Keys take up more than ${room} bytes. Each is kept for 24 hours: send the request without an Idempotency-Key, or later.`,
    );
  }

  /** By how many bytes the released contents of an owner exceed its storage limit; 0 or less if they do not. */
  excessOf(releaser: Releaser): number {
    const limit = this.#limitOf(releaser);
    return limit === null ? 0 : this.parts.tables.releasedContents.size(releaser) - limit;
  }

  /** Whether an owner keeps more of replaced and deleted files than there is room for beside all that it stores. */
  hasKeptExcess(owner: Releaser, now: number): boolean {
    const limit = this.#limitOf(owner);
    if (limit === null) return false;
    const kept = this.parts.tables.keptContents.of(owner);
    return this.#keepsTooMuch(owner, limit, this.#stored(owner, now), kept);
  }

  #keepsTooMuch(owner: Releaser, limit: number, stored: number, { size, records }: Kept): boolean {
    if (size > 0 && stored + size > limit) return true;
    return records > 0 && this.#records(owner) + records > recordRoom(limit);
  }

  /**
   * Throws QUOTA_EXCEEDED if there is no room for the records of the drive or its owner, files, folders, tags, metadata
   * and links, and `more` bytes that come later. Call it inside the write, after its changes.
   */
  requireRecordRoom(drive: Drive, more = 0): void {
    const limit = this.limitOf(drive);
    if (limit === null) return;
    const room = recordRoom(limit);
    const owner = releaserOf(drive);
    const records = this.#records(owner) + more;
    const { records: kept } = this.parts.tables.keptContents.of(owner);
    if (kept > 0 && records + kept > room) this.parts.removeEarly(owner);
    if (records > room) {
      const named = "bytes of names, tags, metadata and links";
      throw new CofferError(
        "QUOTA_EXCEEDED",
        drive.owner === null
          ? `An unclaimed drive holds at most ${room} ${named}; claim it, or delete some first.`
          : `The account's plan allows ${room} ${named}; delete some, or change the plan.`,
      );
    }
    if (records + kept <= room * DISK_PER_STORAGE) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      "Too much is kept of replaced and deleted files, and for snapshots. What may go is being removed: try again in a minute, or delete snapshots.",
    );
  }

  /**
   * Throws QUOTA_EXCEEDED as `requireRoom` and `requireRecordRoom` do, if what is in a drive came from a drive of
   * somebody else. What one owner moves from drive to drive takes no more room. Call it inside the write, after the
   * move, with the bytes that will be moved later.
   */
  requireRoomForGift(
    from: UserPk | null,
    drive: Drive,
    now: number,
    more: { readonly contents: number; readonly records: number } = { contents: 0, records: 0 },
  ): void {
    if (from === (drive.owner?.pk ?? null)) return;
    this.requireRoom(drive, now, more.contents);
    this.requireRecordRoom(drive, more.records);
  }

  /** Makes a change inside a write; then checks as `requireRecordRoom` does, if it has added records. */
  withinRecordRoom<T>(drive: Drive, change: () => T): T {
    if (this.limitOf(drive) === null) return change();
    const owner = releaserOf(drive);
    const before = this.#records(owner);
    const result = change();
    if (this.#records(owner) > before) this.requireRecordRoom(drive);
    return result;
  }

  #limitOf(releaser: Releaser): number | null {
    return releaser.kind === "drive"
      ? UNCLAIMED_STORAGE_BYTES
      : this.parts.storageLimits[this.parts.tables.users.existing(releaser.pk).plan];
  }

  #stored(owner: Releaser, now: number): number {
    const { drives } = this.parts.tables;
    return owner.kind === "drive"
      ? (drives.byPk(owner.pk, now)?.totalSize ?? 0)
      : drives.storedBy(owner.pk, now);
  }

  #records(owner: Releaser): number {
    const { drives } = this.parts.tables;
    return owner.kind === "drive" ? drives.recordsOf(owner.pk) : drives.recordsBy(owner.pk);
  }
}

/** The room for records beside a storage limit, in bytes. */
function recordRoom(limit: number): number {
  return Math.max(limit, RECORD_ROOM_BYTES);
}
