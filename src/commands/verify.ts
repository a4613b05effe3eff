import { resolve } from "node:path";
import { SETTINGS } from "../config/settings.ts";
import { systemClock } from "../process/clock.ts";
import { findDataDirectory } from "../data-directory/data-directory.ts";
import { parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import { FINDINGS, type FindingCode } from "../domain/upkeep/finding.ts";
import type { VerifyEvent } from "../verify/contents.ts";
import { type Arguments, type Command, CommandError, requireConfig } from "./command.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `  --backup SRC       Check a backup instead, the newest in SRC: a directory, or s3://BUCKET/PREFIX. Its parts and the
                     contents that it needs are listed; with --full, all of them are read.
  --backup-id ID     Check this one in SRC.
  --repair-from SRC  Write damaged contents anew from SRC: a directory of backups, or another data directory.
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

const BACKUP_ADVICE = "Make another backup. A restore of this one names the files that it lacks.";

/** The exit codes if something is wrong, and if the store could not be checked. */
const DAMAGED = 1;
const UNCHECKED = 2;

export const verify: Command = {
  name: "verify",
  flags: [
    "--backup SRC",
    "--backup-id ID",
    "--repair-from SRC",
    "--quick",
    "--full",
    "--json",
    "--data-dir PATH",
    SETTINGS.s3Credentials.flag,
    SETTINGS.s3PathStyle.flag,
  ],
  summary: "Check all rows, counts, indexes and contents, or a backup, for damage, and change nothing",
  help: HELP,
  failureCode: UNCHECKED,
  async run(args, terminal) {
    await using opened = new AsyncDisposableStack();
    const codes = new Set<FindingCode>();
    const isJson = args.switches.has("json");
    let [contents, bytes, repaired, findings] = [0, 0, 0, 0];
    for await (const event of await eventsOf(args, terminal, opened)) {
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
      const advice = args.values["backup"] === undefined ? adviceFor(codes) : BACKUP_ADVICE;
      throw new CommandError(`findings: ${findings}. ${advice}`, { exitCode: DAMAGED });
    }
  },
};

/** Begins a check, of a store or of a backup. @param opened what is open until its end */
async function eventsOf(
  { values, switches }: Arguments,
  terminal: Terminal,
  opened: AsyncDisposableStack,
): Promise<AsyncGenerator<VerifyEvent>> {
  const { "repair-from": repairFrom, backup: source, "backup-id": id = null, ...flags } = values;
  const { dataDir, s3, diskReserve } = requireConfig(flags, terminal);
  const isFull = switches.has("full");
  if (switches.has("quick") && isFull) throw new CommandError("Choose --quick or --full.");
  if (source !== undefined) {
    if (repairFrom !== undefined) throw new CommandError("Choose --backup or --repair-from.");
    const address = parseBackupAddress(source, resolve);
    if (address === null) throw new CommandError("--backup must be a directory or s3://BUCKET/PREFIX.");
    const { checkBackup } = await import("../backup/check.ts");
    return checkBackup(address, id, { dataDir, s3, isFull, clock: systemClock });
  }
  if (id !== null) throw new CommandError("--backup-id needs --backup.");
  const { verify: verifyStore } = await import("../verify/verify.ts");
  const { openToRead } = await import("../data-directory/read-only-directory.ts");
  // A repair writes.
  if (repairFrom !== undefined) findDataDirectory(dataDir);
  return verifyStore({
    directory: await openToRead(dataDir, opened),
    depth: switches.has("quick") ? "sizes" : isFull ? "bytes" : null,
    s3,
    diskReserve,
    repairFrom: repairFrom === undefined ? null : resolve(repairFrom),
    clock: systemClock,
  });
}

function adviceFor(found: ReadonlySet<FindingCode>): string {
  const known = ADVICE.filter(({ codes }) => codes.some((code) => found.has(code)));
  const isOther = [...found].some((code) => !ADVICE.some(({ codes }) => codes.includes(code)));
  return [...known.map(({ advice }) => advice), ...(isOther ? [OTHER_ADVICE] : [])].join(" ");
}
