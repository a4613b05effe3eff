import type { Tables } from "../db/tables.ts";
import type { DrivePk, TrashPk } from "../domain/id.ts";

/** How many rows one transaction removes. */
const PIECE = 200;

/** Removes what was kept of replaced and deleted files, once it is no longer wanted. */
export class Keeper {
  readonly #tables: Tables;

  constructor(parts: { tables: Tables }) {
    this.#tables = parts.tables;
  }

  /** Removes some of what a deleted drive keeps. Returns how many rows, 0 if nothing is left. Inside a write. */
  removeSomeOf(drive: DrivePk): number {
    const { fileVersions, trash } = this.#tables;
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
