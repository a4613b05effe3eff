import { readdirSync, readlinkSync } from "node:fs";

/** Why tests of open files are skipped; empty if they can run. */
export const NO_OPEN_FILES = openFiles() === null ? "there is no /proc/self/fd" : "";

/** The open files of this process; null if the system does not list them. */
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
 * The open connections of this process to the database; null if the system does not list them. Counted by their logs,
 * because SQLite keeps the database files open for the next connection.
 */
export function connections(): number | null {
  return openFiles()?.filter((file) => file.endsWith("coffer.db-wal")).length ?? null;
}
