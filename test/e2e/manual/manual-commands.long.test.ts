import { expect, test } from "bun:test";
import { MANUAL_PAGES } from "../../support/guides/guides.ts";
import { openManualShell } from "../../support/guides/manual-shell.ts";
import { testPages } from "./manual-pages.ts";

/** Those of the ordinary run. */
const OTHERS = ["agents", "api", "metrics", "security"].map((name) => `.github/docs/${name}.md`);

testPages(MANUAL_PAGES.filter((path) => !OTHERS.includes(path)));

test("a command that fails fails its block", async () => {
  await using shell = await openManualShell();
  const outcomes = await Promise.allSettled([
    shell.run("coffer verify --backup /mnt/none\ntrue"),
    shell.run("coffer serve --no-such-flag\ntrue"),
  ]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { message: expect.stringContaining("/mnt/none") } },
    { status: "rejected", reason: { message: expect.stringContaining("no-such-flag") } },
  ]);
});
