import { expect, test } from "bun:test";
import { nameKey } from "../../../src/domain/files/name-key.ts";
import { compareNames } from "../../../web/lib/files/sort.ts";

const IN_ORDER = [
  "2 pages.md",
  "02.md",
  "2.md",
  "10.md",
  `1${"0".repeat(200)}.md`,
  `${"9".repeat(201)}.md`,
  "a.md",
  "A1",
  "a2b3",
  "a2b10",
  "argo",
  "Ärzte",
  "b",
  "Straße 9",
  "strasse 10",
  "Zoo",
  "zoo",
  "Ωmega",
  "書",
];

test("names are in the order in which people read them", () => {
  const shuffled = IN_ORDER.toSorted((one, other) => Bun.hash.crc32(one) - Bun.hash.crc32(other));
  expect(shuffled.toSorted(compareNames)).toEqual(IN_ORDER);
});

test("a name has the same key wherever it is, and no two have the same", () => {
  for (const name of IN_ORDER)
    expect(new Set([name, `a/${name}`, `9/b/${name}/`].map(nameKey))).toEqual(new Set([nameKey(name)]));
  expect(new Set(IN_ORDER.map(nameKey)).size).toBe(IN_ORDER.length);
});
