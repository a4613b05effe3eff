import { expect, test } from "bun:test";
import { columnsIn, VIEW_SHAPES } from "../../web/lib/files/view.ts";

test("in the list each thing has a line for itself, and tiles fill the width, two at least", () => {
  const { list, tiles } = VIEW_SHAPES;
  expect([0, 20, 200].map((width) => columnsIn(list, width))).toEqual([1, 1, 1]);
  expect([0, 15, 22, 30, 39.9, 59].map((width) => columnsIn(tiles, width))).toEqual([2, 2, 2, 3, 3, 5]);
});
