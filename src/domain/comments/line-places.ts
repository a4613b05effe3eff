import type { Change } from "../contents/edit/changes.ts";
import { NEWLINE } from "../contents/texts/lines.ts";
import type { LineRange } from "./comment.ts";

/** Whole lines that differ between two texts: counted from 0, and without that at each end. */
export interface LineChange {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Changes of whole lines, in order, as the numbers of these lines. */
export function changedLines(original: Buffer, now: Buffer, changes: readonly Change[]): LineChange[] {
  const [before, after] = [lineCounter(original), lineCounter(now)];
  return changes.map((change) => ({
    oldStart: before(change.oldStart),
    oldEnd: before(change.oldEnd),
    newStart: after(change.newStart),
    newEnd: after(change.newEnd),
  }));
}

/** How many lines end before a position, or with the text; asked from its start to its end. */
function lineCounter(text: Buffer): (position: number) => number {
  let [at, line] = [0, 0];
  return (position) => {
    for (let end = text.indexOf(NEWLINE, at); end !== -1 && end < position; end = text.indexOf(NEWLINE, at)) {
      line += 1;
      at = end + 1;
    }
    return at < position ? line + 1 : line;
  };
}

/** Where lines are after a text changed: those that are still there, from the first to the last; null if none is. */
export function placeAfter({ start, end }: LineRange, changes: readonly LineChange[]): LineRange | null {
  // From 0, without the end.
  let [first, last] = [start - 1, end];
  let [before, after] = [0, 0];
  for (const { oldStart, oldEnd, newEnd } of changes) {
    if (oldStart <= first) {
      first = Math.max(first, oldEnd);
      before = newEnd - oldEnd;
    }
    if (oldStart < last) {
      if (last <= oldEnd) last = oldStart;
      else after = newEnd - oldEnd;
    }
    if (first >= last) return null;
  }
  return { start: first + before + 1, end: last + after };
}
