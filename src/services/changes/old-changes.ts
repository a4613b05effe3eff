import type { Tables } from "../../db/tables.ts";
import { changeNumber } from "../../domain/changes/change.ts";
import type { DrivePk } from "../../domain/id.ts";
import { CHANGES } from "../../domain/limits.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { ExpiredRows } from "../upkeep/expired-rows.ts";

/** How many changes one transaction removes, so that no request waits long. */
const PIECE = 200;
const NEWEST = changeNumber(Number.MAX_SAFE_INTEGER);

/** The changes that are kept no more: they go oldest first. */
export function oldChanges({ changes }: Tables, keepDays: number): ExpiredRows {
  const keepMs = Math.max(1, keepDays) * DAY_MS;
  /** Drives that may have too many changes. */
  const crowded = new Set<DrivePk>();

  const removeOld = (now: number) => {
    let removed = 0;
    for (const { drive, number } of changes.old(now - keepMs, PIECE)) {
      if (removed < PIECE) removed += changes.trim(drive, number, PIECE - removed);
    }
    return removed;
  };

  const removeExcess = () => {
    for (const drive of changes.takeGrown()) crowded.add(drive);
    for (const drive of crowded) {
      const kept = changes.countOf(drive);
      const most = kept?.isUnclaimed === 1 ? CHANGES.unclaimed : CHANGES.claimed;
      const removed = changes.trim(drive, NEWEST, Math.min(PIECE, Math.max(0, (kept?.changes ?? 0) - most)));
      if (removed > 0) return removed;
      crowded.delete(drive);
    }
    return 0;
  };

  return { what: "old changes", removeSome: (now) => removeOld(now) || removeExcess() };
}
