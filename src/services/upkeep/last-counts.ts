import { WriteRefused } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import type { Services } from "../services.ts";

interface LastCounts extends Pick<
  Services,
  "refusedAttempts" | "usage" | "linkUses" | "sessions" | "apiKeys"
> {
  /** Whether the database takes no writes any more. */
  readonly hasFailed: () => boolean;
  readonly log: Log;
}

/** Writes at the end what is counted in memory. What a full disk refuses is lost, and the log says so. */
export async function flushCounts({ hasFailed, log, ...services }: LastCounts): Promise<void> {
  const { refusedAttempts, usage, linkUses, sessions, apiKeys } = services;
  const flushes = [
    () => refusedAttempts.flush(),
    () => usage.flush(),
    () => linkUses.flush(),
    () => sessions.flushUse(),
    () => apiKeys.flushUse(),
  ];
  for (const flush of flushes) {
    if (hasFailed()) return;
    try {
      await flush();
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
      log.warn("the last counts of use could not be written", { reason: error.message });
    }
  }
}
