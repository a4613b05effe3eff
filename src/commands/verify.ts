import { resolve } from "node:path";
import { SETTINGS } from "../config/settings.ts";
import { systemClock } from "../process/clock.ts";
import { findDataDirectory } from "../data-directory/data-directory.ts";
import { FINDINGS, type FindingCode } from "../domain/upkeep/finding.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";

const HELP = `  --repair-from SRC  Write damaged contents anew from SRC: a directory of backups, or another data directory.
                     Nothing else is changed.
  --quick            Check that contents are there and have their sizes, and read none but the smallest.
  --full             Read all contents, also those in a bucket, of which it is said before how much that is;
                     without it, a bucket is only listed.
  --json             Print each line as JSON.
  --data-dir PATH    The data directory, as for serve. Works while the server runs.
  ${SETTINGS.s3Credentials.flag}
  ${SETTINGS.s3PathStyle.flag}
                     As for serve, for contents in a bucket.

Each finding is one line that begins with its code:
${Object.entries(FINDINGS)
  .map(([code, meaning]) => `  ${code.padEnd(17)}  ${meaning}`)
  .join("\n")}

Exit code: 0 if nothing is wrong, 1 if something is, 2 if it could not be checked.`;

/** What a finding is about, and what to do then. All others are about the database. */
const ADVICE: readonly { readonly codes: readonly FindingCode[]; readonly advice: string }[] = [
  {
    codes: ["content-missing", "content-damaged"],
    advice: "Repair contents with --repair-from and a backup, or upload the same files again.",
  },
  { codes: ["disk-away"], advice: "Mount the disk, or make the bucket reachable, then check again." },
  {
    codes: ["index-corrupt", "index-missing", "index-orphan"],
    advice: "For a new search index, stop the server, delete search.db, and start the server again.",
  },
];
const OTHER_ADVICE = "The database is not repaired: stop the server, and restore a backup.";

/** The exit codes if something is wrong, and if the store could not be checked. */
const DAMAGED = 1;
const UNCHECKED = 2;

export const verify: Command = {
  name: "verify",
  flags: [
    "--repair-from SRC",
    "--quick",
    "--full",
    "--json",
    "--data-dir PATH",
    SETTINGS.s3Credentials.flag,
    SETTINGS.s3PathStyle.flag,
  ],
  summary: "Check all rows, counts, indexes and contents for damage, and change nothing",
  help: HELP,
  failureCode: UNCHECKED,
  async run({ values, switches }, terminal) {
    const { verify: verifyStore } = await import("../verify/verify.ts");
    const { openToRead } = await import("../data-directory/read-only-directory.ts");
    const { "repair-from": repairFrom, ...flags } = values;
    const { dataDir, s3, diskReserve } = requireConfig(flags, terminal);
    if (switches.has("quick") && switches.has("full")) throw new CommandError("Choose --quick or --full.");
    // A repair writes.
    if (repairFrom !== undefined) findDataDirectory(dataDir);
    await using opened = new AsyncDisposableStack();
    const directory = await openToRead(dataDir, opened);
    const codes = new Set<FindingCode>();
    const isJson = switches.has("json");
    let [contents, bytes, repaired, findings] = [0, 0, 0, 0];
    for await (const event of verifyStore({
      directory,
      depth: switches.has("quick") ? "sizes" : switches.has("full") ? "bytes" : null,
      s3,
      diskReserve,
      repairFrom: repairFrom === undefined ? null : resolve(repairFrom),
      clock: systemClock,
    })) {
      if (event.kind === "progress") {
        ({ contents, bytes } = event);
        terminal.progress(`${contents} of ${event.of} contents, ${bytes} bytes`);
        continue;
      }
      if (event.kind === "finding") {
        codes.add(event.code);
        findings += 1;
      }
      if (event.kind === "repaired") repaired += 1;
      const line = `${event.kind === "finding" ? event.code : event.kind} ${event.about}`;
      terminal.out(isJson ? JSON.stringify(event) : line);
    }
    const summary = { contents, bytes, repaired, findings };
    if (isJson) terminal.out(JSON.stringify({ kind: "summary", ...summary }));
    else terminal.out(`contents: ${contents}; bytes: ${bytes}; repaired: ${repaired}; findings: ${findings}`);
    if (findings > 0) {
      throw new CommandError(`findings: ${findings}. ${adviceFor(codes)}`, { exitCode: DAMAGED });
    }
  },
};

function adviceFor(found: ReadonlySet<FindingCode>): string {
  const known = ADVICE.filter(({ codes }) => codes.some((code) => found.has(code)));
  const isOther = [...found].some((code) => !ADVICE.some(({ codes }) => codes.includes(code)));
  return [...known.map(({ advice }) => advice), ...(isOther ? [OTHER_ADVICE] : [])].join(" ");
}
