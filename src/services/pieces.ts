import { setImmediate as nextTurn } from "node:timers/promises";
import type { PathRange } from "../db/files/files.ts";

/** No work has so many pieces: one that gets here finds the same things again and again. */
const MOST = 100_000;

/**
 * Does pieces of a work until one returns that it did 0 things, or it is stopped. Returns how many all of them did.
 * Throws Error if there is no end: that is logged, and what comes after this work gets its turn.
 */
export async function inPieces(piece: () => Promise<number>, isStopped = () => false): Promise<number> {
  let total = 0;
  for (let pieces = 0; !isStopped(); pieces += 1) {
    if (pieces === MOST) throw new Error(`a work in pieces has no end after ${pieces} pieces`);
    const done = await piece();
    if (done === 0) break;
    total += done;
  }
  return total;
}

/** Throws Error if a piece got no further: the next would do the same, for ever. @param work "the check of contents" */
export function requireFurther<T extends string | number | null>(work: string, begun: T, reached: T): void {
  if (begun === reached) throw new Error(`${work} cannot go on from ${JSON.stringify(begun)}`);
}

/** Goes through a range of paths step by step, with a turn of the event loop for other requests in between. */
export async function* rangeSteps<Step extends { readonly rest: PathRange | null }>(
  range: PathRange,
  step: (range: PathRange) => Step,
): AsyncGenerator<Step> {
  for (let left: PathRange | null = range; left !== null;) {
    const done: Step = step(left);
    yield done;
    if (done.rest === null) return;
    requireFurther("a walk through a snapshot", left.from, done.rest.from);
    left = done.rest;
    await nextTurn();
  }
}
