import { describe, expect, test } from "bun:test";
import { RowScale } from "../../web/lib/files/row-scale.ts";

/** What Firefox makes no element taller than, in pixels. */
const LIMIT = 17_895_697;
const WINDOW = 800;
/** Pixels. */
const ROW_HEIGHT = 48;

describe.each([1, 1000, 100_000, 312_500, 312_501, 1_000_000, 10_000_000])("of %i rows", (count) => {
  const scale = new RowScale(count, ROW_HEIGHT);
  const all = count * ROW_HEIGHT;

  test("the element is no taller than browsers make it", () => {
    expect(scale.height).toBeLessThan(LIMIT);
    expect(scale.height).toBeLessThanOrEqual(all);
  });

  test("scrolled to the start, the first row is seen, and scrolled to the end, the last", () => {
    expect([scale.toRows(-200), scale.toRows(0)]).toEqual([-200, 0]);
    expect(scale.toRows(scale.height - WINDOW)).toBe(all - WINDOW);
  });

  test("every row is found again where it stands, and later ones stand further down", () => {
    let last = Number.NEGATIVE_INFINITY;
    for (let part = 0; part <= 1000; part += 1) {
      const y = (all / 1000) * part;
      const place = scale.toElement(y);
      expect(scale.toRows(place)).toBeCloseTo(y, 3);
      expect(place).toBeGreaterThan(last);
      expect(place).toBeLessThanOrEqual(scale.height);
      last = place;
    }
  });
});

test("rows that all have room stand where they are", () => {
  const scale = new RowScale(100_000, ROW_HEIGHT);
  expect([scale.height, scale.toRows(3_210_987.5)]).toEqual([100_000 * ROW_HEIGHT, 3_210_987.5]);
});
