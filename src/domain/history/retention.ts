import { DAY_MS } from "../time.ts";

/** How long and how much is kept of what was replaced or deleted. */
export interface Retention {
  /** 0 if nothing is kept. */
  readonly days: number;
  /** Of one file; 0 if no versions are kept. */
  readonly versions: number;
}

/** Whether the contents that a file had are kept. */
export function keepsVersions({ days, versions }: Retention): boolean {
  return days > 0 && versions > 0;
}

export function keepsDeleted({ days }: Retention): boolean {
  return days > 0;
}

/** The part of what is kept that is shown; the rest waits for the sweep. */
export interface KeptWindow {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Only what was replaced or deleted after this time. */
  readonly since: number;
  /** How many versions of one file. */
  readonly versions: number;
}

/** What is kept still at a time. */
export function keptWindow(retention: Retention, now: number): KeptWindow {
  return { now, since: keptSince(retention, now), versions: retention.versions };
}

/** What was replaced or deleted after this time is kept still. Milliseconds since the epoch. */
export function keptSince({ days }: Retention, now: number): number {
  return now - days * DAY_MS;
}

/** Until when something is kept that was replaced or deleted at a time. Milliseconds since the epoch. */
export function keptUntil({ days }: Retention, at: number): number {
  return at + days * DAY_MS;
}
