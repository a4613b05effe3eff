import { CALL, type Pace, type Paced } from "./pace.ts";
import { isLineStart, NEWLINE } from "../texts/lines.ts";

/** A part of a text that differs: where it was in the original, and where it is now. In bytes. */
export interface Change {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** A part of a text that is replaced by so many other bytes. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** More changes than this become one, from here to the last: no diff shows them all. */
const CHANGES = 1000;

/** The changes of a text after more was replaced. @param changes in order, as are the replacements; none overlap */
export function* withReplacements(
  changes: readonly Change[],
  replacements: readonly Replacement[],
  pace: Pace,
): Paced<readonly Change[]> {
  const merged: Mutable<Change>[] = [];
  // How far what is not changed has moved: from the original to the text before, and from that to the text now.
  const moved = { before: 0, now: 0 };
  let [i, j] = [0, 0];
  for (;;) {
    const [change, replacement] = [changes[i], replacements[j]];
    if (change === undefined && replacement === undefined) return merged;
    const start = Math.min(change?.newStart ?? Infinity, replacement?.start ?? Infinity);
    const oldStart = start - moved.before;
    const newStart = start + moved.now;
    let end = start;
    for (;;) {
      if (pace.spend(CALL)) yield;
      const nextChange = changes[i];
      const next = replacements[j];
      if (nextChange !== undefined && nextChange.newStart <= end) {
        end = Math.max(end, nextChange.newEnd);
        moved.before = nextChange.newEnd - nextChange.oldEnd;
        i += 1;
      } else if (next !== undefined && next.start <= end) {
        end = Math.max(end, next.end);
        moved.now += next.length - (next.end - next.start);
        j += 1;
      } else break;
    }
    const oldEnd = end - moved.before;
    const newEnd = end + moved.now;
    const last = merged[CHANGES - 1];
    if (last === undefined) merged.push({ oldStart, oldEnd, newStart, newEnd });
    else {
      last.oldEnd = oldEnd;
      last.newEnd = newEnd;
    }
  }
}

/** How many steps a comparison may take. Beyond, all between the first and the last difference is one change. */
const COMPARE_STEPS = 20_000_000;
/** The most lines that may be added and removed together; what is kept for the way back grows with its square. */
const MOST_EDITS = 2000;

/** Some lines of a text: a number for each, the same for the same lines, and where each starts. */
interface Lines {
  readonly numbers: Int32Array;
  /** In bytes of the text; one more than there are lines. */
  readonly starts: Int32Array;
}

/**
 * What changed from one text to another, as whole lines: the fewest that can be added and removed, after Myers, "An
 * O(ND) Difference Algorithm". Texts that differ too much are compared only at their ends.
 *
 * @param steps 0 to compare only the ends
 */
export function lineChanges(original: Buffer, now: Buffer, steps = COMPARE_STEPS): Change[] {
  const start = sameStart(original, now);
  const end = sameEnd(original, now, start);
  const [oldEnd, newEnd] = [original.length - end, now.length - end];
  if (start === oldEnd && start === newEnd) return [];
  const all = [{ oldStart: start, oldEnd, newStart: start, newEnd }];
  if (steps === 0) return all;
  const known = new Map<string, number>();
  const before = linesIn(original, start, oldEnd, known);
  const after = linesIn(now, start, newEnd, known);
  const reached = reach(before.numbers, after.numbers, steps);
  return reached === null ? all : wayBack(reached, before, after);
}

/** The length of the whole lines that both texts start with. */
function sameStart(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at += 1;
  if (at === a.length && at === b.length) return at;
  return at === 0 ? 0 : a.lastIndexOf(NEWLINE, at - 1) + 1;
}

/** The length of the whole lines that both texts end with, after their start. */
function sameEnd(a: Buffer, b: Buffer, start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  // Both must begin with a line there.
  while (length > 0 && !(isLineStart(a, a.length - length) && isLineStart(b, b.length - length))) length -= 1;
  return length;
}

function linesIn(text: Buffer, from: number, to: number, known: Map<string, number>): Lines {
  const starts: number[] = [];
  const numbers: number[] = [];
  for (let at = from; at < to;) {
    const newline = text.indexOf(NEWLINE, at);
    const end = newline === -1 || newline >= to ? to : newline + 1;
    const line = text.toString("latin1", at, end);
    const number = known.get(line) ?? known.size;
    if (number === known.size) known.set(line, number);
    starts.push(at);
    numbers.push(number);
    at = end;
  }
  return { numbers: Int32Array.from(numbers), starts: Int32Array.from([...starts, to]) };
}

/** How far one can get on each diagonal with some number of edits: the line of the original that is reached. */
type Reached = Int32Array;

/** How far each number of edits gets, up to the one that gets to the end; null if none does in so many steps. */
function reach(a: Int32Array, b: Int32Array, steps: number): Reached[] | null {
  let left = steps;
  const all: Reached[] = [];
  for (let edits = 0; edits <= MOST_EDITS; edits += 1) {
    const before = all.at(-1);
    // Diagonal k is at index k + edits.
    const reached = new Int32Array(2 * edits + 1);
    all.push(reached);
    for (let k = -edits; k <= edits; k += 2) {
      let x = before === undefined ? 0 : startOn(before, edits, k);
      let y = x - k;
      const from = x;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x += 1;
        y += 1;
      }
      reached[k + edits] = x;
      if (x >= a.length && y >= b.length) return all;
      left -= x - from + 1;
    }
    if (left < 0) return null;
  }
  return null;
}

function wayBack(all: readonly Reached[], before: Lines, after: Lines): Change[] {
  const [oldStarts, newStarts] = [before.starts, after.starts];
  const changes: Change[] = [];
  let [x, y] = [before.numbers.length, after.numbers.length];
  for (let edits = all.length - 1; edits > 0; edits -= 1) {
    const last = all[edits - 1] ?? new Int32Array(1);
    const k = x - y;
    const isInsertion = comesDown(last, edits, k);
    const [startX, startY] = beforeEdit(last, edits, k, isInsertion);
    const [editX, editY] = isInsertion ? [startX, startY + 1] : [startX + 1, startY];
    const edit = {
      oldStart: lineAt(oldStarts, startX),
      oldEnd: lineAt(oldStarts, editX),
      newStart: lineAt(newStarts, startY),
      newEnd: lineAt(newStarts, editY),
    };
    const next = changes.at(-1);
    // Nothing that is the same lies between this edit and the next.
    if (next !== undefined && next.oldStart === edit.oldEnd && next.newStart === edit.newEnd)
      changes[changes.length - 1] = { ...next, oldStart: edit.oldStart, newStart: edit.newStart };
    else changes.push(edit);
    [x, y] = [startX, startY];
  }
  return changes.toReversed();
}

function lineAt(starts: Int32Array, line: number): number {
  return starts[line] ?? 0;
}

/** Whether the best way to a diagonal adds a line; else it removes one. */
function comesDown(before: Reached, edits: number, k: number): boolean {
  return k === -edits || (k !== edits && reachedOn(before, edits, k - 1) < reachedOn(before, edits, k + 1));
}

function startOn(before: Reached, edits: number, k: number): number {
  return comesDown(before, edits, k) ? reachedOn(before, edits, k + 1) : reachedOn(before, edits, k - 1) + 1;
}

function beforeEdit(before: Reached, edits: number, k: number, isInsertion: boolean): [x: number, y: number] {
  const from = isInsertion ? k + 1 : k - 1;
  const x = reachedOn(before, edits, from);
  return [x, x - from];
}

/** @param edits one more than those of `before` */
function reachedOn(before: Reached, edits: number, k: number): number {
  return before[k + edits - 1] ?? -1;
}
