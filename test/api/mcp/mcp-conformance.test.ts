import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import { startMcpFixture } from "../../support/peers/mcp-fixture.ts";
import { startWithDrive } from "../../support/server/scenario.ts";
import { isThorough } from "../../support/server/thorough.ts";

const MODULES = resolve(import.meta.dir, "../../../node_modules");

/** What the official suite is asked for: what a revision requires of servers; and all that its last release has. */
const RUNS = [
  ["2026-07-28", "@modelcontextprotocol/conformance", ["--requirements", "2026-07-28"]],
  ["2025-11-25", "@modelcontextprotocol/conformance", ["--requirements", "2025-11-25"]],
  ["release 0.1.16", "mcp-conformance-0.1", ["--suite", "all"]],
] as const;

/** Runs some scenarios. Resolves with those that failed, and those that passed. */
async function run(url: URL | string, suite: string, args: readonly string[]) {
  const program = resolve(MODULES, suite, "dist/index.js");
  const asked = ["server", "--url", new URL("/mcp", url).href, ...args];
  const child = Bun.spawn([process.execPath, program, ...asked], { stdout: "pipe", stderr: "pipe" });
  const output = (await child.stdout.text()) + (await child.stderr.text());
  const [, summary = ""] = output.split("=== SUMMARY ===");
  const [scored = ""] = summary.split("\nTotal:");
  const named = (mark: string) =>
    Array.from(scored.matchAll(new RegExp(`^${mark} ([\\w-]+): `, "gm")), ([, name = ""]) => name);
  return { failed: named("✗"), passed: named("✓") };
}

/** The way to a server for the suite, which knows no keys: it adds one to each request. */
function proxyWith(key: string, address: string) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url, method, headers, body }) => {
      const sent = new Headers(headers);
      sent.delete("host");
      sent.set("authorization", `Bearer ${key}`);
      return fetch(new URL(new URL(url).pathname, address), { method, headers: sent, body });
    },
  });
}

/**
 * What does not apply: without sessions, a server of the earlier revisions cannot ask a client for something in the
 * middle of a call, nor send what happens later, so it does not say that it has subscriptions. Extensions and what is
 * pending are not scored by the suite either.
 */
const NOT_APPLICABLE =
  /^(tools-call-(sampling|elicitation)|elicitation-.*|resources-(un)?subscribe|tasks-.*|http-custom-header-server-validation)$/;

// What the last release has, the newest of the suite has, too.
const [ofRevisions, ofLast] = [RUNS.slice(0, 2), RUNS.slice(2)];

test.each(isThorough() ? RUNS : ofRevisions)(
  "what %s asks is met by this transport",
  async (_, suite, args) => {
    await using fixture = startMcpFixture();
    const { failed, passed } = await run(fixture.url, suite, args);
    expect(failed.filter((name) => !NOT_APPLICABLE.test(name))).toEqual([]);
    expect(passed.length).toBeGreaterThan(15);
  },
);

/** Scenarios that take no tools, prompts and files of the suite's own. */
const GENERIC = ["tools-list", "resources-list", "prompts-list", "completion-complete"];
const OF_REVISION = {
  "2026-07-28": ["caching", "sep-2164-resource-not-found"],
  "2025-11-25": ["server-initialize", "ping", "logging-set-level"],
  "release 0.1.16": ["server-initialize", "ping", "logging-set-level"],
};

test.each(isThorough() ? RUNS : ofLast)(
  "what %s asks of any server is met by this one",
  async (name, suite, args) => {
    await using coffer = await startWithDrive({ "rate-limits": "free=10000,pro=10000,team=10000" });
    using proxy = proxyWith(coffer.own.key, coffer.appliance.url);
    const { passed } = await run(proxy.url, suite, args);
    expect(passed).toEqual(expect.arrayContaining([...GENERIC, ...OF_REVISION[name]]));
  },
);

test("pages of other sites get nowhere, unless they have a key", async () => {
  await using coffer = await startAppliance();
  const asked = ["--scenario", "dns-rebinding-protection"];
  const program = resolve(MODULES, "@modelcontextprotocol/conformance/dist/index.js");
  const url = new URL("/mcp", coffer.appliance.url).href;
  const child = Bun.spawn([process.execPath, program, "server", "--url", url, ...asked], {
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(0);
});
