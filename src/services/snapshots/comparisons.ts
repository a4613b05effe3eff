import { type PathRange, rangeFrom, rangeOf } from "../../db/files/files.ts";
import type { ComparedFile } from "../../db/snapshots/snapshot-differences.ts";
import type { SnapshotScope } from "../../db/snapshots/snapshot-lists.ts";
import type { Tables } from "../../db/tables.ts";
import { rangeSteps } from "../pieces.ts";

export interface Difference {
  readonly change: "added" | "removed" | "changed" | "moved";
  /** Where it is now; where it was, if it is gone or not among what is compared. */
  readonly path: string;
  /** In the snapshot. */
  readonly before: ComparedFile | null;
  /** Now. */
  readonly after: ComparedFile | null;
}

/** A position in a comparison: after so many differences at a path. */
export interface DifferencePosition {
  readonly path: string;
  readonly count: number;
}

interface Comparison extends SnapshotScope {
  /** Only files whose path starts with this, then or now. */
  readonly prefix: string;
  /** What the caller sees: a file that comes from elsewhere is new to them. */
  readonly visible: string;
}

/** What differs between a snapshot and now, in path order, after a position; and where the next page starts. */
export async function compared(
  { snapshotDifferences }: Tables,
  comparison: Comparison,
  after: DifferencePosition | null,
  limit: number,
): Promise<{ readonly differences: readonly Difference[]; readonly next: DifferencePosition | null }> {
  const found: Difference[] = [];
  const whole = rangeOf(comparison.prefix);
  const range = after === null ? whole : rangeFrom(whole, after.path);
  const read = (rest: PathRange) => snapshotDifferences.step(comparison, rest);
  for await (const step of rangeSteps(range, read)) {
    const now = new Map(step.after.map((file) => [file.path, file]));
    const then = new Map(step.before.map((file) => [file.path, file]));
    const paths = [...new Set([...then.keys(), ...now.keys()])];
    for (const path of paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
      const seen = after?.path === path ? after.count : 0;
      const pair = { before: then.get(path) ?? null, after: now.get(path) ?? null };
      const differences = differencesAt(snapshotDifferences, comparison, path, pair);
      for (const [index, difference] of differences.entries()) {
        if (index < seen) continue;
        if (found.length === limit) return { differences: found, next: { path, count: index } };
        found.push(difference);
      }
    }
  }
  return { differences: found, next: null };
}

function differencesAt(
  table: Tables["snapshotDifferences"],
  comparison: Comparison,
  path: string,
  { before: then, after: now }: Pick<Difference, "before" | "after">,
): Difference[] {
  if (then !== null && then.id === now?.id)
    return isEqual(then, now) ? [] : [{ change: "changed", path, before: then, after: now }];
  const isVisible = (file: ComparedFile | null) => file?.path.startsWith(comparison.visible) === true;
  const origin = now === null ? null : table.beforeOf(comparison, now.id);
  const target = then === null ? null : table.afterOf(comparison, then.id);
  const found: Difference[] = [];
  const hasCome = now !== null && isVisible(origin);
  if (hasCome) found.push({ change: "moved", path, before: origin, after: now });
  const hasGone = then !== null && isVisible(target);
  // At its new path, it is found there.
  if (hasGone && target?.path.startsWith(comparison.prefix) === false)
    found.push({ change: "moved", path, before: then, after: target });
  const removed = hasGone ? null : then;
  const added = hasCome ? null : now;
  if (removed !== null && added !== null) {
    if (!isEqual(removed, added)) found.push({ change: "changed", path, before: removed, after: added });
  } else if (removed !== null) found.push({ change: "removed", path, before: removed, after: null });
  else if (added !== null) found.push({ change: "added", path, before: null, after: added });
  return found;
}

function isEqual(one: ComparedFile, other: ComparedFile): boolean {
  return one.digest === other.digest && one.record === other.record;
}
