import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { fused } from "../../../src/domain/search/fusion.ts";
import { passagesOf } from "../../../src/domain/search/passages.ts";
import { similarity, vectorOf } from "../../../src/domain/search/vectors.ts";
import { forAll } from "../../support/models/properties.ts";

function starts(text: string): number[] {
  return passagesOf(text).map(({ start }) => start);
}

function near(a: readonly number[], b: readonly number[]): number {
  return similarity(vectorOf(a) ?? Int8Array.of(), vectorOf(b) ?? Int8Array.of());
}

describe("passages", () => {
  test("are the text, in order, each short and where it says", () => {
    const part = fc.constantFrom("some words ", " ", "\n", "\n\n", "\u{20bb7}", "\ud842", "x".repeat(700));
    const text = fc.array(part, { maxLength: 100 }).map((parts) => parts.join(""));
    forAll(0.2, text, (given) => {
      let end = 0;
      for (const { start, text: passage } of passagesOf(given)) {
        expect(given.slice(end, start).trim()).toBe("");
        expect(given.slice(start, start + passage.length).toWellFormed()).toBe(passage);
        expect([passage.length > 0, passage.length <= 1200]).toEqual([true, true]);
        end = start + passage.length;
      }
    });
  });

  test("end after a paragraph, a line or a word, and are the first 32", () => {
    expect(starts(`${"a ".repeat(500)}\n\n${"b ".repeat(500)}`)).toEqual([0, 1002]);
    expect(starts(`${"a ".repeat(500)}\n${"b ".repeat(500)}`)).toEqual([0, 1001]);
    expect(starts("word ".repeat(300))).toEqual([0, 1200]);
    expect(starts("x".repeat(3000))).toEqual([0, 1200, 2400]);
    expect(passagesOf("x".repeat(100_000))).toHaveLength(32);
    expect(passagesOf(" \n".repeat(2000))).toEqual([]);
  });
});

describe("vectors", () => {
  test("are near by their direction, whatever their length", () => {
    expect(near([0.1, 0.2, 0], [10, 20, 0])).toBeCloseTo(1, 2);
    expect(near([1, 0], [0, 3])).toBe(0);
    expect(near([1, 2], [-1, -2])).toBeCloseTo(-1, 2);
  });

  test.each([[[0, 0]], [[Number.NaN, 1]], [[Number.POSITIVE_INFINITY, 1]], [[]]])(
    "of %p are none",
    (numbers) => {
      expect(vectorOf(numbers)).toBeNull();
    },
  );
});

test("what is high in both lists comes before what is first in one", () => {
  const scores = fused([
    ["a", "b", "c"],
    ["d", "b", "e"],
  ]);
  expect([...scores.keys()]).toEqual(["b", "a", "d", "c", "e"]);
  expect([...fused([["a"], ["a"]])]).toEqual([["a", 1]]);
});
