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

/** More changes than this become one, from here to the last: no diff shows them all. */
const CHANGES = 1000;

/**
 * The changes of a text after more of it was replaced.
 *
 * @param changes in order, as are the replacements; neither overlap
 */
export function withReplacements(
  changes: readonly Change[],
  replacements: readonly Replacement[],
): readonly Change[] {
  const merged: Change[] = [];
  // How far what is not changed has moved: from the original to the text before, and from that to the text now.
  const moved = { before: 0, now: 0 };
  let [i, j] = [0, 0];
  for (;;) {
    const [change, replacement] = [changes[i], replacements[j]];
    if (change === undefined && replacement === undefined) return bounded(merged);
    const start = Math.min(change?.newStart ?? Infinity, replacement?.start ?? Infinity);
    const [oldStart, newStart] = [start - moved.before, start + moved.now];
    let end = start;
    for (;;) {
      const [nextChange, next] = [changes[i], replacements[j]];
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
    merged.push({ oldStart, oldEnd: end - moved.before, newStart, newEnd: end + moved.now });
  }
}

function bounded(changes: readonly Change[]): readonly Change[] {
  const [last, rest] = [changes.at(-1), changes[CHANGES - 1]];
  if (last === undefined || rest === undefined) return changes;
  return [...changes.slice(0, CHANGES - 1), { ...rest, oldEnd: last.oldEnd, newEnd: last.newEnd }];
}
