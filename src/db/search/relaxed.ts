import type { DrivePk, FilePk } from "../../domain/id.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import { RELAXED_WEIGHTS } from "../../domain/search/tokens.ts";
import { type Ranked, selectedBy } from "./filtered.ts";
import { ABOVE_ALL, type TermFiles } from "./lists.ts";
import type { SearchRequest } from "./request.ts";
import { type Changed, type SearchStatements, selectionOf } from "./statements.ts";
import { TermLists } from "./term-lists.ts";
import type { Bounds, Work } from "./work.ts";

/** How many files are looked up at once. */
const LOOKED_UP = 125;
/** A file is left out whose terms weigh less than this share of those of the best file. */
const LEAST_SHARE = 0.5;

/** A file that has some of the terms. */
interface PartialHit extends Changed {
  /** How well it matches each term, from 0 for not at all to 1. */
  readonly matches: readonly number[];
  readonly slice: number | null;
}

/** What a drive has of the terms. */
export interface DrivePartials {
  readonly partials: readonly PartialHit[];
  /** Whether all such files were compared. */
  readonly isWhole: boolean;
}

/**
 * Finds the files of a drive that have some of the terms: the newest for each term, so that a frequent one takes nothing
 * from a rare one. Each of them is then compared with all terms. Throws Overrun.
 */
export async function findPartials(
  statements: SearchStatements,
  drive: DrivePk,
  request: SearchRequest,
  { terms, bounds, work }: { terms: readonly SearchTerm[]; bounds: Bounds; work: Work },
): Promise<DrivePartials> {
  const lists = new TermLists(statements, drive, work, RELAXED_WEIGHTS);
  const known = terms.map((term) => lists.know(term, null));
  const filesOf = () => known.map((one) => lists.everywhere(one));
  const selected = selectedBy(statements, drive, request, bounds.few, work);
  const candidates = new Set<FilePk>(selected === null ? [] : JSON.parse(selected.files));
  let isWhole = known.every(({ next }) => next === null);
  if (selected?.isAll !== true) {
    for (const files of filesOf()) {
      work.allow(bounds.relaxedRows / terms.length);
      const isAll = await addNewest(candidates, files, bounds, work);
      isWhole &&= isAll;
    }
  }
  const fitting = fittingOf(statements, drive, request, [...candidates], work);
  work.allow(bounds.relaxedRows);
  const partials: PartialHit[] = [];
  const compared = filesOf();
  for (const file of fitting.toSorted((a, b) => b.pk - a.pk)) {
    const partial = compare(file, compared);
    if (partial !== null) partials.push(partial);
    await work.next();
  }
  return { partials, isWhole: isWhole && !work.isSpent };
}

/** Returns whether these are all. */
async function addNewest(candidates: Set<FilePk>, files: TermFiles, bounds: Bounds, work: Work) {
  let count = 0;
  for (let found = files.seek(ABOVE_ALL - 1); found !== null; found = files.seek(found.file - 1)) {
    if (count === bounds.relaxedFiles) return false;
    candidates.add(found.file);
    count += 1;
    await work.next();
  }
  return !work.isSpent;
}

function fittingOf(
  statements: SearchStatements,
  drive: DrivePk,
  request: SearchRequest,
  files: readonly FilePk[],
  work: Work,
): readonly Changed[] {
  const fitting: Changed[] = [];
  for (let from = 0; from < files.length; from += LOOKED_UP) {
    const some = JSON.stringify(files.slice(from, from + LOOKED_UP));
    fitting.push(...statements.fitting({ ...selectionOf(drive, request), files: some }));
    work.did(LOOKED_UP);
  }
  return fitting;
}

/** Null if it has none of the terms. */
function compare(file: Changed, terms: readonly TermFiles[]): PartialHit | null {
  let slice: number | null = null;
  const matches = terms.map((term) => {
    const match = term.seek(file.pk);
    if (match?.file !== file.pk) return 0;
    slice ??= match.slice;
    return Math.min(match.weight, 1);
  });
  return matches.some((match) => match > 0) ? { ...file, matches, slice } : null;
}

/** Scores files by the terms that they have, of which rare ones weigh more. Only the better files are left. */
export function rankPartials(partials: readonly PartialHit[], terms: number): Ranked[] {
  const weights = Array.from({ length: terms }, (_, term) => {
    const having = partials.filter(({ matches }) => (matches[term] ?? 0) > 0).length;
    return Math.log(1 + partials.length / Math.max(having, 1));
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const ranked = partials.map(({ pk, updatedAt, size, matches, slice }) => {
    const score = matches.reduce((sum, match, term) => sum + match * (weights[term] ?? 0), 0) / whole;
    return { file: pk, updatedAt, size, slice, near: null, score: Math.round(score * 1000) / 1000 };
  });
  const best = ranked.reduce((most, { score }) => Math.max(most, score), 0);
  return ranked.filter(({ score }) => score >= best * LEAST_SHARE);
}
