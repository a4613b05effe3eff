import { rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { executable } from "../support/server/executable.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { loadClient } from "./load.ts";
import { batches } from "./measures/batches.ts";
import { dashboard } from "./measures/dashboard.ts";
import { downloads } from "./measures/downloads.ts";
import { interference } from "./measures/interference.ts";
import { largeDrive } from "./measures/large-drive.ts";
import { memory } from "./measures/memory.ts";
import { metrics } from "./measures/metrics.ts";
import { s3 } from "./measures/s3.ts";
import { records } from "./measures/records.ts";
import { start } from "./measures/start.ts";
import { uploads } from "./measures/uploads.ts";
import { bare } from "./peers/bare.ts";
import { coffer } from "./peers/coffer.ts";
import { nginx } from "./peers/nginx.ts";
import type { Peer } from "./peers/peer.ts";
import { pocketBase } from "./peers/pocketbase.ts";
import { processesOf } from "./processes.ts";
import { Results } from "./results.ts";
import type { Group } from "./run.ts";
import { FULL, QUICK } from "./sizes.ts";
import { tableHead, withTable } from "./table.ts";
import { installTools } from "./tools.ts";

// Measures the executable beside other servers and prints a table. test/README.md says how to run it.

/** The longest time for one group. */
const GROUP_LIMIT_MS = 8 * 60_000;
const PAGE = resolve(import.meta.dir, "../../.github/docs/scale.md");

const { values: flags, positionals } = parseArgs({
  options: { quick: { type: "boolean" }, write: { type: "boolean" } },
  allowPositionals: true,
});
const sizes = flags.quick === true ? QUICK : FULL;
const groups: Readonly<Record<string, Group>> = {
  uploads,
  batches,
  interference,
  downloads,
  records,
  metrics,
  memory,
  "large-drive": largeDrive(sizes),
  start,
  s3,
  dashboard,
};
const chosen = positionals.length === 0 ? Object.keys(groups) : positionals;
if (chosen.some((name) => groups[name] === undefined) || (flags.write === true && positionals.length > 0)) {
  const names = Object.keys(groups).join(" | ");
  process.stderr.write(`Usage: bench [--quick] [--write | GROUP...]\nGROUP: ${names}\n`);
  process.exit(2);
}

await using place = await temporaryDirectory();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    killChildren();
    rmSync(place.path, { recursive: true, force: true });
    process.exit(1);
  });
}

const since = performance.now();
const [loadBefore = 0] = loadavg();
const results = new Results();
await executable();
const missing = await installTools();
if (missing.length > 0) results.problem("Not installed", missing.join(", "));
const peers = await presentPeers();

const lines = [tableHead()];
for (const name of chosen) {
  process.stderr.write(`${elapsed()} ${name}\n`);
  const { measures, measure } = groups[name] ?? start;
  await withinLimit(name, async () => {
    await using own = await temporaryDirectory(place.path);
    await measure({ sizes, results, peers, newPath: () => join(own.path, crypto.randomUUID()) });
  });
  for (const line of measures) {
    lines.push(results.rowOf(line));
    process.stderr.write(`  ${lines.at(-1)}\n`);
    if (results.isMissed(line)) process.exitCode = 1;
  }
}
const table = [...lines, "", footnote()].join("\n");
process.stdout.write(`${table}\n`);
if (flags.write === true) await Bun.write(PAGE, withTable(await Bun.file(PAGE).text(), table));

/** The peers that can run here. */
async function presentPeers(): Promise<Peer[]> {
  const present: Peer[] = [coffer];
  const others = { PocketBase: pocketBase, nginx: async () => nginx(), "bare Bun": async () => bare };
  for (const [name, find] of Object.entries(others)) {
    try {
      present.push(await find());
    } catch (error) {
      results.problem(`${name} is skipped`, error);
    }
  }
  return present;
}

/** Keeps what went wrong, also when it takes too long: without servers, everything that waits for them fails. */
async function withinLimit(name: string, work: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    results.problem(name, "it took too long");
    killChildren();
  }, GROUP_LIMIT_MS);
  try {
    await work();
  } catch (error) {
    results.problem(name, error);
  } finally {
    clearTimeout(timer);
  }
}

function killChildren(): void {
  for (const pid of processesOf(process.pid).slice(1)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
}

function elapsed(): string {
  return `${((performance.now() - since) / 60_000).toFixed(1)} min`;
}

/** When and where, and what is missing. */
function footnote(): string {
  const [processor] = cpus();
  const said = [
    `Measured ${flags.quick === true ? "with `--quick` " : ""}on ${new Date().toISOString().slice(0, 10)}`,
    `in ${elapsed()} on ${cpus().length} cores of ${processor?.model ?? "an unknown processor"}, with servers and`,
    `load side by side. The load average before it was ${loadBefore.toFixed(1)}. Each cell is a median, with the`,
    `least and the most in brackets. Rates were measured with \`${loadClient()}\`.`,
  ];
  return [said.join(" "), ...results.problems.map((problem) => `- ${problem}`)].join("\n");
}
