import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "./support/temporary-directory.ts";

const SKIPPED = `describe.skipIf(true)("a disk (skipped: no <strace>)", () => {
  beforeAll(() => {});
  test("that fails", () => {});
});`;
const PASSES = `test("that passes", () => {});`;
const FAILS = `test("that fails", () => { throw new Error("it does"); });`;

/** Runs a file of these tests; how that ends, and the last thing it says. */
async function ran(...tests: string[]): Promise<{ code: number; end: string }> {
  await using place = await temporaryDirectory();
  const file = join(place.path, "some.test.ts");
  await Bun.write(
    file,
    `import { beforeAll, describe, test } from "bun:test"; describe("a server", () => {${tests.join("\n")}});`,
  );
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "run.ts"), "--parallel=2", file], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const said = await child.stdout.text();
  return { code: await child.exited, end: said.slice(said.lastIndexOf("\n\n") + 1).trim() };
}

test("a test that was skipped is named at the end, with its reason, whether the others pass or not", async () => {
  const named = expect.stringMatching(
    /^Skipped, 1 in all:\n {2}\S*some\.test\.ts: a server > a disk \(skipped: no <strace>\) > that fails$/,
  );
  expect(await ran(SKIPPED, PASSES)).toEqual({ code: 0, end: named });
  expect(await ran(FAILS, SKIPPED)).toEqual({ code: 1, end: named });
});

test("where none was skipped, that is said", async () => {
  expect(await ran(PASSES)).toEqual({ code: 0, end: "No test was skipped." });
});
