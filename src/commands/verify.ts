import { resolve } from "node:path";
import { systemClock } from "../process/clock.ts";
import { findDataDirectory } from "../data-directory/data-directory.ts";
import { openToRead } from "../data-directory/read-only-directory.ts";
import { FINDINGS, type FindingCode } from "../domain/upkeep/finding.ts";
import type { VerifyEvent } from "../verify/contents.ts";
import { verify as verifyStore } from "../verify/verify.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";

const HELP = `  --repair-from SRC  Write damaged contents anew from SRC: a directory of backups, or another data directory.
                     Nothing else is changed.
  --quick            Check that contents are there and have their sizes, and read none but the smallest.
  --json             Print each line as JSON.
  --data-dir PATH    The data directory, as for serve. Works while the server runs.

Each finding is one line that begins with its code:
${Object.entries(FINDINGS)
  .map(([code, meaning]) => `  ${code.padEnd(17)}  ${meaning}`)
  .join("\n")}

Exit code: 0 if nothing is wrong, 1 if something is, 2 if it could not be checked.`;

const INDEX_CODES: readonly FindingCode[] = ["index-corrupt", "index-missing", "index-orphan"];

/** How many findings there are of each code. */
type Findings = ReadonlyMap<FindingCode, number>;

/** The exit codes if something is wrong, and if the store could not be checked. */
const DAMAGED = 1;
const UNCHECKED = 2;

export const verify: Command = {
  name: "verify",
  flags: ["--repair-from SRC", "--quick", "--json", "--data-dir PATH"],
  summary: "Check all rows, counts, indexes and contents for damage, and change nothing",
  help: HELP,
  failureCode: UNCHECKED,
  async run({ values, switches }, terminal) {
    const { "repair-from": repairFrom, ...flags } = values;
    const { dataDir } = requireConfig(flags, terminal);
    // A repair writes.
    if (repairFrom !== undefined) findDataDirectory(dataDir);
    await using opened = new AsyncDisposableStack();
    const directory = await openToRead(dataDir, opened);
    const findings = new Map<FindingCode, number>();
    const isJson = switches.has("json");
    let [contents, bytes, repaired] = [0, 0, 0];
    for await (const event of verifyStore({
      directory,
      isQuick: switches.has("quick"),
      repairFrom: repairFrom === undefined ? null : resolve(repairFrom),
      clock: systemClock,
    })) {
      if (event.kind === "progress") {
        ({ contents, bytes } = event);
        terminal.progress(`${contents} of ${event.of} contents, ${bytes} bytes`);
        continue;
      }
      if (event.kind === "finding") findings.set(event.code, (findings.get(event.code) ?? 0) + 1);
      if (event.kind === "repaired") repaired += 1;
      terminal.out(isJson ? JSON.stringify(event) : lineOf(event));
    }
    const summary = { contents, bytes, repaired, findings: sum(findings) };
    if (isJson) terminal.out(JSON.stringify({ kind: "summary", ...summary }));
    else
      terminal.out(
        `contents: ${contents}; bytes: ${bytes}; repaired: ${repaired}; findings: ${summary.findings}`,
      );
    if (findings.size > 0) throw new CommandError(adviceFor(findings), { exitCode: DAMAGED });
  },
};

function lineOf(event: Exclude<VerifyEvent, { readonly kind: "progress" }>): string {
  return `${event.kind === "finding" ? event.code : event.kind} ${event.about}`;
}

function adviceFor(findings: Findings): string {
  const ofContents = (findings.get("content-missing") ?? 0) + (findings.get("content-damaged") ?? 0);
  const ofIndex = INDEX_CODES.reduce((total, code) => total + (findings.get(code) ?? 0), 0);
  const others = sum(findings) - ofContents - ofIndex;
  const advice = [
    ...(ofContents > 0
      ? ["Repair contents with --repair-from and a backup, or upload the same files again."]
      : []),
    ...(ofIndex > 0
      ? ["For a new search index, stop the server, delete search.db, and start the server again."]
      : []),
    ...(others > 0 ? ["The database is not repaired: stop the server, and restore a backup."] : []),
  ];
  return `findings: ${sum(findings)}. ${advice.join(" ")}`;
}

function sum(counts: Findings): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
