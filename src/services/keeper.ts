import type { Tables } from "../db/tables.ts";
import type { DrivePk, TrashPk } from "../domain/id.ts";
import { keptSince, type Retention } from "../domain/retention.ts";

/** How many rows one transaction removes. */
const PIECE = 60;

/** How many files that are gone one transaction looks at. */
const GONE = 100;

/** Removes what was kept of replaced and deleted files, once it is no longer wanted. */
export class Keeper {
  readonly #tables: Tables;
  readonly #retention: Retention;
  /** The last file whose versions were counted; null once all were. */
  #trimmed: string | null = "";
  /** The last of the files that are gone which needs no more. */
  #lookedAt = "";

  constructor(parts: { tables: Tables; retention: Retention }) {
    this.#tables = parts.tables;
    this.#retention = parts.retention;
  }

  /**
   * Removes versions of some files that have more than are kept: a start may have lowered their number. Returns how many
   * files it has looked at; 0 once it has seen all. Inside a write.
   */
  trimSome(): number {
    if (this.#trimmed === null) return 0;
    const { fileVersions } = this.#tables;
    const limit = this.#retention.versions;
    const counts = fileVersions.counts(this.#trimmed, PIECE);
    let removed = 0;
    for (const { file, versions } of counts) {
      const trimmed = versions > limit ? fileVersions.trim(file, limit) : 0;
      removed += trimmed;
      // One that has far too many is not done yet.
      if (trimmed < versions - limit || removed >= PIECE) return counts.length;
      this.#trimmed = file;
    }
    if (counts.length < PIECE) this.#trimmed = null;
    return counts.length;
  }

  /**
   * Removes versions of some files that are gone, and are not in the trash or a snapshot. Returns how many files it has
   * looked at, 0 once after the last; the next call goes on after them. Inside a write.
   */
  removeSomeOfGone(): number {
    const { fileVersions } = this.#tables;
    let [looked, removed] = [0, 0];
    for (const { id, isBack, isKept } of fileVersions.gone(this.#lookedAt, GONE)) {
      const versions = isBack || isKept ? 0 : fileVersions.trim(id, 0);
      if (isBack || (!isKept && versions === 0)) fileVersions.forgetGone(id);
      looked += 1;
      removed += versions;
      if (versions > 0 && removed >= PIECE) break;
      // One that had versions may have more.
      if (versions === 0) this.#lookedAt = id;
    }
    if (looked === 0) this.#lookedAt = "";
    return looked;
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
