import { expect, test } from "bun:test";
import { inTime, paced } from "../../../src/http/upload/upload-body.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";

/** Sends chunks, each so many milliseconds after the one before, and takes so long to store each. */
async function pass(
  sent: readonly (readonly [afterMs: number, bytes: number])[],
  { least = 1024, storesMs = 0 } = {},
): Promise<number | string> {
  const clock = new FakeClock();
  async function* chunks() {
    for (const [afterMs, bytes] of sent) {
      clock.advance(afterMs);
      yield new Uint8Array(bytes);
    }
  }
  let passed = 0;
  try {
    for await (const chunk of paced(chunks(), { clock, least })) {
      passed += chunk.length;
      clock.advance(storesMs);
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return passed;
}

const SLOW = expect.stringContaining("send at least 1024 bytes in a second");
const minutes = (count: number, bytes: number) =>
  Array.from({ length: count }, () => [60_000, bytes] as const);

test("who sends at least so much in each minute may go on for as long as it takes", async () => {
  expect(await pass(minutes(100, 61_440))).toBe(100 * 61_440);
});

test("who sends less is ended after a minute, however quick the start was", async () => {
  expect(await pass(minutes(1, 61_439))).toEqual(SLOW);
  expect(await pass([[0, 10_000_000], ...minutes(1, 1), ...minutes(1, 1)])).toEqual(SLOW);
});

test("a pause counts only together with what comes in the same minute", async () => {
  expect(
    await pass([
      [59_999, 1],
      [1, 61_439],
    ]),
  ).toBe(61_440);
  expect(
    await pass([
      [59_999, 1],
      [2, 61_438],
    ]),
  ).toEqual(SLOW);
});

test("the time that our disk takes is not the client's", async () => {
  expect(
    await pass(
      Array.from({ length: 10 }, () => [10, 1] as const),
      { storesMs: 100_000 },
    ),
  ).toBe(10);
});

test("without a limit nobody is too slow", async () => {
  expect(await pass(minutes(3, 0), { least: 0 })).toBe(0);
});

test("what is read at once is not waited for without end", async () => {
  const clock = new FakeClock();
  const never = new Promise<never>(() => {});
  expect(await inTime(never, { clock, least: 1024 }, 1).catch(String)).toContain("too slowly");
  expect(await inTime(Promise.resolve(1), { clock, least: 1024 }, 1)).toBe(1);
});
