import { diff3Merge, diffIndices } from "node-diff3";
import type { Part, Sides } from "./merge.ts";

/** Pairs of equal lines in two texts; each may take memory. With 1,400 empty lines in both there are that many. */
const MOST_PAIRS = 2_000_000;

/**
 * Merges two texts line by line; null where they have too many equal lines to be compared. Others have written them, and
 * some keep this busy for minutes: to be called in a worker with a time limit.
 */
export function mergeTexts({ base, mine, theirs }: Sides): readonly Part[] | null {
  const names = new Map<string, number>();
  const named = (text: string) => text.split("\n").map((line) => nameOf(line, names));
  const all = [named(mine), named(base), named(theirs)] as const;
  const { start, end } = commonEnds(all);
  const middle = (lines: readonly number[]) => lines.slice(start, lines.length - end);
  const [ours, old, others] = [middle(all[0]), middle(all[1]), middle(all[2])];
  if (pairsOf(ours, old) > MOST_PAIRS || pairsOf(others, old) > MOST_PAIRS) return null;
  const lines = [...names.keys()];
  const written = (line: number) => lines[line] ?? "";
  const parts: Part[] = [{ kind: "kept", count: start }];
  let [at, agreed]: [number, readonly number[]] = [0, []];
  const endAgreed = (until: number) => {
    parts.push(...differences(ours.slice(at, until), agreed, written));
    [at, agreed] = [until, []];
  };
  for (const { ok, conflict } of diff3Merge(ours, old, others)) {
    if (ok !== undefined) agreed = ok;
    if (conflict === undefined) continue;
    endAgreed(conflict.aIndex);
    parts.push({ kind: "collision", mine: conflict.a.map(written), theirs: conflict.b.map(written) });
    at += conflict.a.length;
  }
  endAgreed(ours.length);
  return [...parts, { kind: "kept", count: end }];
}

/** What lines of mine become in a part without collisions. */
function differences(
  before: readonly number[],
  after: readonly number[],
  written: (line: number) => string,
): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { buffer1, buffer2Content } of diffIndices([...before], [...after])) {
    const [from, count] = buffer1;
    parts.push(
      { kind: "kept", count: from - at },
      { kind: "taken", count, lines: buffer2Content.map(written) },
    );
    at = from + count;
  }
  return [...parts, { kind: "kept", count: before.length - at }];
}

/** A number for a line, the same for equal ones. */
function nameOf(line: string, names: Map<string, number>): number {
  const known = names.get(line);
  if (known !== undefined) return known;
  names.set(line, names.size);
  return names.size - 1;
}

/** How many lines all texts begin and end with: few edits of a long text then are as quick as those of a short one. */
function commonEnds(texts: readonly (readonly number[])[]): { readonly start: number; readonly end: number } {
  const least = Math.min(...texts.map(({ length }) => length));
  const isSame = (lineOf: (lines: readonly number[]) => number | undefined) =>
    new Set(texts.map(lineOf)).size === 1;
  let start = 0;
  while (start < least && isSame((lines) => lines[start])) start += 1;
  let end = 0;
  while (end < least - start && isSame((lines) => lines.at(-1 - end))) end += 1;
  return { start, end };
}

/** In how many ways a line of one text can be paired with an equal one of the other. */
function pairsOf(some: readonly number[], others: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const line of some) counts.set(line, (counts.get(line) ?? 0) + 1);
  return others.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}
