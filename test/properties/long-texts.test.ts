import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  MOST_IN_ROW,
  mustWrap,
  rowsOf,
  startOfText,
  textBlocks,
  withFewMarks,
} from "../../web/lib/contents/long-text.ts";
import { anyText, forAll } from "../support/models/properties.ts";

/** Long runs of few kinds of characters, as in what makes a browser slow, between any texts. */
const anyLongText = fc.string({
  unit: fc.oneof(
    anyText(),
    fc
      .tuple(fc.constantFrom("\u0301", "م", "aא", "👩‍👩‍👧‍👦", "x ", "\n", "\u0e33", "\u202e", "😀"), fc.nat(5000))
      .map(([piece, times]) => piece.repeat(times)),
  ),
  maxLength: 6,
});

/** What is no mark, and does not count marks. */
const others = (text: string) => text.replaceAll(/\p{M}| ⟨[\d,]+ more marks?⟩/gu, "");

const isHalfOfPair = (text: string) => /^[\udc00-\udfff]/.test(text) || /[\ud800-\udbff]$/.test(text);

test("no character keeps more than 30 marks, and every other character is kept", () => {
  forAll(1, anyLongText, (text) => {
    const shown = withFewMarks(text);
    expect(shown).not.toMatch(/\p{M}{31}/u);
    expect(others(shown)).toBe(others(text));
    if (!/\p{M}{31}/u.test(text)) expect(shown).toBe(text);
  });
});

test("blocks are the whole text, none of them long, and their lines are counted on", () => {
  forAll(1, anyLongText, (text) => {
    const { blocks, isCut } = textBlocks(text, Infinity);
    expect(isCut).toBe(false);
    expect(blocks.map((block) => block.text).join("")).toBe(text);
    let next = 1;
    for (const { text: lines, first, lines: count, longest } of blocks) {
      expect(lines.length).toBeLessThanOrEqual(8000);
      expect(longest).toBeLessThanOrEqual(MOST_IN_ROW);
      const own = lines.replace(/\n$/, "").split("\n");
      expect(own.length).toBe(count);
      if (first === null) continue;
      expect(first).toBe(next);
      next += count;
    }
    expect(next - 1).toBe(text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);
    if (blocks.some(({ first }) => first === null)) expect(mustWrap(text, blocks)).toBe(true);
  });
});

test("rows and starts end between characters", () => {
  const wellFormed = anyLongText.map((text) => withFewMarks(text).toWellFormed());
  forAll(1, wellFormed, fc.integer({ min: 200, max: 5000 }), (text, most) => {
    const rows = rowsOf(text, most);
    expect(rows.join("")).toBe(text);
    expect(rows.every((row) => row.length <= most && !isHalfOfPair(row))).toBe(true);
    expect(rows.slice(1).filter((row) => /^\p{M}/u.test(row))).toEqual([]);
    const { shown, left } = startOfText(text, most);
    expect([shown, left]).toEqual([rows[0] ?? "", text.length - shown.length]);
  });
});

describe("lines are always wrapped", () => {
  test.each<[what: string, text: string, isAlways: boolean]>([
    ["of code", `${"word ".repeat(100)}\n`.repeat(10), false],
    ["of minified code", "x".repeat(1001), true],
    ["of Arabic words", "كلمة ".repeat(30), false],
    ["of much Arabic", "كلمة ".repeat(50), true],
    ["of nothing", "", false],
  ])("%s", (_, text, isAlways) => {
    expect(mustWrap(text, textBlocks(text, Infinity).blocks)).toBe(isAlways);
  });
});

test("a text has no more lines than are asked for, and says so", () => {
  const { blocks, isCut } = textBlocks("line\n".repeat(1000), 250);
  expect([blocks.length, blocks.at(-1)?.first, isCut]).toEqual([3, 201, true]);
  expect(textBlocks("line\n".repeat(250), 250).isCut).toBe(false);
});
