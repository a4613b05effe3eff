import { test } from "bun:test";

let isSet = false;

/**
 * Makes the files that a `*.long.test.ts` imports after this try everything, where they try a part of it in an ordinary
 * run.
 */
export function beThorough(): void {
  isSet = true;
}

/** Whether the calling file is to try everything. */
export function isThorough(): boolean {
  return isSet;
}

/** The rows of a table that the calling file tries: in an ordinary run one of so many, from the first on. */
export function someOf<const T>(rows: readonly T[], share: number): readonly T[] {
  return rows.filter((_, index) => isSet || index % share === 0);
}

/** A test that an ordinary run does without: it takes long, and the others in its file hold most of what it does. */
export function longTest(name: string, run: () => Promise<void>): void {
  if (isSet) test(name, run);
}
