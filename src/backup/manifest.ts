import { type Digest, parseDigest } from "../domain/contents/digest.ts";
import { parseId, type StoreId } from "../domain/id.ts";
import type { StoredPlace } from "../domain/contents/stored-place.ts";
import { BACKUPS, BackupError } from "./place.ts";

/** The version of the layout of a place. A newer one is refused. */
export const FORMAT = 1;

/** What marks a place, and says whose it is. */
export const MARKER = "coffer-backup.json";

/** The files of one backup, in the order in which they are written. The manifest makes it complete. */
export const PARTS = { database: "coffer.db", contents: "contents", secret: "secret" } as const;
export const MANIFEST = "manifest.json";

export type PartName = (typeof PARTS)[keyof typeof PARTS];

export function isPartName(text: string): text is PartName {
  return Object.values<string>(PARTS).includes(text);
}

/** How many files are named for one damaged content. */
export const NAMED_FILES = 10;

/** A file of a backup. */
export interface Part {
  readonly name: PartName;
  readonly sha256: Digest;
  /** Bytes. */
  readonly size: number;
}

/** A content that the backup names and does not have as it was. */
export interface DamagedInBackup {
  readonly sha256: Digest;
  /** Bytes. */
  readonly size: number;
  readonly problem: string;
  /** Some of the files that have it. */
  readonly files: readonly {
    readonly drive: string;
    readonly path: string;
    /** Missing in manifests of earlier versions. */
    readonly kept?: StoredPlace["kept"];
  }[];
}

/** What a complete backup holds. */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly id: BackupId;
  /** ISO 8601. */
  readonly created_at: string;
  /** The version that wrote it. */
  readonly coffer: string;
  readonly store: StoreId;
  readonly schema_version: number;
  readonly parts: readonly Part[];
  /** The contents in the list of contents. */
  readonly contents: { readonly count: number; readonly bytes: number };
  /** Those of them that are not in the backup, and those that are damaged in its database. */
  readonly damaged: readonly DamagedInBackup[];
}

/** `<UTC time>-<random>`. The backups of a place are in the order of their ids. */
export type BackupId = `${string}-${string}`;

const BACKUP_ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}$/;

export function isBackupId(text: string): text is BackupId {
  return BACKUP_ID.test(text);
}

/**
 * Makes an id for a backup that begins now; `now` is in milliseconds since the epoch.
 *
 * @param last the newest of its place, which it comes after, even if the clock was set back
 */
export function newBackupId(now: number, last: BackupId | null): BackupId {
  const time = last === null ? now : Math.max(now, timeOf(last) + 1);
  const text = new Date(time).toISOString().replaceAll(/[-:.]/g, "");
  return `${text}-${crypto.randomUUID().slice(0, 8)}`;
}

function timeOf(id: BackupId): number {
  const [, year, month, day, hour, minute, second, ms] = BACKUP_ID.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/** The name of a file of a backup in its place. */
export function nameOfPart(id: BackupId, part: string): string {
  return `${BACKUPS}${id}/${part}`;
}

export function markerText(store: StoreId): string {
  return `${JSON.stringify({ format: FORMAT, store })}\n`;
}

/**
 * The store that a marker names.
 *
 * @param where names the place in errors
 * @throws BackupError
 */
export function readMarker(text: string, where: string): StoreId {
  const found = readJson(text);
  requireFormat(found, `The backups in ${where}`);
  const store = parseId<StoreId>(String(found?.["store"]));
  if (store === null) throw new BackupError(`${MARKER} in ${where} is damaged.`);
  return store;
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * Reads a manifest.
 *
 * @throws BackupError
 */
export function readManifest(text: string, id: string): Manifest {
  const found = readJson(text);
  requireFormat(found, `The backup ${id}`);
  if (!isManifest(found) || found.id !== id)
    throw new BackupError(`The manifest of the backup ${id} is damaged.`);
  return found;
}

function requireFormat(found: Record<string, unknown> | null, what: string): void {
  const format = found?.["format"];
  if (typeof format !== "number" || format === FORMAT) return;
  throw new BackupError(
    `${what} have the format ${format}, which this executable does not know. Use a newer one.`,
  );
}

function isManifest(found: object | null): found is Manifest {
  if (found === null) return false;
  const { format, id, created_at, coffer, store, schema_version, parts, contents, damaged } =
    found as Partial<Record<keyof Manifest, unknown>>;
  return (
    format === FORMAT &&
    typeof id === "string" &&
    isBackupId(id) &&
    typeof created_at === "string" &&
    typeof coffer === "string" &&
    typeof store === "string" &&
    parseId(store) === store &&
    isCount(schema_version) &&
    isListOf(parts, isPart) &&
    isRecord(contents) &&
    isCount(contents["count"]) &&
    isCount(contents["bytes"]) &&
    isListOf(damaged, isDamaged)
  );
}

function isPart(found: unknown): found is Part {
  if (!isRecord(found)) return false;
  const { name, sha256, size } = found;
  return typeof name === "string" && isPartName(name) && isDigest(sha256) && isCount(size);
}

function isDamaged(found: unknown): found is DamagedInBackup {
  if (!isRecord(found)) return false;
  const { sha256, size, problem, files } = found;
  return isDigest(sha256) && isCount(size) && typeof problem === "string" && isListOf(files, isRecord);
}

function isListOf<T>(found: unknown, is: (item: unknown) => item is T): found is readonly T[] {
  return Array.isArray(found) && found.every((item) => is(item));
}

function isRecord(found: unknown): found is Record<string, unknown> {
  return typeof found === "object" && found !== null && !Array.isArray(found);
}

function isDigest(found: unknown): found is Digest {
  return typeof found === "string" && parseDigest(found) !== null;
}

function isCount(found: unknown): found is number {
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0;
}

function readJson(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return isRecord(found) ? found : null;
  } catch {
    return null;
  }
}
