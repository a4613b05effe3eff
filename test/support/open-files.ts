import { readdirSync, readlinkSync } from "node:fs";

/** Why tests that look at open files are skipped; empty where they can run. */
export const NO_OPEN_FILES = openFiles() === null ? "there is no /proc/self/fd" : "";

/** What this process has open; null where that is not told. */
export function openFiles(): string[] | null {
  try {
    return readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return null;
  }
}

/**
 * Connections to the database that this process has open, by their logs, since SQLite keeps the files
 * themselves for the next one; null where that is not told.
 */
export function connections(): number | null {
  return openFiles()?.filter((file) => file.endsWith("coffer.db-wal")).length ?? null;
}
