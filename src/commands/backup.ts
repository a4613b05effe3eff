import { resolve } from "node:path";
import { type Backup, backUpAsStream, backUpTo } from "../backup/backup.ts";
import type { BackupOptions } from "../backup/run.ts";
import { systemClock } from "../process/clock.ts";
import {
  type BackupAddress,
  nameOfBackupAddress,
  parseBackupAddress,
} from "../domain/upkeep/backup-address.ts";
import { keptWhere } from "../domain/contents/stored-place.ts";
import { VERSION } from "../process/version.ts";
import { type Command, CommandError, readArguments, requireConfig, type Terminal } from "./command.ts";

const MIB = 1024 * 1024;

export const backup: Command = {
  name: "backup",
  usage: "[DEST] [--keep NUMBER] [--data-dir PATH]",
  summary: "Make a backup; works while the server runs",
  help: () =>
    `  DEST              A directory, s3://BUCKET/PREFIX, or - for one tar archive on standard output.
                    Without it, COFFER_BACKUP.
  --keep NUMBER     How many backups DEST keeps, this one included; the oldest are removed.
                    Without it, COFFER_BACKUP_KEEP, which is 7 if it is not set.
  --data-dir PATH   The data directory, as for serve.

Contents that DEST has already are not copied again. For s3://, set S3_ENDPOINT, S3_REGION,
S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      values: ["keep", "data-dir"],
      switches: [],
      positionals: true,
    });
    const { keep, ...flags } = values;
    const [destination, ...rest] = positionals;
    if (rest.length > 0) throw new CommandError("Give one DEST.");
    const config = requireConfig(keep === undefined ? flags : { ...flags, "backup-keep": keep }, terminal);
    const stop = new AbortController();
    void terminal.stopRequest().then(() => stop.abort());
    const options: BackupOptions = { ...config, clock: systemClock, version: VERSION, signal: stop.signal };
    if (destination === "-") {
      if (terminal.isTerminal)
        throw new CommandError("Standard output is a terminal. Send it to a file: > FILE");
      const made = await backUpAsStream((bytes) => terminal.outBytes(bytes), options);
      report(made, "standard output", (line) => terminal.err(line), terminal);
      return;
    }
    const address = destination === undefined ? config.backup : parsed(destination);
    if (address === null) throw new CommandError("Give a DEST, or set COFFER_BACKUP.");
    const made = await backUpTo(address, config.backupKeep, options);
    report(made, nameOfBackupAddress(address), (line) => terminal.out(line), terminal);
  },
};

function parsed(text: string): BackupAddress {
  const address = parseBackupAddress(text, (path) => resolve(path));
  if (address === null) throw new CommandError("DEST must be a directory, s3://BUCKET/PREFIX or -.");
  return address;
}

/** Says what was done. Throws CommandError if contents are missing. */
function report(
  { id, contents, copied, damaged, pruned }: Backup,
  where: string,
  say: (line: string) => void,
  terminal: Terminal,
): void {
  const size = (contents.bytes / MIB).toFixed(1);
  say(
    `Made the backup ${id} in ${where}. Contents besides the database: ${contents.count} (${size} MiB); new there: ${copied}.`,
  );
  if (pruned.backups > 0)
    say(`Removed what is no longer kept. Backups: ${pruned.backups}; contents: ${pruned.contents}.`);
  if (damaged.length === 0) return;
  for (const { problem, files } of damaged) {
    for (const { drive, path, kept = null } of files)
      terminal.err(`  drive ${drive}, ${path}${keptWhere({ kept })}: ${problem}`);
  }
  throw new CommandError(
    `Damaged contents that are not whole in the backup: ${damaged.length}. The rest is complete. Upload these files ` +
      "again, or restore them from an older backup.",
  );
}
