import type { DrivePk } from "../../domain/id.ts";
import { rangeOf } from "../files/files.ts";
import { type Bounds, ENOUGH, isEnough, type Work } from "./work.ts";
import type { SearchHit, SearchRequest } from "./request.ts";
import { type Changed, type SearchStatements, type Some, type Walked, selectionOf } from "./statements.ts";

const ROWS = 500;
/** What it costs to read a file, and to see whether it passes the filters, in rows. */
const ROWS_A_FILE = 2;
/** How many files of a list are counted at the cost of a row. */
const LISTED_A_ROW = 8;
const END = Number.MAX_SAFE_INTEGER;

/** A hit, with what orders hits of equal score. */
export type Ranked = Omit<SearchHit, "passage"> & Pick<Changed, "updatedAt" | "size">;

export interface DriveFound {
  readonly found: readonly Ranked[];
  readonly isWhole: boolean;
}

interface Selected extends Some {
  /** Whether these are all that it selects, so that no other file passes. */
  readonly isAll: boolean;
}

/** The files that the most selective filter selects, at most so many; null without filters. */
export function selectedBy(
  statements: SearchStatements,
  drive: DrivePk,
  { paths, filters }: SearchRequest,
  most: number,
  work: Work,
): Selected | null {
  const { tags, mimeType, minSize, maxSize, updatedFrom, updatedBefore } = filters;
  const limit = most + 1;
  const lists = tags.map((tag) => statements.someWithTag(drive, tag, limit));
  if (paths.from !== "") lists.push(statements.someInPaths(drive, paths.from, paths.to, limit));
  if (updatedFrom !== null || updatedBefore !== null) {
    lists.push(statements.someInTime(drive, updatedFrom ?? 0, updatedBefore ?? END, limit));
  }
  if (minSize !== null || maxSize !== null) {
    lists.push(statements.someOfSize(drive, minSize ?? 0, maxSize ?? END, limit));
  }
  if (mimeType !== null) {
    const { from, to } = rangeOf(mimeType);
    lists.push(statements.someOfType(drive, from, to, limit));
  }
  const known = lists.filter((list) => list !== null);
  for (const { count } of known) work.did(count / LISTED_A_ROW);
  const shortest = known.toSorted((a, b) => a.count - b.count)[0];
  return shortest === undefined ? null : { ...shortest, isAll: shortest.count <= most };
}

/** The last updated files that pass the filters; if few do, those that the most selective filter gives. */
export async function findFiltered(
  statements: SearchStatements,
  drive: DrivePk,
  request: SearchRequest,
  bounds: Bounds,
  work: Work,
): Promise<DriveFound> {
  const few = selectedBy(statements, drive, request, bounds.few, work);
  const passing = ({ files, count }: Selected) => {
    work.did(count);
    return statements.fitting({ ...selectionOf(drive, request), files }).map(unscored);
  };
  if (few?.isAll === true) return { found: passing(few), isWhole: true };
  // More files at the end do not change the pages before. One more shows that there is a next page.
  const least = request.offset + request.limit + 1;
  work.allow(bounds.mostRows * Math.max(1, least / bounds.files));
  const start = work.rows;
  const found: Ranked[] = [];
  let some: Selected | null = null;
  for (const files of lastUpdated(statements, drive, request, work)) {
    found.push(...files.filter(({ fits }) => fits !== 0).map(unscored));
    if (found.length >= least && isEnough(bounds, found.length, work.rows - start)) {
      return { found, isWhole: false };
    }
    if (some === null && found.length < ENOUGH && work.rows - start >= bounds.rows) {
      some = selectedBy(statements, drive, request, bounds.selected, work);
      if (some?.isAll === true) return { found: passing(some), isWhole: true };
    }
    if (work.isSpent) {
      const others = some === null || found.length >= ENOUGH ? [] : passing(some);
      const all = new Map([...found, ...others].map((one) => [one.file, one]));
      return { found: [...all.values()], isWhole: false };
    }
    await work.next();
  }
  return { found, isWhole: true };
}

/** All files of a drive, or those with the first tag, part by part: the latest first, and whether they fit. */
export function* lastUpdated(
  statements: SearchStatements,
  drive: DrivePk,
  request: SearchRequest,
  work: Work,
): Generator<readonly Walked[], void> {
  const selection = selectionOf(drive, request);
  const [tag = null, ...tags] = request.filters.tags;
  const walk = tag === null ? statements.changedInDrive : statements.changedWithTag;
  let window = { updatedAt: request.filters.updatedBefore ?? END, pk: 0, tag, limit: ROWS };
  for (;;) {
    const files = walk({ ...selection, tags: JSON.stringify(tags), ...window });
    work.did(files.length * ROWS_A_FILE);
    yield files;
    if (files.length < ROWS) return;
    window = { ...window, ...files.at(-1) };
  }
}

function unscored({ pk, updatedAt, size }: Changed): Ranked {
  return { file: pk, score: 0, slice: null, near: null, updatedAt, size };
}
