/** Something that was done, and what came of it. */
export interface Done<State> {
  readonly name: string;
  readonly outcome: string;
  /** What would come of it in a state, one thing after another; and the state after it. */
  readonly after: (state: State) => readonly [outcome: string, state: State];
}

/**
 * Whether things that were done at once came out as if they had been done one after another: there is an order, in
 * which those of each thread follow each other, that gives each its outcome and ends in a state that `isEnd` accepts.
 * States must be plain data.
 */
export function haveAnOrder<State>(
  threads: readonly (readonly Done<State>[])[],
  start: State,
  isEnd: (state: State) => boolean,
): boolean {
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
  return search(
    threads.map(() => 0),
    start,
  );
}
