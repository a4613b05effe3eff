import { expect } from "bun:test";
import * as fc from "fast-check";
import { CofferError } from "../../../src/domain/errors.ts";
import { runs } from "../models/properties.ts";
import type { HeldResults } from "./held.ts";

/** Something that is done in a race, and what it must come to. */
export interface Deed<R, State> {
  /** Does it. Resolves with the outcome: a text, null if nobody can say, or anything else if it is done. */
  readonly perform: (race: R) => Promise<unknown>;
  /** What would come of it in a state, one thing after another; and the state after it. */
  readonly after: (state: State) => readonly [outcome: string, state: State];
}

interface Act<R, State> extends Deed<R, State> {
  readonly name: string;
}

/** What happens at once, in threads: in each one thing after another. */
type Threads<R, State> = readonly (readonly Act<R, State>[])[];

/** Acts that are made of such parts, and how often they are chosen. */
export function often<Parts extends object, R, State>(
  weight: number,
  name: string,
  parts: { [K in keyof Parts]: fc.Arbitrary<Parts[K]> },
  deed: (parts: Parts) => Deed<R, State>,
): { readonly weight: number; readonly arbitrary: fc.Arbitrary<Act<R, State>> } {
  const arbitrary = fc.record<Parts>(parts).map((made) => {
    const shown = `${name} ${JSON.stringify(made)}`;
    return { name: shown, ...deed(made), [fc.toStringMethod]: () => shown };
  });
  return { weight, arbitrary };
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

/** Where things happen at once. States must be plain data. */
export interface Race<State> {
  readonly start: State;
  /** What is there now, as far as the model can tell it. */
  readonly seen: () => unknown;
  /** The same of a state. */
  readonly shape: (state: State) => unknown;
  /** Looks at the rest, after a race. */
  readonly finish?: () => unknown;
}

/** Something that was done, and what came of it. */
interface Done<State> extends Pick<Act<never, State>, "name" | "after"> {
  readonly outcome: string;
}

/** What happens at once, in orders that a scheduler chooses, must come out as if one thing came after another. */
export async function expectOrders<State, R extends Race<State>>(
  held: HeldResults,
  anyThreads: fc.Arbitrary<Threads<R, State>>,
  begin: () => Promise<R>,
  share = 1,
): Promise<void> {
  const rule = fc.asyncProperty(fc.scheduler(), anyThreads, async (scheduler, threads) => {
    const race = await begin();
    const done = await held.race(scheduler, () =>
      Promise.all(threads.map((thread) => performed(held, race, thread))),
    );
    const seen = await race.seen();
    expectAnOrder(done, race.start, seen, (state) => Bun.deepEquals(seen, race.shape(state)));
    await race.finish?.();
  });
  await fc.assert(rule, runs(share));
}

/** Does one thing after another. */
async function performed<R, State>(
  held: HeldResults,
  race: R,
  thread: readonly Act<R, State>[],
): Promise<Done<State>[]> {
  const done: Done<State>[] = [];
  for (const { name, perform, after } of thread) {
    await held.hold(name, Promise.resolve());
    const outcome = await Promise.try(perform, race).catch((error: unknown) => {
      if (error instanceof CofferError) return error.code;
      throw error;
    });
    if (outcome !== null) done.push({ name, outcome: typeof outcome === "string" ? outcome : "done", after });
  }
  return done;
}

/**
 * Things that were done at once must have come out as if they had been done one after another: there is an order, in
 * which those of each thread follow each other, that gives each its outcome and ends in what was seen then.
 */
function expectAnOrder<State>(
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
