import { expect, test } from "bun:test";
import { sourcesIn } from "./support/sources.ts";

test("what is tried in long runs only is tried there", async () => {
  const tests = await sourcesIn("test", ["test.ts"]);
  const texts = new Map(tests.map(({ path, text }) => [path, text]));
  const withMore = tests.filter(({ text }) => /import \{[^}]*\b(isThorough|someOf|longTest)\b/.test(text));
  expect(withMore.length).toBeGreaterThan(20);
  for (const { path } of withMore) {
    const name = path.split("/").at(-1) ?? "";
    const long = texts.get(path.replace(".test.ts", ".long.test.ts")) ?? "";
    expect([path, long]).toEqual([
      path,
      expect.stringContaining(`beThorough();\nawait import("./${name}");`),
    ]);
  }
});
