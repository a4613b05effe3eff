import { setImmediate as nextTurn } from "node:timers/promises";
import type { PathRange } from "../../db/files/path-range.ts";
import { requireFurther } from "../pieces.ts";

/** What one step through a range of paths found, and the range that is left; null at the end. */
interface RangeStep {
  readonly rest: PathRange | null;
}

/** Goes through a range of paths step by step, with a turn of the event loop for other requests in between. */
export async function* rangeSteps<T extends RangeStep>(
  range: PathRange,
  step: (range: PathRange) => T,
): AsyncGenerator<T> {
  for (let left: PathRange | null = range; left !== null;) {
    const done: T = step(left);
    yield done;
    if (done.rest === null) return;
    requireFurther("a walk through a snapshot", left.from, done.rest.from);
    left = done.rest;
    await nextTurn();
  }
}
