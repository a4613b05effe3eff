import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import { startMcpFixture } from "../../support/peers/mcp-fixture.ts";
import { REVISIONS, type Revision } from "../../support/peers/mcp.ts";

const SUITE = resolve(
  import.meta.dir,
  "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js",
);

/** Runs what a revision requires of servers. Resolves with the scenarios that failed, and how many passed. */
async function run(url: URL | string, revision: Revision): Promise<{ failed: string[]; passed: string[] }> {
  const args = ["server", "--url", new URL("/mcp", url).href, "--requirements", revision];
  const child = Bun.spawn([process.execPath, SUITE, ...args], { stdout: "pipe", stderr: "pipe" });
  const output = (await child.stdout.text()) + (await child.stderr.text());
  const [, summary = ""] = output.split("=== SUMMARY ===");
  const [scored = ""] = summary.split("\nTotal:");
  const named = (mark: string) =>
    Array.from(scored.matchAll(new RegExp(`^${mark} ([\\w-]+): `, "gm")), ([, name = ""]) => name);
  return { failed: named("✗"), passed: named("✓") };
}

/**
 * What does not apply: without sessions, a server of the earlier revisions cannot ask a client for something in the
 * middle of a call, nor send what happens later. Extensions and what is pending are not scored by the suite either.
 */
const NOT_APPLICABLE =
  /^(tools-call-(sampling|elicitation)|elicitation-.*|resources-(un)?subscribe|tasks-.*|http-custom-header-server-validation)$/;

test.each(REVISIONS)("what %s requires of servers is met by this transport", async (revision) => {
  await using fixture = startMcpFixture();
  const { failed, passed } = await run(fixture.server.url, revision);
  expect(failed.filter((name) => !NOT_APPLICABLE.test(name))).toEqual([]);
  expect(passed.length).toBeGreaterThan(15);
});

test("what takes no tools of the suite's own is met by the server itself", async () => {
  await using coffer = await startAppliance();
  const { passed } = await run(coffer.appliance.url, "2025-11-25");
  const generic = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];
  expect(passed).toEqual(expect.arrayContaining(generic));
});
