import type { BlobPk, DriveId, DrivePk, FileId, FilePk, FolderPk, UserPk } from "../id.ts";
import type { Digest } from "../contents/content.ts";
import { CofferError, invalid } from "../errors.ts";
import { METADATA_BYTES, TAG_CHARACTERS, TAGS } from "../limits.ts";
import type { Filename, FilePath } from "./path.ts";
import { containingFolder, lastSegment, parseFilename, parseFilePath, requireNamed } from "./path.ts";
import { parseInstant } from "../time.ts";
import { characters, requirePlainText, utf8Length } from "../contents/texts/text.ts";

/** How a caller names a file by its drive (an id or slug) and its path, both as sent. */
export interface FileAtPath {
  readonly drive: string;
  readonly path: string;
}

/** How a caller names a file: by its id, as sent, or by its drive and path. */
export type FileRef = { readonly id: string } | FileAtPath;

/** A file that is only read: as it is, or as it was in a snapshot with this id. */
export type FileView = FileRef & { readonly snapshot?: string };

/** The orders of a list of files; `-` reverses one. */
export const FILE_SORTS = [
  "path",
  "-path",
  "name",
  "-name",
  "size",
  "-size",
  "updated_at",
  "-updated_at",
] as const;
export type FileSort = (typeof FILE_SORTS)[number];

/** Names are parts of paths: a path is a position among them too. */
const PATH_SORTS = ["path", "-path", "name", "-name"] as const;
type PathSort = (typeof PATH_SORTS)[number];

/** A position in a sorted list of files. A list can continue after it even if the file is gone. */
export type FilePosition =
  | { readonly sort: PathSort; readonly path: string }
  /** Of a sort by a number: bytes or milliseconds. Equal numbers are sorted by id. */
  | { readonly sort: Exclude<FileSort, PathSort>; readonly value: number; readonly id: string };

/** After these, in a list of folders and files. Null where there are no more of them, or no folders at all. */
export interface ListPosition {
  readonly file: FilePosition | null;
  readonly folder: string | null;
}

export function isPathSort(sort: FileSort): sort is PathSort {
  return PATH_SORTS.some((each) => each === sort);
}

export function positionOf(
  sort: FileSort,
  file: { readonly id: FileId; readonly path: string; readonly size: number; readonly updatedAt: number },
): FilePosition {
  if (isPathSort(sort)) return { sort, path: file.path };
  const value = sort === "size" || sort === "-size" ? file.size : file.updatedAt;
  return { sort, value, id: file.id };
}

export interface FileFacts {
  readonly id: FileId;
  readonly driveId: DriveId;
  readonly path: FilePath;
  readonly filename: Filename;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  readonly digest: Digest;
  /** The start of the content if that is text, whatever the type says; shown for text types only. */
  readonly preview: string | null;
  readonly tags: readonly string[];
  readonly metadata: Metadata;
  /** Times are milliseconds since the epoch. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface File extends FileFacts {
  readonly pk: FilePk;
  readonly drivePk: DrivePk;
  /** The owner of the drive; null while it is unclaimed. */
  readonly ownerPk: UserPk | null;
  readonly folderPk: FolderPk;
  readonly blobPk: BlobPk;
  /** The number of its content, counted from 1 in the order in which it had them; never used again. */
  readonly version: number;
  /** Whether the uploader gave the type; else it follows the filename. */
  readonly mimeGiven: boolean;
}

/** Whether a file has expired. To every reader it is gone then. */
export function hasExpired(file: FileFacts, now: number): boolean {
  return file.expiresAt !== null && file.expiresAt <= now;
}

/** Any object that the caller sends; it is kept as sent. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Tags as they are stored: trimmed, without duplicates, in the order sent. */
export function parseTags(field: string, tags: readonly string[]): string[] {
  const kept = tags.map((tag, index) => parseTag(`${field}[${index}]`, tag));
  return parseTagFilter(field, kept);
}

/** Tags without duplicates, as each costs a look at every file. A tag that no file can have finds nothing. */
export function parseTagFilter(field: string, tags: readonly string[]): string[] {
  const distinct = [...new Set(tags)];
  if (distinct.length > TAGS) throw invalid(field, `must have at most ${TAGS} entries`);
  return distinct;
}

function parseTag(field: string, text: string): string {
  const tag = text.trim();
  requirePlainText(field, tag);
  const length = characters(tag);
  if (length < 1 || length > TAG_CHARACTERS)
    throw invalid(field, `must have 1 to ${TAG_CHARACTERS} characters`);
  return tag;
}

/** Metadata as it is stored: any object of at most 16 KiB as JSON. */
export function parseMetadata(field: string, metadata: Metadata): Metadata {
  if (utf8Length(JSON.stringify(metadata)) > METADATA_BYTES) {
    throw invalid(field, `must have at most ${METADATA_BYTES} bytes as JSON`);
  }
  return metadata;
}

/** Reads the expiry that a caller sent, which must be in the future; null for none. */
export function parseExpiry(field: string, text: string | null, now: number): number | null {
  if (text === null) return null;
  const instant = parseInstant(field, text);
  requireFuture(field, instant, now);
  return instant;
}

/** @throws CofferError VALIDATION_ERROR for an expiry that has passed */
export function requireFuture(field: string, expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw invalid(field, "must be in the future");
}

/** How long the content may be, in bytes. */
interface SizeLimits {
  readonly maxFileSize: number;
  /** The most that its drive or account can hold; null for no limit. */
  readonly room: number | null;
}

/** Throws PAYLOAD_TOO_LARGE or QUOTA_EXCEEDED if the content has more bytes than it may have. */
export function requireFits(received: number, limits: SizeLimits): void {
  if (received > limits.maxFileSize) {
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `A file may have at most ${limits.maxFileSize} bytes: split it into smaller files.`,
    );
  }
  // A file of this size can never fit, so the rest of it is not read.
  if (limits.room !== null && received > limits.room) {
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `The storage limit is ${limits.room} bytes: this file alone has more. Send a smaller one, or claim the drive or change the plan for a higher limit.`,
    );
  }
}

/** What a PATCH changes, as sent; undefined fields stay as they are. */
export interface FileChanges {
  readonly filename: string | undefined;
  readonly path: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly metadata: Metadata | undefined;
  readonly expiresAt: string | null | undefined;
}

type Attributes = Pick<File, "tags" | "metadata" | "expiresAt">;

/** The filename follows from a new path, and the path from a new filename. Throws VALIDATION_ERROR if they disagree. */
export function parseRename(
  file: Pick<File, "filename" | "path">,
  changes: FileChanges,
): { filename: Filename; path: FilePath } {
  const sent = changes.filename === undefined ? null : parseFilename("filename", changes.filename);
  if (changes.path !== undefined) {
    const path = parseFilePath("path", changes.path, sent ?? file.filename);
    if (sent !== null) requireNamed(path, sent);
    // Earlier ones may have another: it stays as long as the path does.
    return { path, filename: sent ?? (path === file.path ? file.filename : lastSegment(path)) };
  }
  if (sent === null) return { filename: file.filename, path: file.path };
  return { filename: sent, path: parseFilePath("filename", containingFolder(file.path) + sent, sent) };
}

/** What a file's attributes become. Throws VALIDATION_ERROR. */
export function parseAttributes(file: Attributes, changes: FileChanges, now: number): Attributes {
  return {
    tags: changes.tags === undefined ? file.tags : parseTags("tags", changes.tags),
    metadata: changes.metadata === undefined ? file.metadata : parseMetadata("metadata", changes.metadata),
    expiresAt:
      changes.expiresAt === undefined ? file.expiresAt : parseExpiry("expires_at", changes.expiresAt, now),
  };
}
