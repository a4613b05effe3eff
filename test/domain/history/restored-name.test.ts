import { expect, test } from "bun:test";
import { restoredName } from "../../../src/domain/history/history.ts";

test.each([
  ["plan.md", "file", 1, "plan (restored).md"],
  ["plan.md", "file", 2, "plan (restored 2).md"],
  ["a.tar.gz", "file", 1, "a.tar (restored).gz"],
  [".env", "file", 1, ".env (restored)"],
  ["README", "file", 1, "README (restored)"],
  ["v1.2", "folder", 1, "v1.2 (restored)"],
  [`a.${"b".repeat(40)}`, "file", 1, `a.${"b".repeat(40)} (restored)`],
  [`${"é".repeat(126)}.md`, "file", 10, `${"é".repeat(119)} (restored 10).md`],
] as const)("%p, a %s, on try %p", (name, kind, n, restored) => {
  expect(restoredName(name, kind, n)).toBe(restored);
  expect(Buffer.byteLength(restored)).toBeLessThanOrEqual(255);
});
