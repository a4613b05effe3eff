import { expect, spyOn, test } from "bun:test";
import { parseFolderPath, parsePathOfFile, parsePrefix } from "../../src/domain/files/path.ts";
import { someLines } from "../../src/domain/contents/texts/some-lines.ts";

/** What is composed at most: to put marks in their order takes the square of their number. */
const MOST_COMPOSED = 3100;
const MOST_MARKS = 1100;

test.each([
  ["marks that are to be put in order", `a${"\u0301\u0316".repeat(20_000)}`],
  ["as many of them as just fit before they are composed", `a${"\u0301\u0316".repeat(700)}`],
  ["a long text", "a".repeat(100_000)],
])("a path that is too long is not composed: %s", (_, path) => {
  using spy = spyOn(String.prototype, "normalize");
  for (const parse of [parsePathOfFile, parsePrefix])
    expect(() => parse("path", path)).toThrow("must have at most 1024 bytes");
  expect(() => parseFolderPath("path", `${path}/`)).toThrow("must have at most 1024 bytes");
  const composed = spy.mock.contexts.map(String);
  const marks = composed.flatMap((text) => text.match(/\p{M}+/gu) ?? []);
  expect(composed.filter(({ length }) => length > MOST_COMPOSED)).toEqual([]);
  expect(marks.filter(({ length }) => length > MOST_MARKS)).toEqual([]);
});

test("a path that fits once it is composed is taken, however it is sent", () => {
  for (const letter of ["\u1f82", "\uac01", "\u1ead", "\u0390"]) {
    const name = letter.repeat(80);
    const path = Array.from({ length: 4 }, () => name).join("/");
    expect<string>(parsePathOfFile("path", `/${path.normalize("NFD")}`)).toBe(path);
  }
});

test("of a text with a million lines only those are looked at that are read", () => {
  using spy = spyOn(String.prototype, "slice");
  const { lines } = someLines("\n".repeat(1_000_000), true, { lines: 100, bytes: 1_000_000 });
  expect(lines).toEqual(Array.from({ length: 100 }, () => ""));
  expect(spy.mock.calls.length).toBeLessThan(300);
  using split = spyOn(String.prototype, "split");
  someLines("\n".repeat(1_000_000), true, { lines: 100, bytes: 1_000_000 });
  expect(split).not.toHaveBeenCalled();
});
