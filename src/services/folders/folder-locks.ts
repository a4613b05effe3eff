import { Busy } from "../../db/engine/database.ts";
import type { Tables } from "../../db/tables.ts";
import { doneOf, type FolderWork, movesBetweenDrives, placesOf } from "../../domain/folders/folder.ts";
import type { DrivePk, FolderWorkPk, SnapshotPk, TrashPk } from "../../domain/id.ts";
import { asFolderPath, type FilePath, type FolderPath, isFolderPath } from "../../domain/files/path.ts";
import { Service } from "../service.ts";

/**
 * Lets writes wait for changes of the same folders: the database has the running works, this class knows who waits for
 * them. Methods that throw `Busy` run inside a write, which is rolled back and runs again when the work has ended.
 */
export class FolderLocks extends Service<{ tables: Tables }> {
  /** The ends of the works that writes wait for. */
  readonly #ends = new Map<FolderWorkPk, PromiseWithResolvers<void>>();
  /** Thrown instead of `Busy` once works are stopped; null until then. */
  #refusal: Error | null = null;

  /** For a write to one file or folder. Throws Busy while it is part of a work. */
  requireFree(drive: DrivePk, path: FilePath | FolderPath): void {
    const folder = isFolderPath(path) ? path : asFolderPath(path);
    this.#requirePlaces(drive, (top) => !folder.startsWith(top));
  }

  /** For a write to a folder with everything in it. Throws Busy while any of that is part of a work. */
  requireWholeFree(drive: DrivePk, path: FolderPath): void {
    this.#requirePlaces(drive, (top) => !path.startsWith(top) && !top.startsWith(path));
  }

  /** For the deletion of a drive. Throws Busy while a work moves files between it and another drive. */
  requireNoMove(drive: DrivePk): void {
    this.#require(drive, (work) => !movesBetweenDrives(work));
  }

  /** For a write to an entry of a drive's trash. Throws Busy while a work fills or restores it. */
  requireEntryFree(drive: DrivePk, entry: TrashPk): void {
    this.#require(drive, (work) => !("trash" in work) || work.trash !== entry);
  }

  /** For the deletion of a snapshot. Throws Busy while a work needs it. */
  requireUnused(drive: DrivePk, snapshot: SnapshotPk): void {
    const isNewest = this.parts.tables.snapshots.isNewest(snapshot);
    this.#require(drive, (work) => {
      // A rewind also needs the newest one, which undoes it.
      if (work.kind === "rewind" && isNewest) return false;
      return !("snapshot" in work) || work.snapshot !== snapshot;
    });
  }

  release(pk: FolderWorkPk): void {
    this.#ends.get(pk)?.resolve();
    this.#ends.delete(pk);
  }

  /** Refuses the writes that wait for a work, which is delayed. */
  refuse(pk: FolderWorkPk, error: Error): void {
    this.#ends.get(pk)?.reject(error);
    this.#ends.delete(pk);
  }

  /** Refuses all writes that wait, or would have to wait from now on. */
  refuseAll(error: Error): void {
    this.#refusal = error;
    for (const pk of this.#ends.keys()) this.refuse(pk, error);
  }

  /** @param isFree whether a work leaves the topmost folder alone that it creates, removes or reads */
  #requirePlaces(drive: DrivePk, isFree: (top: FolderPath) => boolean): void {
    this.#require(drive, (work) => placesOf(work).every((at) => at.drive !== drive || isFree(at.top)));
  }

  #require(drive: DrivePk, isFree: (work: FolderWork) => boolean): void {
    for (const recorded of this.parts.tables.folderWorks.of(drive)) {
      if (isFree(doneOf(recorded) ?? recorded.work)) continue;
      if (this.#refusal !== null) throw this.#refusal;
      const end = this.#ends.get(recorded.pk) ?? Promise.withResolvers<void>();
      this.#ends.set(recorded.pk, end);
      throw new Busy(end.promise);
    }
  }
}
