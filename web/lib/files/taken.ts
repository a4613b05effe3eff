import type { Entry } from "../files.ts";

/** What to do about something whose place is taken. */
export type Decision = "replace" | "keep_both" | "skip";

export interface Answer {
  readonly decision: Decision;
  /** Whether it holds for all others whose places are taken, too. */
  readonly forAll: boolean;
}

/** Asks what to do about one whose place is taken, as are those of so many others. */
export type Ask = (taken: Entry, others: number) => Promise<Answer>;

/** Asks about each, until an answer holds for all; a folder can replace nothing. What was decided of which. */
export async function decide(
  taken: readonly Entry[],
  ask: Ask,
): Promise<ReadonlyMap<Decision, readonly Entry[]>> {
  const decided = new Map<Decision, Entry[]>();
  let ofAll: Decision | null = null;
  for (const [at, entry] of taken.entries()) {
    let decision: Decision | null = ofAll === "replace" && entry.kind === "folder" ? null : ofAll;
    if (decision === null) {
      const answer = await ask(entry, taken.length - at - 1);
      decision = answer.decision;
      if (answer.forAll) ofAll = decision;
    }
    decided.set(decision, [...(decided.get(decision) ?? []), entry]);
  }
  return decided;
}
