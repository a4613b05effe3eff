import type { ChangeRange } from "../../db/changes/changes.ts";
import type { Tables } from "../../db/tables.ts";
import type { Change, ChangeNumber, ChangePosition, NewChange } from "../../domain/changes/change.ts";
import { changeNumber } from "../../domain/changes/change.ts";
import { CofferError } from "../../domain/errors.ts";
import type { DrivePk } from "../../domain/id.ts";
import { type FolderPath, ROOT } from "../../domain/files/path.ts";
import { ChangeHub } from "./hub.ts";
import { seenFrom } from "./seen-from.ts";

/** A drive in a feed, and what of it is shown. */
export interface FeedDrive {
  readonly drive: DrivePk;
  /** Only what happens in this folder is shown. */
  readonly prefix: FolderPath;
  /** Only changes after this one are shown. */
  readonly from: ChangeNumber;
}

interface ChangeQuery {
  readonly drives: readonly FeedDrive[];
  /** The page is after this one, or before it if the newest come first. Null for the first page. */
  readonly position: ChangePosition | null;
  readonly limit: number;
  readonly newestFirst: boolean;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  readonly next: ChangePosition;
  readonly hasMore: boolean;
}

/** How many rows one page reads: if few of them are shown, it may be empty although there are more. */
const ROWS = 1000;

/** How many rows one query reads if there are several drives: most have nothing new. */
const FEW = 16;
/** The same for the only one. */
const MANY = 500;

/**
 * The feed of changes: what happened in the drives, in the order of the commits. It is complete: a change is recorded
 * in the transaction of its effect, and shown once that is on the disk.
 */
export class Changes {
  readonly #tables: Tables;
  readonly hub: ChangeHub;

  constructor(parts: { tables: Tables }) {
    this.#tables = parts.tables;
    this.hub = new ChangeHub(parts);
  }

  /** Records a change. Inside a write. */
  add(change: NewChange): void {
    this.#tables.changes.insert(change);
  }

  /** The newest change that is shown. */
  get head(): ChangeNumber {
    return this.#tables.changes.head;
  }

  /** The position after every change so far. */
  latest(): ChangePosition {
    const { head } = this;
    return { number: head, at: this.#tables.changes.timeOf(head) ?? 0, from: changeNumber(0) };
  }

  /**
   * Throws GONE if changes after the position are not kept any more, or it is of another history: a restored backup.
   */
  page({ drives, position, limit, newestFirst }: ChangeQuery): ChangePage {
    const { changes: table } = this.#tables;
    const trimmed = new Map(drives.map(({ drive }) => [drive, table.trimmedTo(drive)]));
    const from = changeNumber(Math.max(0, ...trimmed.values()));
    if (position !== null) this.#requireKept(position, newestFirst ? changeNumber(0) : from);
    const walks = drives.map((each) => {
      const floor = Math.max(each.from, trimmed.get(each.drive) ?? 0);
      return { ...each, ...this.#rangeOf(position, floor, newestFirst) };
    });
    const prefixes = new Map(drives.map(({ drive, prefix }) => [drive, prefix]));
    const shown: Change[] = [];
    let last: Change | null = null;
    let read = 0;
    for (const change of merged(table, walks, limit + 1, newestFirst)) {
      if (shown.length === limit || read === ROWS) {
        return { changes: shown, next: after(last, position, from), hasMore: true };
      }
      read += 1;
      last = change;
      const seen = seenFrom(change, prefixes.get(change.drivePk) ?? ROOT);
      if (seen !== null) shown.push(seen);
    }
    return { changes: shown, next: after(last, position, from), hasMore: false };
  }

  #rangeOf(position: ChangePosition | null, floor: number, newestFirst: boolean) {
    const { head } = this;
    if (newestFirst) {
      return {
        after: changeNumber(floor),
        upTo: position === null ? head : changeNumber(Math.max(0, position.number - 1)),
      };
    }
    return { after: changeNumber(Math.max(floor, position?.number ?? 0)), upTo: head };
  }

  #requireKept(position: ChangePosition, trimmedTo: ChangeNumber): void {
    const at = this.#tables.changes.timeOf(position.number);
    const isOther = position.number > this.head || (at !== null && at !== position.at);
    if (isOther || (trimmedTo > position.number && trimmedTo > position.from)) throw gone();
  }
}

/** The position after the last row that was read. */
function after(last: Change | null, position: ChangePosition | null, from: ChangeNumber): ChangePosition {
  const at = last ?? position ?? { number: changeNumber(0), at: 0 };
  return { number: at.number, at: at.at, from };
}

function gone(): CofferError {
  return new CofferError(
    "GONE",
    "Changes after this cursor are not kept any more. List the drive again, and go on with cursor=latest.",
  );
}

/** The changes of one drive, read `limit` at a time. */
function* walk(
  table: Tables["changes"],
  range: ChangeRange,
  limit: number,
  newestFirst: boolean,
): Generator<Change, undefined> {
  let rest = range;
  while (rest.after < rest.upTo) {
    const rows = newestFirst ? table.newest(rest, limit) : table.oldest(rest, limit);
    yield* rows;
    const last = rows.at(-1)?.number;
    if (last === undefined || rows.length < limit) return;
    rest = newestFirst ? { ...rest, upTo: changeNumber(last - 1) } : { ...rest, after: last };
  }
}

/** The changes of some drives, in the order of their numbers. @param few how many are wanted, mostly */
function* merged(
  table: Tables["changes"],
  ranges: readonly ChangeRange[],
  few: number,
  newestFirst: boolean,
): Generator<Change> {
  const limit = Math.min(few, ranges.length === 1 ? MANY : FEW);
  const heads = ranges.map((range) => {
    const rest = walk(table, range, limit, newestFirst);
    return { rest, change: rest.next().value };
  });
  for (;;) {
    let best: { readonly head: (typeof heads)[number]; readonly change: Change } | null = null;
    for (const head of heads) {
      const { change } = head;
      if (change === undefined) continue;
      if (best === null || change.number < best.change.number !== newestFirst) best = { head, change };
    }
    if (best === null) return;
    yield best.change;
    best.head.change = best.head.rest.next().value;
  }
}
