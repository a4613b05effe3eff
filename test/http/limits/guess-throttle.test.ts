import { beforeEach, describe, expect, test } from "bun:test";
import {
  ALL_GUESSES,
  CLIENT_GUESSES,
  GuessThrottle,
  OWN_GUESSES,
} from "../../../src/http/limits/guess-throttle.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";

const WRONG = new Error("wrong");
const HOUR_MS = 60 * 60_000;

let clock: FakeClock;
let throttle: GuessThrottle;
let clients = 0;

beforeEach(() => {
  clock = new FakeClock();
  throttle = new GuessThrottle(clock);
});

/** Guesses at a thing, by default from one address; what becomes of it. */
async function guess(verify: () => Promise<unknown>, thing = "thing", client = "one") {
  try {
    await throttle.attempt({ thing, client }, verify, (error) => error === WRONG);
    return "right";
  } catch (error) {
    return error instanceof Error ? error.message : "no error";
  }
}

/** An address that nobody has guessed from. */
const another = () => `client ${clients++}`;
const wrong = (thing?: string, client?: string) => guess(() => Promise.reject(WRONG), thing, client);
const right = (thing?: string, client?: string) => guess(() => Promise.resolve(), thing, client);
const waits = (seconds: number) => `Too many wrong passwords. Try again in ${seconds} s.`;

async function useUp(): Promise<void> {
  for (let n = 0; n < OWN_GUESSES.free; n += 1) expect(await wrong()).toBe("wrong");
}

describe("guesses of one client at one thing", () => {
  test("wait twice as long after each wrong one, up to a quarter of an hour", async () => {
    await useUp();
    let wait = OWN_GUESSES.firstMs;
    for (let n = 0; n < 12; n += 1) {
      expect(await right()).toBe(waits(wait / 1000));
      clock.advance(wait - 1);
      expect(await right()).toBe(waits(1));
      clock.advance(1);
      expect(await wrong()).toBe("wrong");
      wait = Math.min(2 * wait, OWN_GUESSES.mostMs);
    }
    expect(wait).toBe(OWN_GUESSES.mostMs);
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
    expect(results.filter((result) => result === "right")).toHaveLength(OWN_GUESSES.free);
    for (let n = 0; n < 20; n += 1) expect(await guess(() => Promise.reject(new Error("busy")))).toBe("busy");
    await useUp();
  });

  test("that are right do not take back those of others", async () => {
    for (let n = 1; n < OWN_GUESSES.free; n += 1) await wrong();
    expect([await right(), await wrong()]).toEqual(["right", "wrong"]);
    expect(await right()).toBe(waits(5));
  });

  test("have nothing to do with another thing, or another client", async () => {
    await useUp();
    expect([await right("other"), await right("thing", another())]).toEqual(["right", "right"]);
  });
});

test("guesses of one client at many things wait as well", async () => {
  for (let n = 0; n < CLIENT_GUESSES.free; n += 1) expect(await wrong(`${n}`)).toBe("wrong");
  expect(await right("new")).toBe(waits(5));
  expect(await right("new", another())).toBe("right");
});

async function useUpAll(): Promise<void> {
  for (let n = 0; n < ALL_GUESSES.free; n += 1) expect(await wrong("thing", another())).toBe("wrong");
}

describe("guesses of all clients at one thing", () => {
  test("are slow after a while, but nobody waits longer each time", async () => {
    await useUpAll();
    for (let n = 0; n < 10; n += 1) {
      expect(await right("thing", another())).toBe(waits(120));
      clock.advance(ALL_GUESSES.mostMs);
      expect(await wrong("thing", another())).toBe("wrong");
    }
    clock.advance(ALL_GUESSES.mostMs);
    expect(await right("thing", another())).toBe("right");
  });

  test("do not keep out who has guessed right before, who then waits for the own wrong ones alone", async () => {
    expect(await right()).toBe("right");
    await useUpAll();
    await useUp();
    expect(await right()).toBe(waits(5));
    clock.advance(5000);
    expect(await right()).toBe("right");
    expect(await right("thing", another())).toBe(waits(115));
  });
});
