import { readdir } from "node:fs/promises";
import type { Clock } from "./clock.ts";
import { DESCRIPTORS, openFilesLimit } from "./descriptors.ts";

/** What this process uses. */
export interface ProcessFigures {
  /** Of all cores so far. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  /** Null where the system does not tell. */
  readonly openFiles: number | null;
  /** Null where there is no limit, or the system does not tell. */
  readonly mostOpenFiles: number | null;
}

/** Makes what tells them. */
export function processFigures(clock: Clock): () => Promise<ProcessFigures> {
  // Once: it must not seem to change with what the two clocks differ by.
  const startedAt = clock.now() / 1000 - process.uptime();
  return async () => {
    const { user, system } = process.cpuUsage();
    const limit = openFilesLimit();
    return {
      cpuSeconds: (user + system) / 1e6,
      residentBytes: process.memoryUsage.rss(),
      startedAt,
      openFiles: await openFiles(),
      mostOpenFiles: Number.isFinite(limit) ? limit : null,
    };
  };
}

/** Not on the main thread: there may be many. */
async function openFiles(): Promise<number | null> {
  try {
    // The directory itself is one of them.
    return (await readdir(DESCRIPTORS)).length - 1;
  } catch {
    return null;
  }
}
