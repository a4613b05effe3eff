import { resolve } from "node:path";
import { restoreFrom, restoreStream } from "../backup/restore.ts";
import { parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import { keptWhere } from "../domain/contents/stored-place.ts";
import { type Command, CommandError, readArguments, requireConfig } from "./command.ts";

export const restore: Command = {
  name: "restore",
  usage: "SRC [--backup ID] [--data-dir PATH]",
  summary: "Restore a backup into an empty or new data directory",
  help: () =>
    `  SRC               Where the backup is: a directory, s3://BUCKET/PREFIX, or - for an archive on
                    standard input.
  --backup ID       Which backup; without it, the newest complete one.
  --data-dir PATH   The data directory to make, as for serve.`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      values: ["backup", "data-dir"],
      switches: [],
      positionals: true,
    });
    const { backup = null, ...flags } = values;
    const [source, ...rest] = positionals;
    if (source === undefined || rest.length > 0) throw new CommandError("Give exactly one SRC.");
    const { dataDir } = requireConfig(flags, terminal);
    const address = parseBackupAddress(source, (path) => resolve(path));
    if (source === "-" && backup !== null)
      throw new CommandError("An archive holds one backup: leave --backup out.");
    if (source !== "-" && address === null) {
      throw new CommandError("SRC must be a directory, s3://BUCKET/PREFIX or -.");
    }
    const { manifest, missing } =
      address === null
        ? await restoreStream(terminal.inputBytes(), dataDir)
        : await restoreFrom(address, backup, dataDir);
    terminal.out(`Restored the backup ${manifest.id}, made ${manifest.created_at}, into ${dataDir}.`);
    terminal.out(`Start it with: coffer serve --data-dir ${dataDir}`);
    if (missing.length === 0) return;
    for (const { problem, files } of missing) {
      for (const { drive, path, kept = null } of files)
        terminal.err(`  drive ${drive}, ${path}${keptWhere({ kept })}: its content ${problem}`);
    }
    throw new CommandError(
      `${missing.length} contents could not be restored. Everything else is there; reads of these files fail until ` +
        "they are uploaded again.",
    );
  },
};
