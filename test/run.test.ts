import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "./support/server/temporary-directory.ts";

const SKIPPED = `describe.skipIf(true)("a disk (skipped: no <strace>)", () => {
  beforeAll(() => {});
  test("that fails", () => {});
});`;
const PASSES = `test("that passes", () => {});`;
const FAILS = `test("that fails", () => { throw new Error("it does"); });`;

/** Fails once. */
const FLAKY = `test("that is flaky", () => {
  const ran = require("node:path").join(import.meta.dir, "ran");
  if (require("node:fs").existsSync(ran)) return;
  require("node:fs").writeFileSync(ran, "");
  throw new Error("it does once");
});`;

/** Runs a file of these tests; how that ends, and what it says at its end. */
async function ran(...tests: string[]): Promise<{ code: number; end: string }> {
  return ranIn({ CI: "" }, ...tests);
}

async function ranIn(
  env: Record<string, string>,
  ...tests: string[]
): Promise<{ code: number; end: string }> {
  await using place = await temporaryDirectory();
  const file = join(place.path, "some.test.ts");
  await Bun.write(
    file,
    `import { beforeAll, describe, test } from "bun:test"; describe("a server", () => {${tests.join("\n")}});`,
  );
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "run.ts"), "--parallel=2", file], {
    stdout: "pipe",
    stderr: "ignore",
    env: { ...process.env, ...env },
  });
  const said = await child.stdout.text();
  return {
    code: await child.exited,
    end: said.slice(said.search(/^(?:Skipped,|No test was skipped)/m)).trim(),
  };
}

test("a test that was skipped is named at the end, with its reason, whether the others pass or not", async () => {
  const named = String.raw`^Skipped, 1 in all:\n {2}\S*some\.test\.ts: a server > a disk \(skipped: no <strace>\) > that fails`;
  expect(await ran(SKIPPED, PASSES)).toEqual({
    code: 0,
    end: expect.stringMatching(new RegExp(`${named}$`)),
  });
  expect(await ran(FAILS, SKIPPED)).toEqual({ code: 1, end: expect.stringMatching(new RegExp(named)) });
});

test("a test that failed is named there after those, with its error", async () => {
  const { end } = await ran(FAILS, SKIPPED);
  expect(end).toMatch(
    /that fails\n\nFailed, 1 in all:\n {2}\S*some\.test\.ts: a server > that fails\n.*it does/,
  );
});

test("where none was skipped, that is said", async () => {
  expect(await ran(PASSES)).toEqual({ code: 0, end: "No test was skipped." });
});

test("in CI, what fails once passes and is named as flaky; what fails again does not", async () => {
  expect(await ranIn({ CI: "true" }, FLAKY, PASSES)).toEqual({
    code: 0,
    end: expect.stringMatching(
      /\nFlaky \(failed, and passed when run again\), 1 in all:\n.*that is flaky\n.*it does once/,
    ),
  });
  expect((await ran(FLAKY, PASSES)).code).toBe(1);
  expect(await ranIn({ CI: "true" }, FAILS, PASSES)).toEqual({
    code: 1,
    end: expect.stringMatching(/\nFailed, 1 in all:/),
  });
});
