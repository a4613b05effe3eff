import { expect, test } from "bun:test";
import { median, quantile, rounded, summary } from "./figures.ts";
import { tableHead, tableRow, type Values, type Verdict, verdictOn, withTable } from "./table.ts";

test("the median and other quantiles do not depend on the order", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 3, 2, 1])).toBe(3);
  expect(median([])).toBeNaN();
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(quantile(hundred, 0.99)).toBe(100);
  expect(quantile(hundred, 0)).toBe(1);
  expect(quantile(hundred, 1)).toBe(100);
  expect(quantile([10, 9], 0.5)).toBe(10);
});

test("numbers have about three digits, and the spread stands behind the median where there is one", () => {
  expect([13_904.2, 390.6, 24.53, 9.876, 0.314].map(rounded)).toEqual([
    "13,904",
    "391",
    "24.5",
    "9.88",
    "0.31",
  ]);
  expect(summary([3, 1, 10])).toBe("3 (1-10)");
  expect(summary([7, 7])).toBe("7");
});

test.each<[string, Parameters<typeof verdictOn>[0]["reach"], Values, Verdict]>([
  ["at most, reached exactly", { atMost: 20 }, { Coffer: [1, 20, 99] }, "held"],
  ["at most, missed", { atMost: 20 }, { Coffer: [21] }, "missed"],
  ["at least, reached exactly", { atLeast: 150 }, { Coffer: [150] }, "held"],
  ["at least, missed", { atLeast: 150 }, { Coffer: [149] }, "missed"],
  ["times a peer, reached", { atLeast: 1.5, of: "nginx" }, { Coffer: [15], nginx: [10] }, "held"],
  ["times a peer, missed", { atLeast: 1.5, of: "nginx" }, { Coffer: [14], nginx: [10] }, "missed"],
  ["times a peer that is missing", { atLeast: 1.5, of: "nginx" }, { Coffer: [14] }, "unknown"],
  ["at most times a peer, missed", { atMost: 2, of: "nginx" }, { Coffer: [21], nginx: [10] }, "missed"],
  ["Coffer itself is missing", { atMost: 20 }, { nginx: [1] }, "unknown"],
  ["nothing is asked for", undefined, { Coffer: [1] }, "none"],
])("the verdict on a line: %s", (_, reach, values, verdict) => {
  expect(verdictOn({ name: "a line", ...(reach === undefined ? {} : { reach }) }, values)).toBe(verdict);
});

test("a row has a cell for each column, empty where nothing was measured", () => {
  const reach = { atLeast: 0.9, of: "nginx" } as const;
  const row = tableRow({ name: "a rate", reach }, { Coffer: [8, 6, 7], nginx: [10] });
  expect(row).toBe("| a rate | 7 (6-8) |  | 10 |  | at least 0.9 x nginx | **no** |");
  const columns = `${tableHead()}\n${row}`.split("\n").map((line) => line.split("|").length);
  expect(new Set(columns).size).toBe(1);
});

test("the manual has a place for the table, and a new table takes the place of the old one", async () => {
  const page = await Bun.file(`${import.meta.dir}/../../.github/docs/scale.md`).text();
  const once = withTable(page, "the first table");
  expect(once).toContain("the first table");
  expect(withTable(once, "the second")).toBe(once.replace("the first table", "the second"));
  expect(() => withTable("no place", "a table")).toThrow("bench");
});
