import { expect, test } from "bun:test";
import { Sampler } from "../../src/tracing/sampler.ts";
import { newTraceId } from "../../src/tracing/trace-context.ts";
import { FakeClock } from "../support/server/fake-clock.ts";

function parent(isSampled: boolean) {
  return { traceId: newTraceId(), spanId: "b7ad6b7169203331", isSampled };
}

function opened(given: Partial<ConstructorParameters<typeof Sampler>[0]> = {}) {
  const clock = new FakeClock();
  return { clock, sampler: new Sampler({ clock, isParentBased: true, ratio: 1, perSecond: 10, ...given }) };
}

/** How many of so many new traces are taken. */
function taken(sampler: Sampler, count: number, by = () => null as ReturnType<typeof parent> | null): number {
  return Array.from({ length: count }, () => sampler.takes(newTraceId(), by())).filter(Boolean).length;
}

test("the caller decides about a trace that it brings", () => {
  const { sampler } = opened({ ratio: 0 });
  expect([sampler.takes(newTraceId(), parent(true)), sampler.takes(newTraceId(), parent(false))]).toEqual([
    true,
    false,
  ]);
  expect(taken(sampler, 5)).toBe(0);
});

test("or it does not", () => {
  const { sampler } = opened({ isParentBased: false });
  expect(sampler.takes(newTraceId(), parent(false))).toBe(true);
  expect(opened({ isParentBased: false, ratio: 0 }).sampler.takes(newTraceId(), parent(true))).toBe(false);
});

test("of the others a share is taken, by the end of the id, as other programs do", () => {
  const { sampler } = opened({ ratio: 0.25, perSecond: 100_000 });
  const begin = "0af7651916cd43dd844";
  expect(sampler.takes(`${begin}3fffffffffffe`, null)).toBe(true);
  expect(sampler.takes(`${begin}4000000000000`, null)).toBe(false);
  expect(Math.abs(taken(sampler, 10_000) - 2500)).toBeLessThan(300);
});

test("so many in a second, of those that callers bring and of the others each", () => {
  const { sampler, clock } = opened();
  expect(taken(sampler, 50, () => parent(true))).toBe(10);
  expect(taken(sampler, 50)).toBe(10);
  clock.advance(500);
  expect(taken(sampler, 50)).toBe(5);
  clock.advance(60_000);
  expect(taken(sampler, 50)).toBe(10);
  // What is set is not time that has passed.
  clock.set(60_000);
  expect(taken(sampler, 50)).toBe(0);
});
