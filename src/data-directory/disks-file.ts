import { readFile, rename, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ifPresent } from "../blobs/system-error.ts";
import { type DataDirectory, sync } from "./data-directory.ts";
import { explaining, unusable } from "./data-directory-error.ts";

/** The roots of the disks of a store, or the address of its bucket, which `isBucket` tells apart. */
export interface StoreDisks {
  /** Those that new contents go to, in order. */
  readonly current: readonly string[];
  /** Those that are no longer used, and still hold contents. */
  readonly former: readonly string[];
}

/**
 * The disks that contents are on, as the last start of a server left them; the data directory alone if none was given
 * others. Beside the database and not in it: a backup is restored to other disks. Throws DataDirectoryError.
 */
export async function disksOf(directory: DataDirectory): Promise<StoreDisks> {
  return (await recordedDisks(directory)) ?? { current: [directory.root], former: [] };
}

/** The same, in the order in which contents are looked for. */
export async function allDisksOf(directory: DataDirectory): Promise<string[]> {
  const { current, former } = await disksOf(directory);
  return [...current, ...former];
}

/** The same as `disksOf`; null if no other disk was ever given. */
export async function recordedDisks({ root, disksFile }: DataDirectory): Promise<StoreDisks | null> {
  const text = await explaining(disksFile, ifPresent(readFile(disksFile, "utf8")));
  if (text === null) return null;
  const disks = parseDisks(text);
  if (disks === null) {
    throw unusable(
      disksFile,
      "does not hold a list of disks",
      "Restore it from a copy of the data directory, or write the directories of COFFER_BLOBS into it, as JSON: " +
        '{"current":["/mnt/a"],"former":[]}.',
    );
  }
  const resolved = (paths: readonly string[]) =>
    paths.map((path) => (isBucket(path) ? path : resolve(root, path)));
  return { current: resolved(disks.current), former: resolved(disks.former) };
}

/** Whether what is recorded as a disk is the address of a bucket. */
export function isBucket(path: string): boolean {
  return path.startsWith("s3://");
}

/** Records the disks, and syncs that. Nothing may be written to a new one before. */
export async function recordDisks(directory: DataDirectory, disks: StoreDisks): Promise<void> {
  const { root, disksFile } = directory;
  const recorded = await disksOf(directory);
  if (isSame(recorded.current, disks.current) && isSame(recorded.former, disks.former)) return;
  // The data directory may be moved.
  const named = (paths: readonly string[]) => paths.map((path) => (path === root ? "." : path));
  const written = { current: named(disks.current), former: named(disks.former) };
  const draft = `${disksFile}.new`;
  await explaining(disksFile, writeFile(draft, `${JSON.stringify(written)}\n`, { mode: 0o600 }));
  sync(draft);
  await explaining(disksFile, rename(draft, disksFile));
  sync(root);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

function parseDisks(text: string): StoreDisks | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("current" in value && "former" in value))
      return null;
    const { current, former } = value;
    return arePaths(current) && arePaths(former) ? { current, former } : null;
  } catch {
    return null;
  }
}

function arePaths(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((path) => typeof path === "string");
}
