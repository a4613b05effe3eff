import { beforeEach, describe, expect, test } from "bun:test";
import { FREE_GUESSES, GUESS_WAIT_MS, GuessThrottle } from "../../src/http/gate/guess-throttle.ts";
import { FakeClock } from "../support/fake-clock.ts";

const WRONG = new Error("wrong");
const HOUR_MS = 60 * 60_000;

let clock: FakeClock;
let throttle: GuessThrottle;
let clients = 0;

beforeEach(() => {
  clock = new FakeClock();
  throttle = new GuessThrottle(clock);
});

/** Guesses at a thing from a new address; what becomes of it. */
async function guess(verify: () => Promise<unknown>, thing = "thing", client = `client ${clients++}`) {
  try {
    await throttle.attempt({ thing, client }, verify, (error) => error === WRONG);
    return "right";
  } catch (error) {
    return error instanceof Error ? error.message : "no error";
  }
}

const wrong = (thing?: string, client?: string) => guess(() => Promise.reject(WRONG), thing, client);
const right = (thing?: string, client?: string) => guess(() => Promise.resolve(), thing, client);
const waits = (seconds: number) => `Too many wrong passwords. Try again in ${seconds} s.`;

async function useUp(): Promise<void> {
  for (let n = 0; n < FREE_GUESSES.thing; n += 1) expect(await wrong()).toBe("wrong");
}

describe("guesses at one thing", () => {
  test("wait twice as long after each wrong one, up to a quarter of an hour", async () => {
    await useUp();
    let wait = GUESS_WAIT_MS.first;
    for (let n = 0; n < 12; n += 1) {
      expect(await right()).toBe(waits(wait / 1000));
      clock.advance(wait - 1);
      expect(await right()).toBe(waits(1));
      clock.advance(1);
      expect(await wrong()).toBe("wrong");
      wait = Math.min(2 * wait, GUESS_WAIT_MS.most);
    }
    expect(wait).toBe(GUESS_WAIT_MS.most);
  });

  test("are forgotten an hour after the last wrong one, and if the clock was set back", async () => {
    await useUp();
    clock.advance(HOUR_MS);
    await useUp();
    expect(await right()).toBe(waits(5));
    clock.advance(-1);
    expect(await right()).toBe("right");
  });

  test("count from their start, and no longer once they are right or fail for another reason", async () => {
    const held = Promise.withResolvers<void>();
    const parallel = Array.from({ length: 8 }, () => guess(() => held.promise));
    held.resolve();
    const results = await Promise.all(parallel);
    expect(results.filter((result) => result === "right")).toHaveLength(FREE_GUESSES.thing);
    for (let n = 0; n < 20; n += 1) expect(await guess(() => Promise.reject(new Error("busy")))).toBe("busy");
    await useUp();
  });

  test("that are right do not take back those of others", async () => {
    for (let n = 1; n < FREE_GUESSES.thing; n += 1) await wrong();
    expect(await right()).toBe("right");
    expect(await wrong()).toBe("wrong");
    expect(await right()).toBe(waits(5));
  });

  test("have nothing to do with another thing", async () => {
    await useUp();
    expect(await right("other")).toBe("right");
  });
});

test("guesses of one client at many things wait as well", async () => {
  for (let n = 0; n < FREE_GUESSES.client; n += 1) expect(await wrong(`${n}`, "one")).toBe("wrong");
  expect(await right("new", "one")).toBe(waits(5));
  expect(await right("new", "another")).toBe("right");
});
