import { expect, test } from "bun:test";
import { KeptCounts } from "../../src/services/kept-counts.ts";
import { failureOf } from "../support/samples/failure.ts";
import { FakeClock } from "../support/server/fake-clock.ts";

const STEPS = 10;

/** Counts of which each takes ten milliseconds, in as many steps, and comes to how many there were so far. */
function openCounts() {
  const clock = new FakeClock();
  const counts = new KeptCounts<string, number>({ clock, most: 1 });
  const steps: string[] = [];
  let made = 0;
  function* count(key: string): Generator<void, number> {
    for (let n = 0; n < STEPS; n += 1) {
      clock.advance(1);
      steps.push(key);
      yield;
    }
    made += 1;
    return made;
  }
  return { clock, steps, ask: (key: string) => counts.of(key, () => count(key)) };
}

test("others have their turn between the steps of a count", async () => {
  const { steps, ask } = openCounts();
  const seen = new Set<number>();
  const look = () => {
    seen.add(steps.length);
    if (steps.length < STEPS) setImmediate(look);
  };
  setImmediate(look);
  expect(await ask("a")).toBe(1);
  expect(seen.size).toBeGreaterThanOrEqual(STEPS);
});

test("who asks for the same meanwhile gets the same, and who comes later only for a time", async () => {
  const { clock, steps, ask } = openCounts();
  expect(await Promise.all([ask("a"), ask("a")])).toEqual([1, 1]);
  clock.advance(STEPS * 100 - 1);
  expect([await ask("a"), steps.length]).toEqual([1, STEPS]);
  clock.advance(1);
  expect(await ask("a")).toBe(2);
});

test("one is counted after the other, and so many are kept", async () => {
  const { steps, ask } = openCounts();
  expect(await Promise.all([ask("a"), ask("b")])).toEqual([1, 2]);
  expect(steps.join("")).toBe("a".repeat(STEPS) + "b".repeat(STEPS));
  expect([await ask("b"), await ask("a")]).toEqual([2, 3]);
});

test("a count that fails holds up no other", async () => {
  const counts = new KeptCounts<string, number>({ clock: new FakeClock(), most: 1 });
  // oxlint-disable-next-line require-yield
  const failed = counts.of("a", function* () {
    throw new Error("sabotaged");
  });
  const next = counts.of("a", function* () {
    yield;
    return 1;
  });
  expect(String(await failureOf(failed))).toContain("sabotaged");
  expect(await next).toBe(1);
});
