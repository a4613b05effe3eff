import { expect, test } from "bun:test";
import { inTime, paced } from "../../../src/http/upload/upload-body.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";

const SLOW = expect.stringContaining("send at least 1024 bytes in a second");
const minutes = (count: number, bytes: number) => Array.from({ length: count }, (): Sent => [60_000, bytes]);
const paused = (ms: number, bytes: number): Sent[] => [
  [59_999, 1],
  [ms, bytes],
];
const slowly = Array.from({ length: 10 }, (): Sent => [10, 1]);

type Sent = readonly [afterMs: number, bytes: number];

/** Sends chunks, each so many milliseconds after the one before, and takes so long to store each. */
test.each<
  [name: string, sent: Sent[], passes: number | string, options?: { least?: number; storesMs?: number }]
>([
  ["who sends at least so much in each minute may go on", minutes(100, 61_440), 100 * 61_440],
  ["who sends less is ended after a minute", minutes(1, 61_439), SLOW],
  ["who sends less is ended, however quick the start was", [[0, 10_000_000], ...minutes(2, 1)], SLOW],
  ["a pause counts only together with what comes in the same minute", paused(1, 61_439), 61_440],
  ["a pause counts, and not what comes after that minute", paused(2, 61_438), SLOW],
  ["the time that our disk takes is not the client's", slowly, 10, { storesMs: 100_000 }],
  ["without a limit nobody is too slow", minutes(3, 0), 0, { least: 0 }],
])("%s", async (_, sent, passes, { least = 1024, storesMs = 0 } = {}) => {
  const clock = new FakeClock();
  async function* chunks() {
    for (const [afterMs, bytes] of sent) {
      clock.advance(afterMs);
      yield new Uint8Array(bytes);
    }
  }
  const pass = async () => {
    let passed = 0;
    for await (const chunk of paced(chunks(), { clock, least })) {
      passed += chunk.length;
      clock.advance(storesMs);
    }
    return passed;
  };
  expect(await pass().catch(String)).toEqual(passes);
});

test("what is read at once is not waited for without end", async () => {
  const pace = { clock: new FakeClock(), least: 1024 };
  expect(await inTime(new Promise<never>(() => {}), pace, 1).catch(String)).toContain("too slowly");
  expect(await inTime(Promise.resolve(1), pace, 1)).toBe(1);
});
