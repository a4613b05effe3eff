import { expect } from "bun:test";
import * as fc from "fast-check";

/** What has these parts, and how often it is chosen. */
export function often<T>(weight: number, parts: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return { weight, arbitrary: fc.record<T>(parts) };
}

/** What happens at once: what three callers do, one thing after another, and what the server does itself. */
export function threadsOf<T>(
  one: fc.Arbitrary<T>,
  upkeep: fc.Arbitrary<T>,
  most: number,
): fc.Arbitrary<T[][]> {
  const some = fc.array(one, { minLength: 1, maxLength: 3 });
  return fc.tuple(some, some, fc.array(one, { maxLength: 2 }), fc.array(upkeep, { maxLength: most }));
}

/** Something that was done, and what came of it. */
export interface Done<State> {
  readonly name: string;
  readonly outcome: string;
  /** What would come of it in a state, one thing after another; and the state after it. */
  readonly after: (state: State) => readonly [outcome: string, state: State];
}

/**
 * Things that were done at once must have come out as if they had been done one after another: there is an order, in
 * which those of each thread follow each other, that gives each its outcome and ends in what was seen then, which
 * `isEnd` compares. States must be plain data.
 */
export function expectAnOrder<State>(
  threads: readonly (readonly Done<State>[])[],
  start: State,
  seen: unknown,
  isEnd: (state: State) => boolean,
): void {
  const tried = new Set<string>();
  const search = (at: readonly number[], state: State): boolean => {
    const here = JSON.stringify([at, state]);
    if (tried.has(here)) return false;
    tried.add(here);
    const next = threads.flatMap((thread, index) => {
      const step = thread[at[index] ?? 0];
      return step === undefined ? [] : [{ index, step }];
    });
    if (next.length === 0) return isEnd(state);
    return next.some(({ index, step }) => {
      const [outcome, after] = step.after(state);
      return outcome === step.outcome && search(at.with(index, (at[index] ?? 0) + 1), after);
    });
  };
  const hasOrder = search(
    threads.map(() => 0),
    start,
  );
  const shown = threads.map((thread) => thread.map(({ name, outcome }) => `${name}: ${outcome}`));
  expect({ shown, seen, hasOrder }).toEqual({ shown, seen, hasOrder: true });
}
