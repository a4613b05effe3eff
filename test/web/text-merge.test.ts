import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { canBeLaidOut } from "../../web/lib/editing/layout.ts";
import { changesOf, editsOf, type Part, type Side, wholeMerge } from "../../web/lib/editing/merge.ts";
import { readText, writeText } from "../../web/lib/editing/text-format.ts";
import { mergeTexts } from "../../web/lib/editing/three-way.ts";
import { forAll } from "../support/models/properties.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a text is written as it was read", () => {
  test.each<[stored: string, edited: string, lineBreak: "\n" | "\r\n"]>([
    ["one\ntwo", "one\ntwo", "\n"],
    ["one\r\ntwo\r\n", "one\ntwo\n", "\r\n"],
    ["one\r\ntwo\n", "one\r\ntwo\n", "\n"],
    ["one\rtwo\r\n", "one\rtwo\r\n", "\n"],
    ["\r\r\n", "\r\r\n", "\n"],
    ["\ufeffone\r\n", "one\n", "\r\n"],
    ["\ufeff\ufeff", "\ufeff", "\n"],
    ["", "", "\n"],
  ])("%j is edited as %j", (stored, edited, lineBreak) => {
    const read = readText(bytes(stored));
    expect([read?.text, read?.format.lineBreak]).toEqual([edited, lineBreak]);
    expect(read && writeText(read)).toEqual(bytes(stored));
  });

  test("bytes that would not be written again are not edited", () => {
    for (const hostile of [[0xe9], [0xff, 0xfe, 0x61, 0x00], [0x61, 0x00], [0xed, 0xa0, 0x80]]) {
      expect(readText(new Uint8Array(hostile))).toBeNull();
    }
  });
});

test.each<[what: string, text: string, isFine: boolean]>([
  ["code", "const a = 1;\n".repeat(100_000), true],
  ["a long line", "x".repeat(100_000), true],
  ["a longer line", "x".repeat(100_001), false],
  ["a line of Arabic", "سلام ".repeat(1200), true],
  ["a long line of Arabic", "سلام ".repeat(1300), false],
  ["a long line with emoji", "🙂 and words ".repeat(2000), true],
  ["many marks on one letter", `a${"\u0301".repeat(40)}`, false],
])("whether %s can be laid out as it is typed: %#", (_what, text, isFine) => {
  expect(canBeLaidOut(text)).toBe(isFine);
});

/** What `mine` becomes by a merge. */
function applied(mine: string, parts: readonly Part[] | null, sides: readonly Side[] = []): string {
  const changes = changesOf(mine, editsOf(parts ?? [], sides));
  return changes.reduceRight(
    (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to),
    mine,
  );
}

describe("a merge", () => {
  test.each<[what: string, base: string, mine: string, theirs: string, merged: string]>([
    ["changes of other lines", "a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nD", "A\nb\nc\nD"],
    ["the same change of both", "a\nb\nc", "a\nB\nc", "a\nB\nc", "a\nB\nc"],
    ["a line at the end", "a\nb\nc", "A\nb\nc", "a\nb\nc\nd", "A\nb\nc\nd"],
    ["a line break at the end", "a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"],
    ["the last lines deleted", "a\nb\nc\nd", "A\nb\nc\nd", "a\nb", "A\nb"],
    ["a line in front", "a\nb\nc", "a\nb\nC", "0\na\nb\nc", "0\na\nb\nC"],
    ["all deleted, where mine is as it was", "a\nb", "a\nb", "", ""],
    ["a text made of none", "", "", "a\nb\n", "a\nb\n"],
    [
      "lines with the names of objects' parts",
      "constructor\n__proto__\nx",
      "constructor\n__proto__\ny",
      "z\n__proto__\nx",
      "z\n__proto__\ny",
    ],
  ])("takes %s", (_what, base, mine, theirs, merged) => {
    expect(applied(mine, mergeTexts({ base, mine, theirs }))).toBe(merged);
  });

  test("asks where both changed a line, and loses neither side unless it is chosen", () => {
    const [base, mine, theirs] = ["a\nb\nc\nd\ne", "a\nB\nc\nd\ne", "a\nb!\nc\nd\nE"];
    const parts = mergeTexts({ base, mine, theirs });
    expect(parts?.filter(({ kind }) => kind === "collision")).toEqual([
      { kind: "collision", mine: ["B"], theirs: ["b!"] },
    ]);
    expect(applied(mine, parts)).toBe("a\nB\nb!\nc\nd\nE");
    expect(applied(mine, parts, ["mine"])).toBe("a\nB\nc\nd\nE");
    expect(applied(mine, parts, ["theirs"])).toBe("a\nb!\nc\nd\nE");
  });

  test("is theirs where mine was not changed, mine where theirs was not, whatever the lines", () => {
    const text = fc
      .array(fc.constantFrom("", "a", "b", "{", "}"), { maxLength: 12 })
      .map((lines) => lines.join("\n"));
    forAll(1, text, text, (base, other) => {
      expect(applied(base, mergeTexts({ base, mine: base, theirs: other }))).toBe(other);
      expect(applied(other, mergeTexts({ base, mine: other, theirs: base }))).toBe(other);
      expect(applied(other, mergeTexts({ base, mine: other, theirs: other }))).toBe(other);
    });
  });

  test("keeps every line of both sides, if of each collision both are taken", () => {
    const text = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g"), { maxLength: 6 });
    forAll(1, text, text, text, (old, ours, others) => {
      const [base = "", mine = "", theirs = ""] = [old, ours, others].map((lines) => lines.join("\n"));
      const merged = applied(mine, mergeTexts({ base, mine, theirs })).split("\n");
      const isNew = [...ours, ...others].filter((line) => !old.includes(line));
      expect(merged).toEqual(expect.arrayContaining(isNew));
    });
  });

  test("of texts with too many equal lines is not tried: both are to be chosen from", () => {
    const base = "\n".repeat(20_000);
    const sides = { base, mine: `a${base}b`, theirs: `c${base}d` };
    expect(mergeTexts(sides)).toBeNull();
    expect(applied(sides.mine, wholeMerge(sides))).toBe(`${sides.mine}\n${sides.theirs}`);
    expect(applied(base, wholeMerge({ ...sides, mine: base }))).toBe(sides.theirs);
  });
});
