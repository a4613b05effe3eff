import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import { type Caller, requireSession } from "../../domain/accounts/caller.ts";
import {
  type Change,
  type ChangeNumber,
  changeNumber,
  type ChangePosition,
} from "../../domain/changes/change.ts";
import { type News, newsFor } from "../../domain/changes/news.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { ROOT } from "../../domain/files/path.ts";
import { NEWS } from "../../domain/limits.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { ChangePage } from "./changes.ts";

/** How many changes are read before others have their turn. */
const AT_ONCE = 250;

/** What others did in a drive since somebody was there. */
export interface DriveNews extends News {
  readonly drive: Drive;
  /** When they were there, in milliseconds since the epoch. */
  readonly since: number;
  /** Whether there is more: it is not kept any more, or was not looked at. */
  readonly hasMore: boolean;
}

/** How far people have seen what happened in their drives, and what is new to them. */
export class Visits extends Service<Pick<Parts, "tables" | "access" | "changes" | "clock">> {
  /** Remembers that somebody has seen all that has happened in a drive so far. Throws NOT_FOUND. */
  note(caller: Caller, driveRef: string, within?: Within<Drive>): Promise<Drive> {
    const { access, tables, changes, clock } = this.parts;
    const { userPk: user } = requireSession(caller);
    return access.writeFromReserve(caller, within, () => {
      const drive = access.drive(caller, driveRef);
      tables.visits.put({ user, drive: drive.pk, change: changes.head, at: clock.now() });
      return drive;
    });
  }

  /**
   * What is new in the drives where somebody has been before, or in one of them. It looks at some of the changes of each,
   * the newest, and at a number in all. Throws NOT_FOUND.
   */
  async news(caller: Caller, driveRef: string | null): Promise<readonly DriveNews[]> {
    const { access, tables } = this.parts;
    const person = requireSession(caller);
    const drives = driveRef === null ? access.drives(caller) : [access.drive(caller, driveRef)];
    const visits = new Map(tables.visits.of(person.userPk).map((visit) => [visit.drive, visit]));
    const asked = drives.flatMap((drive) => {
      const visit = visits.get(drive.pk);
      const shown = access.changesFrom(caller, drive);
      return visit === undefined ? [] : { drive, visit, from: changeNumber(Math.max(visit.change, shown)) };
    });
    const found: DriveNews[] = [];
    let left = NEWS.all;
    for (const { drive, visit, from } of asked) {
      await nextTurn();
      const { changes, hasMore } = await this.#newest(drive, from, Math.min(NEWS.each, left));
      left -= changes.length;
      const isMore = hasMore || tables.changes.trimmedTo(drive.pk) > from;
      const news = newsFor(person.userId, changes.toReversed());
      // Somebody may have been shut out meanwhile.
      const isSeen = access.mayGoOn(caller, [drive.id]);
      if (isSeen && (isMore || news.doings.length > 0))
        found.push({ drive, since: visit.at, hasMore: isMore, ...news });
    }
    return found;
  }

  /** The newest changes of a drive after one. Others have turns in between. */
  async #newest({ pk: drive }: Drive, from: ChangeNumber, most: number) {
    const changes: Change[] = [];
    let position: ChangePosition | null = null;
    for (;;) {
      const limit = Math.min(AT_ONCE, most - changes.length);
      const drives = [{ drive, prefix: ROOT, from }];
      const page: ChangePage = this.parts.changes.page({ drives, position, limit, newestFirst: true });
      changes.push(...page.changes);
      if (!page.hasMore || changes.length >= most) return { changes, hasMore: page.hasMore };
      position = page.next;
      await nextTurn();
    }
  }
}
