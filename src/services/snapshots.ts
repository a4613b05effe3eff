import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { actorOf, actorText, type Stamp } from "../domain/actor.ts";
import type { Caller } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError } from "../domain/errors.ts";
import { newId, type SnapshotId } from "../domain/id.ts";
import { SNAPSHOTS } from "../domain/limits.ts";
import { ROOT } from "../domain/path.ts";
import { parseSnapshotName, type Snapshot } from "../domain/snapshot.ts";
import type { Access } from "./access.ts";
import type { FolderLocks } from "./folder-locks.ts";

/** A page of a drive's snapshots. */
export interface SnapshotListing {
  readonly snapshots: readonly Snapshot[];
  /** On all pages. */
  readonly total: number;
  /** The number before which the next page starts; null on the last page. */
  readonly nextBefore: number | null;
}

/** Takes, shows and deletes snapshots of drives. */
export class Snapshots {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #locks: FolderLocks;
  readonly #clock: Clock;

  constructor(parts: { tables: Tables; access: Access; locks: FolderLocks; clock: Clock }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#locks = parts.locks;
    this.#clock = parts.clock;
  }

  /**
   * Takes a snapshot of a drive. Waits for running changes of folders: no snapshot has half of one. It costs one row,
   * whatever the drive holds.
   *
   * @param name undefined for a name with its number
   * @throws CofferError NOT_FOUND, VALIDATION_ERROR, QUOTA_EXCEEDED if the drive has too many
   */
  create(
    caller: Caller,
    driveRef: string,
    name: string | undefined,
    within?: Within<Snapshot>,
  ): Promise<Snapshot> {
    const parsed = name === undefined ? null : parseSnapshotName("name", name);
    return this.#access.write(caller, within, () => {
      const drive = this.#access.driveToWrite(caller, driveRef, null);
      this.#locks.requireWholeFree(drive.pk, ROOT);
      const { all, automatic } = this.#tables.snapshots.count(drive.pk);
      if (all - automatic >= SNAPSHOTS.taken) {
        throw new CofferError(
          "QUOTA_EXCEEDED",
          `A drive has at most ${SNAPSHOTS.taken} snapshots. Delete one that is not needed first.`,
        );
      }
      const stamp = { now: this.#clock.now(), by: actorOf(caller) };
      return this.take(drive, { name: parsed ?? "Snapshot", isAutomatic: false }, stamp);
    });
  }

  /** Takes a snapshot of what a drive holds now. The oldest automatic ones go, if there are too many. Inside a write. */
  take(drive: Drive, { name, isAutomatic }: Pick<Snapshot, "name" | "isAutomatic">, stamp: Stamp): Snapshot {
    const { snapshots } = this.#tables;
    const id = newId<SnapshotId>(stamp.now);
    const { pk, fileCount, totalSize } = drive;
    const by = actorText(stamp.by);
    snapshots.insert({
      id,
      drive: pk,
      name,
      isAutomatic,
      fileCount,
      totalSize,
      createdAt: stamp.now,
      createdBy: by,
    });
    if (isAutomatic) snapshots.trimAutomatic(pk, SNAPSHOTS.automatic, stamp.now);
    const taken = snapshots.byId(id);
    if (taken === null) throw new Error("a snapshot is missing right after it was taken");
    return taken;
  }

  /** A drive's snapshots, newest first. @param before the number of a cursor. Throws NOT_FOUND. */
  list(caller: Caller, driveRef: string, page: { limit: number; before: number | null }): SnapshotListing {
    const drive = this.#access.drive(caller, driveRef);
    this.#access.requireHistory(caller, drive);
    const before = page.before ?? Number.MAX_SAFE_INTEGER;
    const found = this.#tables.snapshots.page(drive.pk, before, page.limit + 1);
    const snapshots = found.slice(0, page.limit);
    return {
      snapshots,
      total: this.#tables.snapshots.count(drive.pk).all,
      nextBefore: found.length > page.limit ? (snapshots.at(-1)?.number ?? null) : null,
    };
  }

  /** Throws NOT_FOUND, also for a snapshot of another drive. */
  get(caller: Caller, driveRef: string, id: string): Snapshot {
    return this.#access.snapshot(caller, this.#access.drive(caller, driveRef), id);
  }

  /**
   * Deletes a snapshot. The sweep removes what only it needs. Waits for running changes of folders, which may need it.
   * Throws NOT_FOUND.
   */
  remove(caller: Caller, driveRef: string, id: string, within?: Within<SnapshotId>): Promise<SnapshotId> {
    return this.#access.writeFromReserve(caller, within, () => {
      const drive = this.#access.driveToManage(caller, driveRef);
      const snapshot = this.#access.snapshot(caller, drive, id);
      this.#locks.requireWholeFree(drive.pk, ROOT);
      this.#tables.snapshots.markDeleted(snapshot.pk, this.#clock.now());
      return snapshot.id;
    });
  }
}
