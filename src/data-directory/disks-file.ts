import { readFile, rename, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ifPresent } from "../blobs/system-error.ts";
import { type DataDirectory, sync } from "./data-directory.ts";
import { explaining, unusable } from "./data-directory-error.ts";

/**
 * The roots of the disks that contents are on, or the address of their bucket, as the last start of a server left them; the data directory alone if
 * none was given others. Beside the database and not in it: a backup is restored to other disks. Throws
 * DataDirectoryError.
 */
export async function disksOf(directory: DataDirectory): Promise<string[]> {
  return (await recordedDisks(directory)) ?? [directory.root];
}

/** The same; null if no other disk was ever given. */
export async function recordedDisks({ root, disksFile }: DataDirectory): Promise<string[] | null> {
  const text = await explaining(disksFile, ifPresent(readFile(disksFile, "utf8")));
  if (text === null) return null;
  const paths = parsePaths(text);
  if (paths === null) {
    throw unusable(
      disksFile,
      "does not hold a list of disks",
      "Restore it from a copy of the data directory, or write the directories of COFFER_BLOBS into it, as JSON.",
    );
  }
  return paths.map((path) => (isBucket(path) ? path : resolve(root, path)));
}

/** Whether what is recorded as a disk is the address of a bucket. */
export function isBucket(path: string): boolean {
  return path.startsWith("s3://");
}

/** Records the disks, and syncs that. Nothing may be written to a new one before. */
export async function recordDisks(directory: DataDirectory, disks: readonly string[]): Promise<void> {
  const { root, disksFile } = directory;
  const recorded = await recordedDisks(directory);
  if (JSON.stringify(recorded ?? [root]) === JSON.stringify(disks)) return;
  // The data directory may be moved.
  const paths = disks.map((disk) => (disk === root ? "." : disk));
  const draft = `${disksFile}.new`;
  await explaining(disksFile, writeFile(draft, `${JSON.stringify(paths)}\n`, { mode: 0o600 }));
  sync(draft);
  await explaining(disksFile, rename(draft, disksFile));
  sync(root);
}

function parsePaths(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((path) => typeof path === "string") ? value : null;
  } catch {
    return null;
  }
}
