import type { Tables } from "../db/tables.ts";
import type { DrivePk, TrashPk } from "../domain/id.ts";
import { keptSince, type Retention } from "../domain/retention.ts";

/** How many rows one transaction removes. */
const PIECE = 60;

/** Removes what was kept of replaced and deleted files, once it is no longer wanted. */
export class Keeper {
  readonly #tables: Tables;
  readonly #retention: Retention;

  constructor(parts: { tables: Tables; retention: Retention }) {
    this.#tables = parts.tables;
    this.#retention = parts.retention;
  }

  /** Marks some entries of the trash that were kept for long enough. Returns how many. Inside a write. */
  endSome(now: number): number {
    const { trash } = this.#tables;
    const ended = trash.tooOld(keptSince(this.#retention, now), PIECE);
    for (const entry of ended) trash.setState(entry, "gone");
    return ended.length;
  }

  /** Removes some of what entries hold that are to be emptied. Returns how many rows. Inside a write. */
  emptySome(): number {
    return this.empty(this.#tables.trash.gone(PIECE));
  }

  /** Removes some of what a deleted drive keeps. Returns how many rows, 0 if nothing is left. Inside a write. */
  removeSomeOf(drive: DrivePk): number {
    const { fileVersions, folderWorks, trash } = this.#tables;
    folderWorks.removeWithTrashOf(drive);
    return fileVersions.removeSomeOf(drive, PIECE) || this.empty(trash.ofDrive(drive, PIECE));
  }

  /** Removes entries of the trash with all that is in them, as far as a piece goes. Returns how many rows. Inside a write. */
  empty(entries: readonly TrashPk[]): number {
    const { trash } = this.#tables;
    let removed = 0;
    for (const entry of entries) {
      removed += trash.removeSomeOf(entry, PIECE - removed);
      if (removed >= PIECE) break;
      trash.remove(entry);
      removed += 1;
    }
    return removed;
  }
}
