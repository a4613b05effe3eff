import { resolve } from "node:path";
import type { Backup } from "../backup/backup.ts";
import type { DamagedInBackup } from "../backup/manifest.ts";
import type { BackupOptions } from "../backup/run.ts";
import { SETTINGS } from "../config/settings.ts";
import { systemClock } from "../process/clock.ts";
import { nameOfBackupAddress, parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import { keptWhere } from "../domain/contents/content.ts";
import { stopRequest } from "../process/signals.ts";
import { VERSION } from "../process/version.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";
import type { Terminal } from "./terminal.ts";

const MIB = 1024 * 1024;
const S3_FLAGS = [SETTINGS.s3Credentials.flag, SETTINGS.s3PathStyle.flag];
const S3_HELP = `  ${SETTINGS.s3Credentials.flag}
  ${SETTINGS.s3PathStyle.flag}
                    As for serve.`;

export const backup: Command = {
  name: "backup",
  positionals: ["[DEST]"],
  flags: ["--keep NUMBER", "--copy-contents", "--data-dir PATH", ...S3_FLAGS],
  summary: "Make a backup; works while the server runs",
  help: `  DEST              A directory, s3://BUCKET/PREFIX, or - for one tar archive on standard output.
                    Without it, COFFER_BACKUP.
  --keep NUMBER     How many backups DEST keeps, this one included; the oldest are removed.
                    Without it, COFFER_BACKUP_KEEP, which is 7 if it is not set.
  --copy-contents   Copy also contents that are in a bucket. Without it they stay there, unless
                    COFFER_BACKUP_CONTENTS=copy, and are kept from being removed as long as the
                    backup is there. An archive always has all contents.
  --data-dir PATH   The data directory, as for serve.
${S3_HELP}

Contents that DEST has already are not copied again. For s3://, set S3_ENDPOINT, S3_REGION,
S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.`,
  async run({ values: { keep, ...flags }, switches, positionals: [destination] }, terminal) {
    const { backUpAsStream, backUpTo } = await import("../backup/backup.ts");
    const config = requireConfig(
      {
        ...flags,
        ...(keep === undefined ? {} : { "backup-keep": keep }),
        ...(switches.has("copy-contents") ? { "backup-contents": "copy" } : {}),
      },
      terminal,
    );
    const stop = new AbortController();
    void stopRequest().then(() => stop.abort());
    const options: BackupOptions = { ...config, clock: systemClock, version: VERSION, signal: stop.signal };
    if (destination === "-") {
      if (terminal.isTerminal)
        throw new CommandError("Standard output is a terminal. Send it to a file: > FILE");
      report(await backUpAsStream(terminal.outBytes, options), "standard output", terminal.err, terminal);
      return;
    }
    const address = destination === undefined ? config.backup : parseBackupAddress(destination, resolve);
    if (address === null) {
      throw new CommandError(
        destination === undefined
          ? "Give a DEST, or set COFFER_BACKUP."
          : "DEST must be a directory, s3://BUCKET/PREFIX or -.",
      );
    }
    const made = await backUpTo(address, config.backupKeep, options);
    report(made, nameOfBackupAddress(address), terminal.out, terminal);
  },
};

function shown({ count, bytes }: Backup["contents"]): string {
  return `${count} (${(bytes / MIB).toFixed(1)} MiB)`;
}

/** Says what was done. Throws CommandError if contents are missing. */
function report(
  { id, contents, left, copied, damaged, pruned }: Backup,
  where: string,
  say: (line: string) => void,
  terminal: Terminal,
): void {
  say(
    `Made the backup ${id} in ${where}. Contents besides the database: ${shown(contents)}; new there: ${copied}.`,
  );
  if (left.count > 0) say(`Contents that stay in the bucket, and are kept there for it: ${shown(left)}.`);
  if (pruned.backups > 0)
    say(`Removed what is no longer kept. Backups: ${pruned.backups}; contents: ${pruned.contents}.`);
  if (damaged.length === 0) return;
  nameFiles(damaged, "", terminal);
  throw new CommandError(
    `Damaged contents that are not whole in the backup: ${damaged.length}. The rest is complete. Upload these files ` +
      "again, or restore them from an older backup.",
  );
}

export const restore: Command = {
  name: "restore",
  positionals: ["SRC"],
  flags: ["--backup ID", "--copy-contents", "--data-dir PATH", ...S3_FLAGS],
  summary: "Restore a backup into an empty or new data directory",
  help: `  SRC               Where the backup is: a directory, s3://BUCKET/PREFIX, or - for an archive on
                    standard input.
  --backup ID       Which backup; without it, the newest complete one.
  --copy-contents   Copy contents that the backup has left in a bucket. Without it they stay there:
                    it is only checked that all are there with their sizes.
  --data-dir PATH   The data directory to make, as for serve.
${S3_HELP}`,
  async run({ values: { backup: id = null, ...flags }, switches, positionals: [source = ""] }, terminal) {
    const { restoreFrom, restoreStream } = await import("../backup/restore.ts");
    const { dataDir, s3 } = requireConfig(flags, terminal);
    const address = parseBackupAddress(source, resolve);
    if (source === "-" && id !== null)
      throw new CommandError("An archive holds one backup: leave --backup out.");
    if (source !== "-" && address === null) {
      throw new CommandError("SRC must be a directory, s3://BUCKET/PREFIX or -.");
    }
    const backupContents = switches.has("copy-contents") ? "copy" : "leave";
    const { manifest, missing, bucket } =
      address === null
        ? await restoreStream(Bun.stdin.stream(), { dataDir, clock: systemClock })
        : await restoreFrom(address, id, { dataDir, backupContents, s3, clock: systemClock });
    terminal.out(`Restored the backup ${manifest.id}, made ${manifest.created_at}, into ${dataDir}.`);
    if (bucket !== null) {
      const { count = 0, bytes = 0 } = manifest.in_bucket ?? {};
      terminal.out(
        `Contents that stay in ${bucket}: ${shown({ count, bytes })}. No other server may use them: stop the old one.`,
      );
    }
    const setting = bucket === null ? "" : `COFFER_BLOBS=${bucket} `;
    terminal.out(`Start it with: ${setting}coffer serve --data-dir ${dataDir}`);
    if (missing.length === 0) return;
    nameFiles(missing, "its content ", terminal);
    throw new CommandError(
      `${missing.length} contents could not be restored. Everything else is there; reads of these files fail until ` +
        "they are uploaded again.",
    );
  },
};

function nameFiles(damaged: readonly DamagedInBackup[], what: string, terminal: Terminal): void {
  for (const { problem, files } of damaged) {
    for (const { drive, path, kept = null } of files)
      terminal.err(`  drive ${drive}, ${path}${keptWhere({ kept })}: ${what}${problem}`);
  }
}
