import { call, type Patience } from "./api/api.ts";
import type { Done } from "./files/steps.ts";
import type { FileOrder } from "./files/sort.ts";
import { plain } from "./contents/overrides.ts";
import type { FileRecord, FolderRecord, ListPage, SearchAnswer } from "./api/types.ts";
import { plural, t } from "./words/text.ts";

/** Something that stands in a folder. */
export type Entry =
  | { readonly kind: "folder"; readonly key: string; readonly path: string; readonly folder: FolderRecord }
  | { readonly kind: "file"; readonly key: string; readonly path: string; readonly file: FileRecord };

export type FileEntry = Extract<Entry, { kind: "file" }>;
export type FolderEntry = Extract<Entry, { kind: "folder" }>;

/** A folder as an entry; its path is its key. */
export function folderEntry(folder: FolderRecord): FolderEntry {
  return { kind: "folder", key: folder.path, path: folder.path, folder };
}

/** A file as an entry; its id is its key, which stays when it is renamed. */
export function fileEntry(file: FileRecord): FileEntry {
  return { kind: "file", key: file.id, path: file.path, file };
}

interface PageRequest {
  /** 1 and up. */
  readonly page: number;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** One page of the files that stand directly in a folder. */
export function listFiles(
  drive: string,
  folder: string,
  order: FileOrder,
  { page, limit, signal }: PageRequest,
): Promise<ListPage<FileRecord>> {
  const query = new URLSearchParams({
    drive_id: drive,
    prefix: folder,
    delimiter: "/",
    sort: order,
    page: String(page),
    limit: String(limit),
  });
  return call("GET", `/v0/files?${query}`, signal === undefined ? {} : { signal });
}

/** The files of a drive that were changed last, newest first: a search without words lists them so. */
export async function newestFiles(
  drive: string,
  limit: number,
  signal: AbortSignal,
): Promise<SearchAnswer["data"]> {
  const query = new URLSearchParams({ drive_id: drive, min_size: "0", limit: String(limit) });
  return (await call<SearchAnswer>("GET", `/v0/search?${query}`, { signal })).data;
}

/** A file's record; `id` may be anything, since addresses name files. */
export function getFile(id: string, signal?: AbortSignal): Promise<FileRecord> {
  return call("GET", `/v0/files/${encodeURIComponent(id)}`, signal === undefined ? {} : { signal });
}

/** The record of the file at a path of a drive. */
export function getFileAt(drive: string, path: string, signal: AbortSignal): Promise<FileRecord> {
  return call("GET", `/v0/files/by-path?${new URLSearchParams({ drive_id: drive, path })}`, { signal });
}

/** Makes a folder with those above it; where it is there, only gives its record. `path` ends with a slash. */
export function createFolder(drive: string, path: string): Promise<FolderRecord> {
  return call("POST", "/v0/folders", { body: { drive_id: drive, path } });
}

/** What a PATCH of a file may change; what is left out stays. */
export interface FileChanges {
  readonly path?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly expires_at?: string | null;
}

/** Changes what a file is called and known by. */
export function updateFile(id: string, changes: FileChanges, patience: Patience = {}): Promise<FileRecord> {
  return call("PATCH", `/v0/files/${id}`, { body: changes, ...patience });
}

/** How many files a folder holds, at every depth. */
export async function countFolder(drive: string, path: string): Promise<number> {
  const body = { drive_id: drive, path };
  return (await call<{ file_count: number }>("DELETE", "/v0/folders", { body })).file_count;
}

/** A drive, by slug or id, and the whole path of something in it. */
export interface DrivePath {
  readonly drive: string;
  readonly path: string;
}

/** Moves a folder with everything in it; `to` is its whole new path in the same drive. */
export function moveFolder(
  { drive, path }: DrivePath,
  to: string,
  patience: Patience = {},
): Promise<FolderRecord> {
  const body = { drive_id: drive, path, destination_path: to };
  return call("POST", "/v0/folders/move", { body, ...patience });
}

export function downloadAddress(id: string): string {
  return `/v0/files/${id}/download`;
}

/** The ETag of a content, which its record shows as `sha256:` and hex. */
export function etagOf(hash: string): string {
  return hash.replace(/^sha256:/, "");
}

/** Why a name cannot stand for a file or folder; null where it can. What else the server refuses, it says. */
export function nameProblem(name: string): string | null {
  if (name === "") return t("Enter a name.");
  if (name === "." || name === "..") return t('"{name}" is not a valid name.', { name });
  if (/[/\\]/.test(name)) return t('A name cannot contain "/" or "\\".');
  return null;
}

/** What the entries are called in a sentence: one's name, or how many there are. */
export function describeEntries(entries: readonly Pick<Entry, "path">[]): string {
  const [only] = entries;
  if (only !== undefined && entries.length === 1) return t("“{name}”", { name: plain(nameOf(only.path)) });
  return plural(entries.length, "{count} item", "{count} items");
}

/** Like `describeEntries`, of what was done. */
export function describeDone(done: readonly Done[]): string {
  return describeEntries(done.flatMap(({ paths }) => paths.map((path) => ({ path }))));
}

/** The folder that a file's or folder's path stands in. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
}

/** The last segment of a file's or folder's path, without a slash. */
export function nameOf(path: string): string {
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}
