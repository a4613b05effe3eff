import { expect, test } from "bun:test";
import { readmeAmong, startOfReadme } from "../../web/lib/files/readme.ts";

test.each<[names: string[], found: string | undefined]>([
  [["a.md", "README.md"], "README.md"],
  [["ReadMe.MD"], "ReadMe.MD"],
  [["readme.md", "README.md", "Readme.md"], "README.md"],
  [["readme.txt", "readme", "readme.md.bak", "my readme.md"], undefined],
  [[], undefined],
])("among %j it is %p", (names, found) => {
  expect(readmeAmong(names.map((filename) => ({ filename })))?.filename).toBe(found);
});

test("of a long one the start is shown, up to the end of a paragraph, or cut where none ends", () => {
  expect(startOfReadme("# Short\n\nText")).toBe("# Short\n\nText");
  const paragraph = `${"word ".repeat(200)}end`;
  const start = startOfReadme(Array.from({ length: 30 }, () => paragraph).join("\n\n"));
  expect([start.length < 20_000, start.length > 18_000, start.endsWith("end")]).toEqual([true, true, true]);
  expect(startOfReadme(`# Title\n\n${"x".repeat(30_000)}`)).toHaveLength(20_000);
});
