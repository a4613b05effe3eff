import type { ChangeRange } from "../../db/changes/changes.ts";
import type { Tables } from "../../db/tables.ts";
import type { Change, ChangeNumber, ChangePosition, NewChange } from "../../domain/changes/change.ts";
import { type ChangeFilter, passes } from "../../domain/changes/filter.ts";
import { changeNumber } from "../../domain/changes/change.ts";
import { Service } from "../service.ts";
import { CofferError } from "../../domain/errors.ts";
import type { DrivePk, UserPk } from "../../domain/id.ts";
import { type FolderPath, ROOT } from "../../domain/files/path.ts";
import { seenFrom } from "./entries.ts";

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
  /** Whether the changes of a batch are left out, but for the one that sums it up. */
  readonly isSummary?: boolean;
  /** Null for all that there are. */
  readonly filter?: ChangeFilter | null;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  readonly next: ChangePosition;
  readonly hasMore: boolean;
}

/** How many rows one page reads: if few of them are shown, it may be empty although there are more. */
const ROWS = 500;

/** How many rows one query reads if there are several drives, of which most have nothing new; and if there is one. */
const [FEW, MANY] = [16, 500];

/**
 * The feed of changes: what happened in the drives, in the order of the commits. It is complete: a change is recorded
 * in the transaction of its effect, and shown once that is on the disk.
 */
export class Changes extends Service<{ tables: Tables }> {
  readonly hub = new ChangeHub(this.parts);

  /** Inside a write. */
  add(change: NewChange): void {
    this.parts.tables.changes.insert(change);
  }

  /** The newest change that is shown. */
  get head(): ChangeNumber {
    return this.parts.tables.changes.head;
  }

  /** The position after every change so far. */
  latest(): ChangePosition {
    const { head } = this;
    return { number: head, at: this.parts.tables.changes.timeOf(head) ?? 0, from: changeNumber(0) };
  }

  /** The position before the changes of this time and later. Those among them that are gone by now are not missed. */
  since(time: number): ChangePosition | null {
    const last = this.parts.tables.changes.lastBefore(time);
    return last === null || last.number > this.head ? null : { ...last, from: this.head };
  }

  /** Throws GONE if changes after the position are no longer kept, or it is of another history: a restored backup. */
  page({ drives, position, limit, newestFirst, isSummary = false, filter = null }: ChangeQuery): ChangePage {
    const { changes: table } = this.parts.tables;
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
      if (isSummary && isSummedUp(change)) continue;
      const seen = seenFrom(change, prefixes.get(change.drivePk) ?? ROOT);
      if (seen !== null && (filter === null || passes(seen, filter))) shown.push(seen);
    }
    return { changes: shown, next: after(last, position, from), hasMore: false };
  }

  #rangeOf(position: ChangePosition | null, floor: number, newestFirst: boolean) {
    if (position === null) return { after: changeNumber(floor), upTo: this.head };
    return newestFirst
      ? { after: changeNumber(floor), upTo: changeNumber(Math.max(0, position.number - 1)) }
      : { after: changeNumber(Math.max(floor, position.number)), upTo: this.head };
  }

  #requireKept(position: ChangePosition, trimmedTo: ChangeNumber): void {
    const at = this.parts.tables.changes.timeOf(position.number);
    const isOther = position.number > this.head || (at !== null && at !== position.at);
    if (!isOther && (trimmedTo <= position.number || trimmedTo <= position.from)) return;
    throw new CofferError(
      "GONE",
      "Changes after this cursor are not kept any more. List the drive again, and go on with cursor=latest.",
    );
  }
}

function isSummedUp({ batch, ref }: Change): boolean {
  return batch !== null && ref !== batch;
}

/** The position after the last row that was read. */
function after(last: Change | null, position: ChangePosition | null, from: ChangeNumber): ChangePosition {
  const at = last ?? position ?? { number: changeNumber(0), at: 0 };
  return { number: at.number, at: at.at, from };
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

/** Which changes somebody waits for: those of some drives, or of every drive of a user. */
type Watched = ReadonlySet<DrivePk> | { readonly owner: UserPk };

/** The least time between two rounds, in milliseconds. To read for 500 who wait takes about 40. */
const ROUND_MS = 200;
/** How many are woken before other requests get a turn. */
const TURN = 50;

interface Subscriber {
  readonly watched: Watched;
  readonly wake: () => void;
}

/**
 * Wakes whoever waits for changes, once these are on the disk. It only says that there is something: so nothing is kept
 * for a slow reader, and to wake one twice does no harm.
 */
class ChangeHub extends Service<{ tables: Tables }> {
  readonly #subscribers = new Set<Subscriber>();
  #changed = new Set<DrivePk>();
  /** Whether a round is due. */
  #isWaiting = false;
  #lastRound = 0;

  constructor(parts: { tables: Tables }) {
    super(parts);
    parts.tables.changes.onMove((drives) => this.wake(drives));
  }

  /** Calls `wake` when there are new changes of what is watched, and perhaps at other times; never at once. */
  subscribe(watched: Watched, wake: () => void): Disposable {
    const subscriber = { watched, wake };
    this.#subscribers.add(subscriber);
    return { [Symbol.dispose]: () => void this.#subscribers.delete(subscriber) };
  }

  /** Wakes who waits for changes of these drives. */
  wake(drives: Iterable<DrivePk>): void {
    if (this.#subscribers.size === 0) return;
    for (const drive of drives) this.#changed.add(drive);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    // After the answers to the writes themselves.
    setTimeout(() => this.#round(), Math.max(0, this.#lastRound + ROUND_MS - performance.now()));
  }

  #round(): void {
    this.#isWaiting = false;
    this.#lastRound = performance.now();
    const changed = this.#changed;
    this.#changed = new Set();
    // The database may be closed by now.
    if (this.#subscribers.size === 0) return;
    const owners = new Set([...changed].map((drive) => this.parts.tables.drives.ownerOf(drive)));
    this.#wakeSome(
      [...this.#subscribers].filter(({ watched }) => {
        if ("owner" in watched) return owners.has(watched.owner);
        return [...watched].some((drive) => changed.has(drive));
      }),
    );
  }

  #wakeSome(subscribers: readonly Subscriber[]): void {
    for (const subscriber of subscribers.slice(0, TURN)) {
      if (this.#subscribers.has(subscriber)) subscriber.wake();
    }
    if (subscribers.length > TURN) setImmediate(() => this.#wakeSome(subscribers.slice(TURN)));
  }
}
