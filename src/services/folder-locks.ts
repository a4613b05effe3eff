import { Busy } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { type FolderWork, movesBetweenDrives, overlaps, reachesInto } from "../domain/folder-work.ts";
import type { DrivePk, FolderWorkPk } from "../domain/id.ts";
import { asFolderPath, type FilePath, type FolderPath, isFolderPath } from "../domain/path.ts";

/**
 * Keeps writes apart from the copies, moves and removals of folders that are under way. Which those are is said
 * by the database alone; here is only who waits for their ends. What is said to throw `Busy` runs inside a write,
 * which is then undone and runs again once the work has ended.
 */
export class FolderLocks {
  readonly #tables: Tables;
  /** Of the works that somebody waits for. */
  readonly #ends = new Map<FolderWorkPk, PromiseWithResolvers<void>>();
  /** What whoever has to wait gets instead; null while works go on. */
  #refusal: Error | null = null;

  constructor(parts: { tables: Tables }) {
    this.#tables = parts.tables;
  }

  /** For whoever writes one file or folder. Throws Busy while it is part of a work. */
  requireFree(drive: DrivePk, path: FilePath | FolderPath): void {
    const folder = isFolderPath(path) ? path : asFolderPath(path);
    this.#require(drive, (work) => !reachesInto(work, drive, folder));
  }

  /** For whoever writes a folder with all that is in it. Throws Busy while any of that is part of a work. */
  requireWholeFree(drive: DrivePk, path: FolderPath): void {
    this.#require(drive, (work) => !overlaps(work, drive, path));
  }

  /** For whoever deletes a drive. Throws Busy while files are on their way from it to another, or to it. */
  requireNoneLeaves(drive: DrivePk): void {
    this.#require(drive, (work) => !movesBetweenDrives(work));
  }

  /** Lets those go on who wait for a work. */
  release(pk: FolderWorkPk): void {
    this.#ends.get(pk)?.resolve();
    this.#ends.delete(pk);
  }

  /** Refuses those who wait for a work, since it will take longer. */
  refuse(pk: FolderWorkPk, error: Error): void {
    this.#ends.get(pk)?.reject(error);
    this.#ends.delete(pk);
  }

  /** Refuses all who wait, and all who would have to from now on. */
  refuseAll(error: Error): void {
    this.#refusal = error;
    for (const pk of this.#ends.keys()) this.refuse(pk, error);
  }

  #require(drive: DrivePk, isFree: (work: FolderWork) => boolean): void {
    for (const { pk, work } of this.#tables.folderWorks.of(drive)) {
      if (!isFree(work)) throw this.#refusal ?? new Busy(this.#endOf(pk));
    }
  }

  #endOf(pk: FolderWorkPk): Promise<void> {
    const end = this.#ends.get(pk) ?? Promise.withResolvers<void>();
    this.#ends.set(pk, end);
    return end.promise;
  }
}
