import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { executable } from "../support/server/executable.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { rounded } from "./figures.ts";
import { measureCallers } from "./scale/callers.ts";
import { measureDrives } from "./scale/drives.ts";
import type { Scale } from "./scale/growth.ts";
import { type Panel, plot } from "./scale/plot.ts";

// Measures how costs grow with drives and callers, and draws them. test/README.md says how to run it.

const TARGET = resolve(import.meta.dir, "../../.github/docs/scale.svg");
/** Bytes on the disk for each file of a drive, and of its backup. */
const BYTES_A_FILE = 2500;

const { values: flags, positionals } = parseArgs({
  options: { quick: { type: "boolean" }, write: { type: "boolean" } },
  allowPositionals: true,
});
const isQuick = flags.quick === true;
const parts: Readonly<Record<string, (scale: Scale) => Promise<readonly Panel[]>>> = {
  drives: (scale) =>
    measureDrives(scale, isQuick ? [1000, 10_000] : [1000, 10_000, 100_000, 1e6, 1e7].filter(hasRoom)),
  callers: (scale) => measureCallers(scale, isQuick ? [1, 10] : [1, 10, 100, 1000, 10_000]),
};
const chosen = positionals.length === 0 ? Object.keys(parts) : positionals;
if (chosen.some((name) => parts[name] === undefined) || (flags.write === true && positionals.length > 0)) {
  process.stderr.write(`Usage: scale [--quick] [--write | ${Object.keys(parts).join(" | ")}]\n`);
  process.exit(2);
}

await using place = await temporaryDirectory();
await executable();
const scale: Scale = {
  rounds: isQuick ? 10 : 60,
  newPath: () => join(place.path, crypto.randomUUID()),
  say: (what) => void process.stderr.write(`${what}\n`),
};
const panels: Panel[] = [];
for (const name of chosen) panels.push(...((await parts[name]?.(scale)) ?? []));
for (const { title, across, curves } of panels) {
  process.stdout.write(`${title} (${across})\n`);
  for (const { name, points } of curves) {
    const said = points.map(([x, y]) => `${x.toLocaleString("en-US")}: ${rounded(y)}`);
    process.stdout.write(`  ${name}: ${said.join("; ")}\n`);
  }
}
if (flags.write === true) await Bun.write(TARGET, plot(panels));

function hasRoom(files: number): boolean {
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize > files * BYTES_A_FILE) return true;
  process.stderr.write(`There is no room for a drive of ${files} files.\n`);
  return false;
}
