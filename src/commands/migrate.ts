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
  summary: "Move the contents of files to other disks or to a bucket, and back; works while the server runs",
  help: `  --to PLACE        Copy all contents to this directory of a disk, or to s3://BUCKET/PREFIX. It may be none of
                    COFFER_BLOBS yet. Without it, what is where COFFER_BLOBS no longer says is moved to where it
                    says.
  --rate SIZE       Read at most so many bytes a second, such as 50MB.
  --full            Read all copies again, new ones and those that were there.
  --dry-run         Only say what there is to do, and whether there is room for it.
  ${SETTINGS.s3Credentials.flag}
  ${SETTINGS.s3PathStyle.flag}
                    As for serve, for a bucket; S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY
                    too.
  --data-dir PATH   The data directory, as for serve.

A content is removed only from a disk or a bucket that was no longer in COFFER_BLOBS when the server was started, and
only once a whole copy is in one that was. The command may be stopped or killed at any time: run it again, and it goes on.`,
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
        terminal.err(`  away: ${event.about}`);
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
        terminal.progress(`${event.contents} contents removed from their old place`);
        return;
    }
  };
}

function planText({ all, missing, room }: MigrationPlan): string {
  return `Contents to look at: ${amountText(all)}; to copy: ${amountText(missing)}. Room: ${mib(room)} MiB.`;
}

function report(
  { all, copied, present, removed, leased, areTargetsUsed, areBuckets }: Migrated,
  { out }: Terminal,
): void {
  if (all.contents === 0) {
    out("There is nothing to move.");
    return;
  }
  out(`Copied: ${amountText(copied)}; there before: ${present}; removed from their old place: ${removed}.`);
  if (leased > 0)
    out(`Kept where they were for backups: ${leased}. Once these are gone, run coffer blobs migrate again.`);
  if (areTargetsUsed) return;
  if (areBuckets) {
    out(
      "Nothing was removed. To use the new bucket, stop the server, run this once more for what came meanwhile, then " +
        "start it with COFFER_BLOBS set to that bucket and with --forget-disks.",
    );
  } else {
    out(
      "Nothing was removed. Set COFFER_BLOBS to the new place, restart the server, and run coffer blobs migrate once more.",
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
    ...(away === 0
      ? []
      : [`Disks or buckets that could not be used: ${away}. Mount them, or make them reachable.`]),
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
