import { DAY_MS } from "../time.ts";
import type { NamedActor } from "../changes/change.ts";
import type { File } from "../files/file.ts";
import type { DriveId, DrivePk, FileVersionPk, TrashId, TrashPk } from "../id.ts";
import type { FilePath, FolderPath } from "../files/path.ts";
import { nameBeside } from "../files/taken.ts";

/** How long and how much is kept of what was replaced or deleted. It may change: read it when it matters. */
export interface Retention {
  /** 0 if nothing is kept. */
  readonly days: number;
  /** Of one file; 0 if no versions are kept. */
  readonly versions: number;
}

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
  readonly since: number;
  readonly versions: number;
}

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

type Versioned = "version" | "filename" | "mimeType" | "mimeGiven" | "size" | "blobPk" | "digest" | "preview";

/** The content that a file had once, with what named it then. Times are milliseconds since the epoch. */
export interface FileVersion extends Pick<File, Versioned> {
  readonly pk: FileVersionPk;
  readonly replacedAt: number;
  /** Null for the server. */
  readonly replacedBy: NamedActor | null;
  readonly label: string | null;
  /** What was said of the change that made it; null for nothing. */
  readonly message: string | null;
}

const NUMBER = /^[1-9]\d{0,14}$/;

/** Reads the number of a version that a caller sent; null if it cannot be one (the caller then gets 404). */
export function parseVersionNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}

/** An entry of the trash: a deleted file, or a deleted folder with everything that was in it. */
export type TrashEntry = TrashedPlace & {
  readonly pk: TrashPk;
  readonly id: TrashId;
  readonly drivePk: DrivePk;
  readonly driveId: DriveId;
  /** Bytes of its files, without expired ones. */
  readonly size: number;
  readonly fileCount: number;
  /** When the file expires; null if it does not, or for a folder. Milliseconds since the epoch. */
  readonly fileExpiresAt: number | null;
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
  /** Null for the server. */
  readonly deletedBy: NamedActor | null;
};

export type TrashedPlace =
  { readonly kind: "file"; readonly path: FilePath } | { readonly kind: "folder"; readonly path: FolderPath };

export interface TrashPosition {
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
  readonly id: string;
}

/** `plan (restored).md`, then `plan (restored 2).md`; a too long stem loses its end. @param n 1 for the first try */
export function restoredName(name: string, kind: "file" | "folder", n: number): string {
  return nameBeside(name, kind, n === 1 ? " (restored)" : ` (restored ${n})`);
}
