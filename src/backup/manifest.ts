import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import type { Digest, StoredPlace } from "../domain/contents/content.ts";
import { parseId, type StoreId } from "../domain/id.ts";
import { parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import { BACKUPS, BackupError, type BackupPlace, readAlike, readText } from "./place.ts";

/** The version of the layout of a place, and of a backup with all of its contents. */
const FORMAT = 1;
/** That of a backup some of whose contents are in the bucket of the store. A newer one is refused. */
const LEAVING_FORMAT = 2;

/** What marks a place, and says whose it is. */
export const MARKER = "coffer-backup.json";

/** The files of one backup, in the order in which they are written. The manifest makes it complete. */
export const PARTS = {
  database: "coffer.db",
  /** The list of the contents that the place has. */
  contents: "contents",
  /** The list of those that stay in the bucket of the store. */
  inBucket: "contents-in-bucket",
  secret: "secret",
} as const;
export const MANIFEST = "manifest.json";

export type PartName = (typeof PARTS)[keyof typeof PARTS];

export function isPartName(text: string): text is PartName {
  return Object.values<string>(PARTS).includes(text);
}

/** How many files are named for one damaged content. */
export const NAMED_FILES = 10;

/** `<UTC time>-<random>`. The backups of a place are in the order of their ids. */
export type BackupId = `${string}-${string}`;

const BACKUP_ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}$/;

export function isBackupId(text: string): text is BackupId {
  return BACKUP_ID.test(text);
}

/** A new backup's id; it comes after `last`, the newest of its place, even if the clock was set back. */
export function newBackupId(now: number, last: BackupId | null): BackupId {
  const time = last === null ? now : Math.max(now, timeOf(last) + 1);
  const text = new Date(time).toISOString().replaceAll(/[-:.]/g, "");
  return `${text}-${crypto.randomUUID().slice(0, 8)}`;
}

function timeOf(id: BackupId): number {
  const [, year, month, day, hour, minute, second, ms] = BACKUP_ID.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

export function nameOfPart(id: BackupId, part: string): string {
  return `${BACKUPS}${id}/${part}`;
}

const SHA256 = Type.Unsafe<Digest>(Type.RegExp(/^[0-9a-f]{64}$/));
const COUNT = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** A file of a backup; its size is in bytes. */
const PART = Type.Object({
  name: Type.Union(Object.values(PARTS).map((name) => Type.Literal(name))),
  sha256: SHA256,
  size: COUNT,
});
export type Part = Static<typeof PART>;

/** A file of a blob. `kept` is missing in manifests of earlier versions. */
interface NamedFile {
  readonly drive: string;
  readonly path: string;
  readonly kept?: StoredPlace["kept"];
}

/** A blob that the backup names and does not have as it was. */
const DAMAGED = Type.Object({
  sha256: SHA256,
  size: COUNT,
  problem: Type.String(),
  files: Type.Array(Type.Unsafe<NamedFile>(Type.Object({}))),
});
export type DamagedInBackup = Static<typeof DAMAGED>;

/** What a complete backup holds. */
const SCHEMA = Type.Object({
  format: Type.Union([Type.Literal(FORMAT), Type.Literal(LEAVING_FORMAT)]),
  id: Type.Unsafe<BackupId>(Type.RegExp(BACKUP_ID)),
  /** ISO 8601. */
  created_at: Type.String(),
  /** The version that wrote it. */
  coffer: Type.String(),
  store: Type.Unsafe<StoreId>(Type.String()),
  schema_version: COUNT,
  parts: Type.Array(PART),
  /** The contents in the list of contents. */
  contents: Type.Object({ count: COUNT, bytes: COUNT }),
  /** Those that stay in a bucket, which a lease there keeps from being removed; left out if there are none. */
  in_bucket: Type.Optional(Type.Object({ address: Type.String(), count: COUNT, bytes: COUNT })),
  /** Those of `contents` that are not in the backup, and those that are damaged in its database. */
  damaged: Type.Array(DAMAGED),
});
export type Manifest = Static<typeof SCHEMA>;

export function manifestText(manifest: Omit<Manifest, "format">): string {
  const format = manifest.in_bucket === undefined ? FORMAT : LEAVING_FORMAT;
  return `${JSON.stringify({ format, ...manifest }, null, 2)}\n`;
}

/** Reads a manifest. Throws BackupError. */
export function readManifest(text: string, id: string): Manifest {
  const found = readJson(text, `The backup ${id}`);
  const isManifest =
    TypeCompiler.Compile(SCHEMA).Check(found) && found.id === id && parseId(found.store) === found.store;
  if (!isManifest || !isOfBucket(found)) {
    throw new BackupError(`The manifest of the backup ${id} is damaged.`);
  }
  return found;
}

function isOfBucket({ in_bucket }: Pick<Manifest, "in_bucket">): boolean {
  return in_bucket === undefined || parseBackupAddress(in_bucket.address, (path) => path)?.kind === "s3";
}

export function markerText(store: StoreId): string {
  return `${JSON.stringify({ format: FORMAT, store })}\n`;
}

/** The store that a marker names. Throws BackupError. @param where names the place in errors */
export function readMarker(text: string, where: string): StoreId {
  const found = readJson(text, `The backups in ${where}`);
  const store = parseId<StoreId>(String(found["store"]));
  if (store === null) throw new BackupError(`${MARKER} in ${where} is damaged.`);
  return store;
}

/** Reads a JSON object; what is none is an empty one. Throws BackupError for one of another format. */
function readJson(text: string, what: string): Readonly<Record<string, unknown>> {
  const found = parsed(text);
  const { format } = found;
  if (typeof format !== "number" || format === FORMAT || format === LEAVING_FORMAT) return found;
  throw new BackupError(
    `${what} have the format ${format}, which this executable does not know. Use a newer one.`,
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" ? { ...found } : {};
  } catch {
    return {};
  }
}

export interface KeptBackup {
  readonly id: BackupId;
  /** The names of its files in the place. */
  readonly names: readonly string[];
  /** Whether it has its manifest. One that has none was not finished. */
  readonly isComplete: boolean;
}

/** All backups that a place lists, oldest first. Throws BackupError. */
export async function keptBackups(place: BackupPlace): Promise<KeptBackup[]> {
  const byId = new Map<BackupId, string[]>();
  const listed = () => Array.fromAsync(place.list(BACKUPS), ({ name }) => name);
  for (const name of await readAlike("The list of the backups", listed)) {
    const [id = ""] = name.slice(BACKUPS.length).split("/");
    if (!isBackupId(id)) continue;
    byId.set(id, [...(byId.get(id) ?? []), name]);
  }
  const backups: KeptBackup[] = [];
  for (const [id, names] of byId) {
    const manifest = nameOfPart(id, MANIFEST);
    // A list may lack what is there: then the manifest itself decides.
    const isComplete = names.includes(manifest) || (await readText(place, manifest)) !== null;
    backups.push({ id, names, isComplete });
  }
  return backups.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The manifest of a complete backup; null if it is not there any more. Throws BackupError if it is damaged. */
export async function manifestOf(place: BackupPlace, id: BackupId): Promise<Manifest | null> {
  const text = await readText(place, nameOfPart(id, MANIFEST));
  return text === null ? null : readManifest(text, id);
}
