import { expect, test } from "bun:test";
import { startAppliance } from "../support/server/appliance.ts";
import { runHere } from "../support/server/run-here.ts";
import { provision } from "../support/server/scenario.ts";

const coffer = await startAppliance({ "base-url": "https://files.example" });

/** Runs `coffer status` with the port of a server. */
function status(url: string, ...flags: string[]) {
  const { port } = new URL(url);
  return runHere(["status", "--host", "127.0.0.1", "--port", port, ...flags], coffer.dataDir);
}

test("status shows what the server says of itself, without a password, where nobody else on this machine may ask", async () => {
  await using _ = coffer;
  await provision(coffer);
  const { url } = coffer.appliance;
  expect((await coffer.client().send("GET", "/metrics")).status).toBe(401);
  const shown = await status(url, "--json");
  expect([shown.code, shown.stderr]).toEqual([0, ""]);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    version: expect.stringMatching(/^\d/),
    pid: process.pid,
    started_at: expect.stringMatching(/Z$/),
    problems: [],
    backup: null,
    disks: [{ disk: coffer.dataDir, reachable: true, free_bytes: expect.any(Number) }],
  });
  const text = await status(url, "--base-url", "https://files.example");
  expect(text.stdout).toContain("address:   https://files.example\nproblems:  none\n");
  // Another server, which is not of this data directory, and none.
  await using other = await startAppliance({ "metrics-token": "a.token.of.Prometheus" });
  for (const [at, says] of [
    [other.appliance.url, "another server answers there"],
    ["http://127.0.0.1:2", `process ${process.pid}`],
  ] as const) {
    const refused = await status(at);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(says);
  }
  await coffer.close();
  expect((await status(url)).stderr).toBe(`coffer: No server uses ${coffer.dataDir}.\n`);
});
