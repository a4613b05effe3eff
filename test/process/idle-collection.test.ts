import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { IdleCollection } from "../../src/process/idle-collection.ts";

/** How long a thread must have had nothing to do. */
const IDLE_MS = 500;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A collection, and what it has done. */
function start() {
  const done: string[] = [];
  const collected = spyOn(Bun, "gc").mockImplementation(() => done.push("garbage"));
  return {
    collection: new IdleCollection(() => void done.push("the rest")),
    done,
    [Symbol.dispose]: () => collected.mockRestore(),
  };
}

test("what a thread does not need is given back once it has nothing to do, garbage first", () => {
  using started = start();
  const { collection, done } = started;
  collection.delay();
  jest.advanceTimersByTime(IDLE_MS - 1);
  // Something was done again: the wait begins anew.
  collection.delay();
  jest.advanceTimersByTime(IDLE_MS - 1);
  expect(done).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(done).toEqual(["garbage", "the rest"]);
  jest.advanceTimersByTime(10 * IDLE_MS);
  expect(done).toHaveLength(2);
});

test("it is given back again after more was done", () => {
  using started = start();
  const { collection, done } = started;
  for (const times of [1, 2]) {
    collection.delay();
    jest.advanceTimersByTime(IDLE_MS);
    expect(done).toHaveLength(2 * times);
  }
});

test("nothing is given back after a stop, not even if something is done then", () => {
  using started = start();
  const { collection, done } = started;
  collection.delay();
  collection.stop();
  jest.advanceTimersByTime(IDLE_MS);
  collection.delay();
  jest.advanceTimersByTime(IDLE_MS);
  expect(done).toEqual([]);
});
