import { expect, spyOn, test } from "bun:test";
import { parseFolderPath, parsePathOfFile, parsePrefix } from "../../src/domain/path.ts";
import { someLines } from "../../src/domain/texts/some-lines.ts";

/** What is composed at most: to put marks in their order takes the square of their number. */
const MOST_COMPOSED = 3100;
const MOST_MARKS = 1100;

test.each([
  ["marks that are to be put in order", `a${"\u0301\u0316".repeat(20_000)}`],
  ["as many of them as just fit before they are composed", `a${"\u0301\u0316".repeat(700)}`],
  ["a long text", "a".repeat(100_000)],
])("a path that is too long is not composed: %s", (_, path) => {
  let longest = 0;
  let marks = 0;
  const { normalize } = String.prototype;
  using spy = spyOn(String.prototype, "normalize").mockImplementation(function (this: string, form?: string) {
    longest = Math.max(longest, this.length);
    for (const [run] of this.matchAll(/\p{M}+/gu)) marks = Math.max(marks, run.length);
    return normalize.call(this, form);
  });
  expect(spy).toBeDefined();
  for (const parse of [parsePathOfFile, parsePrefix])
    expect(() => parse("path", path)).toThrow("must have at most 1024 bytes");
  expect(() => parseFolderPath("path", `${path}/`)).toThrow("must have at most 1024 bytes");
  expect([longest <= MOST_COMPOSED, marks <= MOST_MARKS]).toEqual([true, true]);
});

test("a path that fits once it is composed is taken, however it is sent", () => {
  for (const letter of ["\u1f82", "\uac01", "\u1ead", "\u0390"]) {
    const name = letter.repeat(80);
    const path = Array.from({ length: 4 }, () => name).join("/");
    expect<string>(parsePathOfFile("path", `/${path.normalize("NFD")}`)).toBe(path);
  }
});

test("of a text with a million lines only those are looked at that are read", () => {
  const { slice } = String.prototype;
  using spy = spyOn(String.prototype, "slice").mockImplementation(slice);
  const { lines } = someLines("\n".repeat(1_000_000), true, { lines: 100, bytes: 1_000_000 });
  expect(lines).toEqual(Array.from({ length: 100 }, () => ""));
  expect(spy.mock.calls.length).toBeLessThan(300);
  using split = spyOn(String.prototype, "split");
  someLines("\n".repeat(1_000_000), true, { lines: 100, bytes: 1_000_000 });
  expect(split).not.toHaveBeenCalled();
});
