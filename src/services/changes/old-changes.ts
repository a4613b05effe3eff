import type { Tables } from "../../db/tables.ts";
import { changeNumber } from "../../domain/change.ts";
import type { DrivePk } from "../../domain/id.ts";
import { CHANGES } from "../../domain/limits.ts";
import { DAY_MS } from "../../domain/time.ts";

/** How many changes one transaction removes, so that no request waits long. */
const PIECE = 200;
const NEWEST = changeNumber(Number.MAX_SAFE_INTEGER);

/** Removes the changes that are kept no more, oldest first. */
export class OldChanges {
  readonly #tables: Tables;
  readonly #keepMs: number;
  /** Drives that may have too many changes. */
  readonly #crowded = new Set<DrivePk>();

  constructor(parts: { tables: Tables; keepDays: number }) {
    this.#tables = parts.tables;
    this.#keepMs = Math.max(1, parts.keepDays) * DAY_MS;
  }

  /** Does one piece, in a write of its own. Resolves with how many it removed. */
  piece(now: number): Promise<number> {
    return this.#tables.writeFromReserve(() => this.#removeOld(now) || this.#removeExcess());
  }

  #removeOld(now: number): number {
    const { changes } = this.#tables;
    let removed = 0;
    for (const { drive, number } of changes.old(now - this.#keepMs, PIECE)) {
      if (removed < PIECE) removed += changes.trim(drive, number, PIECE - removed);
    }
    return removed;
  }

  #removeExcess(): number {
    const { changes } = this.#tables;
    for (const drive of changes.takeGrown()) this.#crowded.add(drive);
    for (const drive of this.#crowded) {
      const kept = changes.countOf(drive);
      const most = kept?.isUnclaimed === true ? CHANGES.unclaimed : CHANGES.claimed;
      const removed = changes.trim(drive, NEWEST, Math.min(PIECE, Math.max(0, (kept?.changes ?? 0) - most)));
      if (removed > 0) return removed;
      this.#crowded.delete(drive);
    }
    return 0;
  }
}
