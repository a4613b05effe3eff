import type { Tables } from "../../db/tables.ts";
import { KNOWN_CLIENT_LIFETIME_MS } from "../../domain/accounts/sign-in.ts";
import { CHANGES, CLAIM_TOKEN_MEMORY_MS, USAGE_DAYS } from "../../domain/limits.ts";
import { keepsVersions, keptSince, type Retention } from "../../domain/history/history.ts";
import { changeNumber } from "../../domain/changes/change.ts";
import type { DrivePk } from "../../domain/id.ts";
import { dayOf } from "../../domain/accounts/usage-day.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { Parts } from "../parts.ts";

/** How long an expired link is kept, in milliseconds: that long the error is 410, then 404. */
const LINK_MEMORY_MS = 30 * DAY_MS;

/** How many rows one transaction removes, so that no request waits long for the sweep. */
const PIECE = 200;
/** The same for rows that may be large, or change others: each link changes its drive. */
const LARGE_PIECE = 50;

const NEWEST_CHANGE = changeNumber(Number.MAX_SAFE_INTEGER);

/** Removes some rows that have ended. Returns how many. Inside a write. */
type RemoveSome = (now: number) => number;

export interface ExpiredRowsParts extends Pick<Parts, "tables" | "retention"> {
  /** For how many days the audit log is kept. */
  readonly auditDays: number;
}

/** What removes rows of each kind once they have ended, by its name for the log: nothing else depends on them. */
export function expiredRows({
  tables,
  retention,
  auditDays,
}: ExpiredRowsParts): Readonly<Record<string, RemoveSome>> {
  const {
    fileVersions,
    claimTokens,
    apiKeys,
    oauthClients,
    links,
    idempotencyRecords,
    knownClients,
    usageDays,
    auditEvents,
    knownKeys,
  } = tables;
  // Versions that were replaced at this time or before are not kept any more.
  const versionsEnd = (now: number) => (keepsVersions(retention) ? keptSince(retention, now) : now);
  return {
    "old versions": (now) => fileVersions.removeOld(versionsEnd(now), PIECE),
    "expired versions": (now) => fileVersions.removeExpired(now, PIECE),
    "expired files of the trash": (now) => removeTrashed(tables, now),
    "old claim tokens": (now) => claimTokens.removeEnded(now - CLAIM_TOKEN_MEMORY_MS, PIECE),
    "expired keys": (now) => apiKeys.removeExpired(now, PIECE),
    "expired OAuth clients": (now) => oauthClients.removeExpired(now, PIECE),
    "expired links": (now) => links.removeExpired(now - LINK_MEMORY_MS, LARGE_PIECE),
    "expired idempotency records": (now) => idempotencyRecords.removeExpired(now, LARGE_PIECE),
    "clients unused for long": (now) => knownClients.removeUnused(now - KNOWN_CLIENT_LIFETIME_MS, PIECE),
    "old use": (now) => {
      const first = dayOf(now) - (USAGE_DAYS.kept - 1) * DAY_MS;
      return usageDays.removeOldOfUsers(first, PIECE) || usageDays.removeOldOfServer(first, PIECE);
    },
    "old audit events": (now) =>
      auditEvents.removeOld(now - auditDays * DAY_MS, PIECE) || auditEvents.removeSurplus(PIECE),
    "keys revoked long ago": () => knownKeys.forgetSurplus(PIECE),
    "old changes": oldChanges(tables, retention),
  };
}

/** Removes some files of the trash that have expired, with the entries that are of one file. */
function removeTrashed({ trash, trashContents }: Tables, now: number): number {
  const expired = trashContents.expired(now, PIECE);
  for (const { pk, entry } of expired) {
    trashContents.remove(pk);
    trash.removeIfEmptyFile(entry);
  }
  return expired.length;
}

/** The changes that are kept no more: they go oldest first. */
function oldChanges({ changes }: Tables, retention: Retention): RemoveSome {
  /** Drives that may have too many changes. */
  const crowded = new Set<DrivePk>();

  const removeOld = (now: number) => {
    const keepMs = Math.max(1, retention.days) * DAY_MS;
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
      const surplus = Math.max(0, (kept?.changes ?? 0) - most);
      const removed = changes.trim(drive, NEWEST_CHANGE, Math.min(PIECE, surplus));
      if (removed > 0) return removed;
      crowded.delete(drive);
    }
    return 0;
  };

  return (now) => removeOld(now) || removeExcess();
}
