import { describe, expect, test } from "bun:test";
import { RateLimiter } from "../../../src/http/gate/gate.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";

function limiter(capacity = 1000) {
  const clock = new FakeClock();
  return { clock, limiter: new RateLimiter({ clock, windowSeconds: 60, capacity }) };
}

describe("RateLimiter", () => {
  test("counts down to zero, refuses, and starts over when the window ends", () => {
    const { clock, limiter: windows } = limiter();
    expect(windows.take("a", 2)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
    clock.advance(1500);
    expect(windows.take("a", 2)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 59 });
    expect(windows.take("a", 2)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 59 });
    clock.advance(58_499);
    expect(windows.take("a", 2)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1 });
    clock.advance(1);
    expect(windows.take("a", 2)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
  });

  test("counts each bucket by itself", () => {
    const { limiter: windows } = limiter();
    expect([windows.take("a", 1).allowed, windows.take("b", 1).allowed]).toEqual([true, true]);
    expect(windows.take("a", 1).allowed).toBe(false);
  });

  test("a limit of 0 allows nothing", () => {
    expect(limiter().limiter.take("a", 0)).toEqual({
      allowed: false,
      limit: 0,
      remaining: 0,
      resetSeconds: 60,
    });
  });

  test("forgets windows that have ended", () => {
    const { clock, limiter: windows } = limiter();
    for (let i = 0; i < 500; i++) windows.take(`client ${i}`, 1);
    expect(windows.size).toBe(500);
    clock.advance(60_000);
    windows.take("another", 1);
    expect(windows.size).toBe(1);
  });

  test("forgets the oldest window when it is full", () => {
    const { limiter: windows } = limiter(3);
    for (const bucket of ["a", "b", "c", "d"]) windows.take(bucket, 1);
    expect([windows.size, windows.take("d", 1).allowed]).toEqual([3, false]);
    expect(windows.take("a", 1).allowed).toBe(true);
  });

  test("does not lock callers out when the clock is set back", () => {
    const { clock, limiter: windows } = limiter();
    windows.take("a", 1);
    clock.advance(-86_400_000);
    expect(windows.take("a", 1)).toEqual({ allowed: true, limit: 1, remaining: 0, resetSeconds: 60 });
  });
});
