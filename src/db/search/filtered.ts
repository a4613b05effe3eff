import type { DrivePk, FilePk } from "../../domain/id.ts";
import { type Bounds, isEnough } from "./bounds.ts";
import type { Ranked } from "./ranking.ts";
import type { SearchRequest } from "./request.ts";
import { type Changed, type SearchStatements, selectionOf } from "./statements.ts";
import type { Work } from "./work.ts";

/** The most files that a filter may select for the search to check only these. */
const FEW = 1000;
/** Rows per statement. */
const ROWS = 500;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** The files found in a drive, and whether they are all that match. */
export interface DriveFound {
  readonly found: readonly Ranked[];
  readonly isWhole: boolean;
}

/** The files that the most selective filter selects; null if all filters select many. */
export function fewOf(
  statements: SearchStatements,
  drive: DrivePk,
  { paths, filters }: SearchRequest,
  work: Work,
): readonly FilePk[] | null {
  const { tags, updatedFrom, updatedBefore } = filters;
  const lists = tags.map((tag) => statements.someWithTag.all(drive, tag, FEW + 1));
  if (paths.from !== "") lists.push(statements.someInPaths.all(drive, paths.from, paths.to, FEW + 1));
  if (updatedFrom !== null || updatedBefore !== null) {
    lists.push(statements.someInTime.all(drive, updatedFrom ?? 0, updatedBefore ?? END_OF_TIME, FEW + 1));
  }
  for (const list of lists) work.did(list.length);
  const shortest = lists.toSorted((a, b) => a.length - b.length)[0];
  if (shortest === undefined || shortest.length > FEW) return null;
  return shortest.map(({ pk }) => pk);
}

/** The files of a drive that pass the filters, those that were updated last. */
export async function findFiltered(
  statements: SearchStatements,
  drive: DrivePk,
  request: SearchRequest,
  bounds: Bounds,
  work: Work,
): Promise<DriveFound> {
  const selection = selectionOf(drive, request);
  const few = fewOf(statements, drive, request, work);
  if (few !== null) {
    const fitting = statements.fitting.all({ ...selection, files: JSON.stringify(few) });
    work.did(few.length);
    return { found: fitting.map(unscored), isWhole: true };
  }
  const [tag = null, ...tags] = request.filters.tags;
  const walk = tag === null ? statements.changedInDrive : statements.changedWithTag;
  // More files at the end do not change the pages before. One more shows that there is a next page.
  const wanted = { ...bounds, files: Math.max(bounds.files, request.offset + request.limit + 1) };
  const start = work.rows;
  const found: Ranked[] = [];
  let window = { updatedAt: request.filters.updatedBefore ?? END_OF_TIME, pk: 0, tag, limit: ROWS };
  while (!isEnough(wanted, found.length, work.rows - start)) {
    const rows = walk.all({ ...selection, tags: JSON.stringify(tags), ...window });
    work.did(rows.length);
    found.push(...rows.filter(({ fits }) => fits !== 0).map(unscored));
    if (rows.length < ROWS) return { found, isWhole: true };
    window = { ...window, ...rows.at(-1) };
    await work.next();
  }
  return { found, isWhole: false };
}

function unscored({ pk, updatedAt }: Changed): Ranked {
  return { file: pk, score: 0, slice: null, updatedAt };
}
