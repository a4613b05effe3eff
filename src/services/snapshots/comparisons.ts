import { type PathRange, rangeFrom, rangeOf } from "../../db/files/path-range.ts";
import type { ComparedFile, DifferenceStep } from "../../db/snapshots/snapshot-differences.ts";
import type { SnapshotScope } from "../../db/snapshots/snapshot-lists.ts";
import type { Tables } from "../../db/tables.ts";
import { rangeSteps } from "./range-steps.ts";

/** A file that differs. */
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

export interface ComparisonPage {
  readonly differences: readonly Difference[];
  /** Where the next page starts; null on the last one. */
  readonly next: DifferencePosition | null;
}

export interface Comparison extends SnapshotScope {
  /** Only files whose path starts with this, then or now. */
  readonly prefix: string;
  /** What the caller sees: a file that comes from elsewhere is new to them. */
  readonly visible: string;
}

/** Compares what a drive holds with what it held when a snapshot was taken. */
export class Comparisons {
  readonly #tables: Tables;

  constructor(parts: { tables: Tables }) {
    this.#tables = parts.tables;
  }

  /** The differences in path order, after a position. Only what has changed since is looked at, step by step. */
  async page(
    comparison: Comparison,
    after: DifferencePosition | null,
    limit: number,
  ): Promise<ComparisonPage> {
    const found: Difference[] = [];
    const whole = rangeOf(comparison.prefix);
    const range = after === null ? whole : rangeFrom(whole, after.path);
    const read = (rest: PathRange) => this.#tables.snapshotDifferences.step(comparison, rest);
    for await (const step of rangeSteps(range, read)) {
      for (const { path, differences } of this.#inStep(comparison, step)) {
        const seen = after?.path === path ? after.count : 0;
        for (const [index, difference] of differences.entries()) {
          if (index < seen) continue;
          if (found.length === limit) return { differences: found, next: { path, count: index } };
          found.push(difference);
        }
      }
    }
    return { differences: found, next: null };
  }

  /** The differences at each path of a step. */
  *#inStep(comparison: Comparison, { before, after }: DifferenceStep) {
    const now = new Map(after.map((file) => [file.path, file]));
    const then = new Map(before.map((file) => [file.path, file]));
    const paths = [...new Set([...then.keys(), ...now.keys()])];
    for (const path of paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
      yield { path, differences: this.#at(comparison, path, then.get(path) ?? null, now.get(path) ?? null) };
    }
  }

  #at(
    comparison: Comparison,
    path: string,
    then: ComparedFile | null,
    now: ComparedFile | null,
  ): Difference[] {
    if (then !== null && then.id === now?.id)
      return isEqual(then, now) ? [] : [{ change: "changed", path, before: then, after: now }];
    const { snapshotDifferences } = this.#tables;
    const isVisible = (file: ComparedFile | null) => file?.path.startsWith(comparison.visible) === true;
    const origin = now === null ? null : snapshotDifferences.beforeOf(comparison, now.id);
    const target = then === null ? null : snapshotDifferences.afterOf(comparison, then.id);
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
}

function isEqual(one: ComparedFile, other: ComparedFile): boolean {
  return one.digest === other.digest && one.record === other.record;
}
