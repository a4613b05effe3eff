import { setImmediate as nextTurn } from "node:timers/promises";
import type { DrivePk, FileId, TrashPk } from "../../domain/id.ts";
import { keptSince } from "../../domain/history/history.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { inPieces } from "../pieces.ts";

/** How many rows one transaction removes. */
const PIECE = 60;

/** Removes what was kept of replaced and deleted files, once it is no longer wanted. */
export class HistoryRemoval extends Service<Pick<Parts, "tables" | "retention">> {
  /** The last file whose versions were counted; null once all were. */
  #trimmed: string | null = "";
  /** The last file that is gone which was looked at. */
  #lookedAt = "";

  /**
   * Removes versions of some files that have more than are kept since a start lowered their number. Resolves with how
   * many files it looked at; 0 at the end.
   */
  async trimSome(): Promise<number> {
    if (this.#trimmed === null) return 0;
    const limit = this.parts.retention.versions;
    const counts = this.parts.tables.fileVersions.counts(this.#trimmed, PIECE);
    for (const { file, versions } of counts) {
      if (versions > limit) await this.#trim(file, limit);
      this.#trimmed = file;
    }
    if (counts.length < PIECE) this.#trimmed = null;
    await nextTurn();
    return counts.length;
  }

  /**
   * Removes what is known of some files that are gone, also from trash and snapshots: versions and comments. The next
   * call goes on after them.
   * Resolves with how many files it looked at; 0 after the last.
   */
  async removeSomeOfGone(): Promise<number> {
    const { fileVersions, writeFromReserve: write } = this.parts.tables;
    const gone = fileVersions.gone(this.#lookedAt, PIECE);
    for (const { id, isBack, isKept } of gone) {
      if (!isBack && !isKept) await this.#forget(id);
      if (isBack || !isKept) await write(() => fileVersions.forgetGone(id));
      this.#lookedAt = id;
    }
    if (gone.length === 0) this.#lookedAt = "";
    await nextTurn();
    return gone.length;
  }

  /** Removes all that is known of a file. */
  async #forget(file: FileId): Promise<void> {
    const { comments, versionLabels, writeFromReserve: write } = this.parts.tables;
    await this.#trim(file, 0);
    await write(() => versionLabels.removeAllOf(file));
    await inPieces(() => write(() => comments.removeSomeOfFile(file, PIECE)));
  }

  /** Removes the oldest versions of a file above a limit, in pieces. */
  async #trim(file: FileId, limit: number): Promise<void> {
    const { fileVersions, writeFromReserve: write } = this.parts.tables;
    await inPieces(() => write(() => fileVersions.trim(file, limit)));
  }

  /** Marks some entries of the trash that were kept for long enough. Returns how many. Inside a write. */
  endSome(now: number): number {
    const { trash } = this.parts.tables;
    const ended = trash.tooOld(keptSince(this.parts.retention, now), PIECE);
    for (const entry of ended) trash.setState(entry, "gone");
    return ended.length;
  }

  /** Removes some of what entries hold that are to be emptied. Returns how many rows. Inside a write. */
  emptySome(): number {
    return this.#empty(this.parts.tables.trash.gone(PIECE));
  }

  /** Removes some of what a deleted drive keeps. Returns how many rows, 0 if nothing is left. Inside a write. */
  removeSomeOf(drive: DrivePk): number {
    const { fileVersions, trash } = this.parts.tables;
    return fileVersions.removeSomeOf(drive, PIECE) || this.#empty(trash.ofDrive(drive, PIECE));
  }

  /** Removes entries with all that is in them, as far as a piece goes. Returns how many rows. Inside a write. */
  #empty(entries: readonly TrashPk[]): number {
    const { trash } = this.parts.tables;
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
