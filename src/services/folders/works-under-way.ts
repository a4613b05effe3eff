import type { Within } from "../../db/engine/database.ts";
import type { RecordedWork } from "../../db/folders/folder-works.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, orNotFound } from "../../domain/errors.ts";
import { doneOf, type FolderWork, placesOf, type WorkPlace } from "../../domain/folders/folder.ts";
import type { DriveId, DrivePk } from "../../domain/id.ts";
import { partOf } from "../files/listings.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { FolderPieces } from "./folder-pieces.ts";
import type { FolderWorks } from "./folder-works.ts";
import type { WorkNotices } from "./work-notices.ts";

type ShownPlace = Pick<WorkPlace, "path"> & { readonly driveId: DriveId };

export interface ShownWork extends RecordedWork {
  /** Null if it is not the caller's to see. */
  readonly from: ShownPlace | null;
  /** Null also where there is none. */
  readonly to: ShownPlace | null;
  /** How many phases there are; of what takes it back, if that is so. */
  readonly phases: number;
}

/** A work as a stream tells of it. */
export interface ToldWork {
  readonly work: ShownWork;
  readonly hasEnded: boolean;
}

/** Shows the changes of folders that are under way, and has them given up. */
export class WorksUnderWay extends Service<
  Pick<Parts, "tables" | "access" | "clock"> & {
    pieces: FolderPieces;
    works: FolderWorks;
    notices: WorkNotices;
  }
> {
  /** A page, how many there are on all, and the id after which the next one starts. Throws NOT_FOUND. */
  list(caller: Caller, driveRef: string, page: { limit: number; after: string | null }) {
    const drive = this.parts.access.drive(caller, driveRef);
    const all = this.#ofDrive(caller, drive);
    const left = all.filter(({ id }) => page.after === null || id > page.after);
    const { found: works, next: nextAfter } = partOf(left, page.limit, ({ id }) => id);
    return { works, total: all.length, nextAfter };
  }

  /** Throws NOT_FOUND, also for one that has ended. */
  get(caller: Caller, driveRef: string, id: string): ShownWork {
    const drive = this.parts.access.drive(caller, driveRef);
    const work = this.#ofDrive(caller, drive).find((each) => each.id === id.toLowerCase());
    return orNotFound(work, "work");
  }

  /**
   * Has a work given up: before its next piece it stops or is taken back. Doing so again changes nothing. Throws
   * NOT_FOUND, and FORBIDDEN for who may not write wherever it changes something.
   */
  async cancel(caller: Caller, driveRef: string, id: string, within?: Within<ShownWork>): Promise<ShownWork> {
    const cancelled = await this.parts.access.writeFromReserve(caller, within, () => {
      const { pk, work, isUndone, answer } = this.get(caller, driveRef, id);
      if (!this.#mayChange(caller, work)) {
        throw new CofferError(
          "FORBIDDEN",
          "Only who may write to every folder that this changes may give it up.",
        );
      }
      if (!isUndone && answer !== null) this.parts.tables.idempotencyRecords.remove(answer);
      this.parts.tables.folderWorks.undo(pk);
      return this.get(caller, driveRef, id);
    });
    this.parts.works.hurry(cancelled.pk);
    return cancelled;
  }

  /** Whether `news` may have any. */
  hasNews(number: number | null): boolean {
    return number === null || number < this.parts.notices.head;
  }

  /** What is new of the works in some drives, and the number to ask with next. @param number null for all of them */
  news(caller: Caller, drives: ReadonlySet<DrivePk>, number: number | null) {
    const works = this.parts.notices.after(number).flatMap(({ recorded, hasEnded }): readonly ToldWork[] => {
      const { from, to } = recorded.work;
      const isWanted = drives.has(from.drive) || (to !== null && drives.has(to.drive));
      const work = isWanted ? this.#shown(caller, recorded) : null;
      return work === null ? [] : [{ work, hasEnded }];
    });
    return { works, number: this.parts.notices.head };
  }

  /** As a caller sees it; null if it sees nothing of it. */
  #shown(caller: Caller, recorded: RecordedWork): ShownWork | null {
    const { work } = recorded;
    // Of a drive that is not there yet, only who makes it is told.
    if (work.kind === "fork" && !this.#isOwn(caller, work.to.drive)) return null;
    const from = this.#shownPlace(caller, work.from);
    const to = work.kind === "fork" || work.to === null ? null : this.#shownPlace(caller, work.to);
    if (from === null && to === null) return null;
    return { ...recorded, from, to, phases: this.parts.pieces.phasesOf(doneOf(recorded) ?? work).length };
  }

  #ofDrive(caller: Caller, { pk }: Pick<Drive, "pk">): ShownWork[] {
    const works = this.parts.tables.folderWorks.of(pk).flatMap((each) => this.#shown(caller, each) ?? []);
    return works.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  #mayChange(caller: Caller, work: FolderWork): boolean {
    if (work.kind === "fork") return this.#isOwn(caller, work.to.drive);
    const changed = work.kind === "copy" ? [work.to] : placesOf(work);
    return changed.every(({ drive: pk, path }) => {
      const drive = this.parts.tables.drives.byPk(pk, this.parts.clock.now());
      return drive !== null && this.parts.access.canWrite(caller, drive.id, path);
    });
  }

  #isOwn(caller: Caller, drive: DrivePk): boolean {
    return caller.kind === "account" && this.parts.tables.drives.ownerOf(drive) === caller.userPk;
  }

  #shownPlace(caller: Caller, { drive: pk, path }: WorkPlace): ShownPlace | null {
    const drive = this.parts.tables.drives.byPk(pk, this.parts.clock.now());
    if (drive === null || this.parts.access.findDrive(caller, drive.id) === null) return null;
    return path.startsWith(this.parts.access.prefixOf(caller, drive)) ? { driveId: drive.id, path } : null;
  }
}
