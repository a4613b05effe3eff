import type { Config } from "./config.ts";
import { nameOfBackupAddress } from "./domain/upkeep/backup-address.ts";
import type { BackupPlan } from "./services/upkeep/backups.ts";

/**
 * How the server makes backups of itself; null if it makes none.
 *
 * @param program the start of a command line of this program
 */
export function backupPlanOf(
  { backup, backupIntervalMs, backupKeep, backupContents, dataDir, asGiven }: Config,
  program: readonly string[],
): BackupPlan | null {
  if (backup === null) return null;
  const place = nameOfBackupAddress(backup);
  // Variables are passed on as they are.
  const ofS3 = asGiven.filter(({ flag, source }) => source === "flag" && flag.startsWith("s3-"));
  const s3Flags = ofS3.flatMap(({ flag, text }) => [`--${flag}`, text ?? ""]);
  const copying = backupContents === "copy" ? ["--copy-contents"] : [];
  const flags = ["--keep", String(backupKeep), "--data-dir", dataDir, ...copying, ...s3Flags];
  return { place, intervalMs: backupIntervalMs, command: [...program, "backup", place, ...flags] };
}
