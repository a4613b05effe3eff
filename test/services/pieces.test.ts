import { expect, test } from "bun:test";
import { inPieces, requireFurther } from "../../src/services/pieces.ts";

test("a work in pieces ends with the first piece that finds nothing, or when it is stopped", async () => {
  const left = [3, 2, 0, 4];
  expect([await inPieces(() => Promise.resolve(left.shift() ?? 0)), left]).toEqual([5, [4]]);
  let pieces = 0;
  const isStopped = () => pieces === 2;
  expect(await inPieces(() => Promise.resolve((pieces += 1)), isStopped)).toBe(3);
});

test("a work whose pieces find the same again and again is given up", async () => {
  const refused = await inPieces(() => Promise.resolve(1)).catch(String);
  expect(refused).toContain("has no end");
  expect(() => requireFurther("this work", "a", "a")).toThrow('this work cannot go on from "a"');
  expect(() => requireFurther<string | null>("this work", "a", null)).not.toThrow();
});
