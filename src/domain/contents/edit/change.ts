import { CALL, type Pace, type Paced } from "./pace.ts";

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

/**
 * The changes of a text after more of it was replaced.
 *
 * @param changes in order, as are the replacements; neither overlap
 */
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
