import { resolve } from "node:path";
import { SETTINGS } from "../config/settings.ts";
import { nameOfBackupAddress, parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import { bytes as parseBytes, Problem } from "../config/values.ts";
import { systemClock } from "../process/clock.ts";
import { stopRequest } from "../process/signals.ts";
import type { Migrated, MigrationEvent } from "../migration/migrate.ts";
import type { Amount, MigrationPlan } from "../migration/survey.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";
import type { Terminal } from "./terminal.ts";

const MIB = 1024 * 1024;

export const blobsMigrate: Command = {
  name: "blobs migrate",
  flags: [
    "--to PLACE",
    "--rate SIZE",
    "--full",
    "--dry-run",
    SETTINGS.s3Credentials.flag,
    SETTINGS.s3PathStyle.flag,
    "--data-dir PATH",
  ],
  summary: "Move the contents of files to other disks; works while the server runs",
  help: `  --to PLACE        Copy all contents to this directory of a disk, or to s3://BUCKET/PREFIX. It may be none of
                    COFFER_BLOBS yet. Without it, what is on disks that are no longer in COFFER_BLOBS is moved to
                    those that are.
  --rate SIZE       Read at most so many bytes a second, such as 50MB.
  --full            Read all copies again, new ones and those that were there.
  --dry-run         Only say what there is to do, and whether there is room for it.
  ${SETTINGS.s3Credentials.flag}
  ${SETTINGS.s3PathStyle.flag}
                    As for serve, for a bucket; S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY
                    too.
  --data-dir PATH   The data directory, as for serve.

A content is removed only from a disk that is no longer in COFFER_BLOBS as the server was started, and only once a
whole copy is on one that is. The command may be stopped or killed at any time: run it again, and it goes on.`,
  async run({ values: { to = null, rate = null, ...flags }, switches }, terminal) {
    const { migrate } = await import("../migration/migrate.ts");
    const { dataDir, diskReserve, s3 } = requireConfig(flags, terminal);
    const stop = new AbortController();
    void stopRequest().then(() => stop.abort());
    const isDryRun = switches.has("dry-run");
    try {
      const migrated = await migrate({
        dataDir,
        diskReserve,
        s3,
        to: to === null ? null : placeOf(to),
        rate: rate === null ? null : bytesOf(rate),
        isFull: switches.has("full"),
        isDryRun,
        clock: systemClock,
        signal: stop.signal,
        tell: teller(terminal, isDryRun),
      });
      if (!isDryRun) report(migrated, terminal);
      requireAll(migrated);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      throw new CommandError("It was stopped. Nothing is lost: run it again, and it goes on.", {
        cause: error,
      });
    }
  },
};

function placeOf(to: string): string {
  const address = parseBackupAddress(to, resolve);
  if (address === null) throw new CommandError("--to must be a directory, or s3://BUCKET/PREFIX.");
  return nameOfBackupAddress(address);
}

function bytesOf(rate: string): number {
  const parsed = parseBytes(1)(rate);
  if (parsed instanceof Problem) throw new CommandError(`--rate ${parsed.text}.`);
  return parsed;
}

function teller(terminal: Terminal, isDryRun: boolean): (event: MigrationEvent) => void {
  let plan: MigrationPlan | null = null;
  return (event) => {
    switch (event.kind) {
      case "plan":
        plan = event;
        if (isDryRun) terminal.out(planText(event));
        return;
      case "away":
        terminal.err(`  disk ${event.about}`);
        return;
      case "damaged":
        terminal.err(`  damaged: ${event.about}`);
        return;
      case "copying":
        terminal.progress(
          `${event.contents} of ${plan?.all.contents} contents; copied ${mib(event.bytes)} of ${mib(plan?.missing.bytes ?? 0)} MiB`,
        );
        return;
      case "removing":
        terminal.progress(`${event.contents} contents removed from disks that are no longer used`);
        return;
    }
  };
}

function planText({ all, missing, room }: MigrationPlan): string {
  return `Contents to look at: ${amountText(all)}; to copy: ${amountText(missing)}. Room: ${mib(room)} MiB.`;
}

function report(
  { all, copied, present, removed, areTargetsUsed, haveBucket }: Migrated,
  { out }: Terminal,
): void {
  if (all.contents === 0) {
    out("There is nothing to move.");
    return;
  }
  out(
    `Copied: ${amountText(copied)}; there before: ${present}; removed from disks no longer used: ${removed}.`,
  );
  if (areTargetsUsed) return;
  if (haveBucket) {
    out(
      "Nothing was removed. To use the new place, stop the server, run this once more for what came meanwhile, then " +
        "start it with COFFER_BLOBS set to that place and with --forget-disks.",
    );
  } else {
    out(
      "Nothing was removed. Set COFFER_BLOBS to the new disk, restart the server, and run coffer blobs migrate once more.",
    );
  }
}

/** Throws CommandError if any content could not be moved. */
function requireAll({ damaged, away }: Migrated): void {
  const problems = [
    ...(damaged === 0
      ? []
      : [
          `Damaged contents that stay where they are: ${damaged}. Upload the same files again, or repair them with coffer verify --repair-from.`,
        ]),
    ...(away === 0 ? [] : [`Disks that could not be used: ${away}. Mount them.`]),
  ];
  if (problems.length > 0)
    throw new CommandError(`${problems.join(" ")} Then run coffer blobs migrate again.`);
}

function amountText({ contents, bytes }: Amount): string {
  return `${contents} (${mib(bytes)} MiB)`;
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}
