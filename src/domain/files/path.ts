import type { Brand } from "../id.ts";
import { CofferError, invalid } from "../errors.ts";
import { FILENAME_BYTES, PATH_BYTES, SEGMENT_BYTES } from "../limits.ts";
import { requirePlainText, utf8Length } from "../contents/texts/text.ts";

/** A file's path in its drive: segments joined by `/`, NFC, no leading or trailing slash. */
export type FilePath = Brand<string, "FilePath">;
/** A folder's path: like a file's, with a trailing `/`; the root is the empty string. */
export type FolderPath = Brand<string, "FolderPath">;
/** A file's name as its owner sent it: 1 to 255 bytes, no `/`, no control characters. */
export type Filename = Brand<string, "Filename">;

function isFilePath(path: string): path is FilePath {
  return path !== "" && !path.endsWith("/");
}

export function isFolderPath(path: string): path is FolderPath {
  return path === "" || path.endsWith("/");
}

function isFilename(name: string): name is Filename {
  return name !== "" && !name.includes("/");
}

export function parseFilename(field: string, text: string): Filename {
  requirePlainText(field, text);
  const bytes = utf8Length(text);
  if (bytes < 1 || bytes > FILENAME_BYTES) throw invalid(field, `must have 1 to ${FILENAME_BYTES} bytes`);
  if (!isFilename(text)) throw invalid(field, 'must not contain "/"');
  return text;
}

/** Reads a path for a file, without one leading `/`. One that ends in `/` is a folder, to which `filename` is added. */
export function parseFilePath(field: string, text: string, filename: Filename): FilePath {
  const path = normalise(field, text.endsWith("/") ? text + filename : text);
  requireSegments(field, path);
  return asserted(path, isFilePath);
}

/** Reads the path of a file that should exist: like `parseFilePath`, but it must not end in `/`. */
export function parsePathOfFile(field: string, text: string): FilePath {
  const path = normalise(field, text);
  if (!isFilePath(path)) throw invalid(field, 'must name a file, so it must not be empty or end with "/"');
  requireSegments(field, path);
  return path;
}

/** Reads a folder path that a caller sent; it must end in `/` and must not be the root. */
export function parseFolderPath(field: string, text: string): FolderPath {
  if (!text.endsWith("/")) throw invalid(field, 'must end with "/"');
  const path = normalise(field, text);
  if (path === "") throw invalid(field, "must not be the drive's root");
  requireSegments(field, path.slice(0, -1));
  return asserted(path, isFolderPath);
}

/** Reads the path of a folder to look into: like `parseFolderPath`, but empty or `/` is the root. */
export function parseFolderOrRoot(field: string, text: string): FolderPath {
  return text === "" || text === "/" ? ROOT : parseFolderPath(field, text);
}

/** The path of a folder that a caller sent where no file can be meant: `notes` is `notes/` there. To be parsed. */
export function withSlash(text: string): string {
  return text === "" || text.endsWith("/") ? text : `${text}/`;
}

/** Reads any start of a path, even within a segment. It is only compared, so an invalid one matches nothing. */
export function parsePrefix(field: string, text: string): string {
  return normalise(field, text);
}

/** A folder if it ends in `/` (the root also if empty), else a file; one that cannot exist matches nothing. */
export function parsePlace(field: string, text: string): FilePath | FolderPath {
  const path = normalise(field, text);
  return isFolderPath(path) ? path : asserted(path, isFilePath);
}

function normalise(field: string, text: string): string {
  requirePlainText(field, text);
  if (isTooLongComposed(text)) throw tooLong(field);
  const path = (text.startsWith("/") ? text.slice(1) : text).normalize("NFC");
  if (utf8Length(path) > PATH_BYTES) throw tooLong(field);
  return path;
}

/** Composed, three bytes become one at most; and two of marks, of which the first few may become part of a letter. */
const COMPOSED = { text: 3, marks: 2, first: 16 };

/** Whether it is too long however it is composed: to order ten thousand marks in a row would take a second. */
function isTooLongComposed(text: string): boolean {
  if (utf8Length(text) > COMPOSED.text * PATH_BYTES + 1) return true;
  const most = COMPOSED.marks * PATH_BYTES + COMPOSED.first;
  return text.length > most / 3 && (text.match(/\p{M}+/gu) ?? []).some((marks) => utf8Length(marks) > most);
}

function tooLong(field: string): CofferError {
  return invalid(field, `must have at most ${PATH_BYTES} bytes`);
}

function requireSegments(field: string, path: string): void {
  if (path.includes("\\")) throw invalid(field, 'must not contain "\\"');
  for (const segment of path.split("/")) {
    if (segment === "")
      throw invalid(field, 'must not contain an empty segment: write one "/" between two names');
    if (segment === "." || segment === "..")
      throw invalid(field, `must not contain the segment "${segment}"`);
    if (utf8Length(segment) > SEGMENT_BYTES) {
      throw invalid(field, `must have segments of at most ${SEGMENT_BYTES} bytes`);
    }
  }
}

/** A path or name that was made of valid ones. Throws if it is none: that is a mistake of ours. */
function asserted<T extends string>(text: string, is: (text: string) => text is T): T {
  if (!is(text)) throw new Error("a path was made that cannot be one");
  return text;
}

export function lastSegment(path: FilePath): Filename {
  return asserted(path.slice(path.lastIndexOf("/") + 1), isFilename);
}

/** Throws VALIDATION_ERROR unless a file at this path has the name that was sent beside it. */
export function requireNamed(path: FilePath, filename: Filename): void {
  const last = lastSegment(path);
  if (filename.normalize("NFC") === last) return;
  throw invalid("filename", `must be the last segment of path, ${JSON.stringify(last)}: leave it out`);
}

export function inFolder(folder: FolderPath, below: string): FilePath {
  return asserted(folder + below, isFilePath);
}

/** The path of a folder below another one, or of that one itself. */
export function folderIn(folder: FolderPath, below: string): FolderPath {
  return asserted(folder + below, isFolderPath);
}

/** The folder that holds a file or folder; the root for the topmost ones. Not defined for the root. */
export function parentFolder(path: FilePath | FolderPath): FolderPath {
  return containingFolder(path.slice(0, -1));
}

/** The folder part of any path prefix: everything up to its last `/`. */
export function containingFolder(prefix: string): FolderPath {
  return asserted(prefix.slice(0, prefix.lastIndexOf("/") + 1), isFolderPath);
}

/** The path of something in a folder, or of the folder itself, after the folder has moved. */
export function relocated(path: FilePath, from: FolderPath, to: FolderPath): FilePath;
export function relocated(path: FolderPath, from: FolderPath, to: FolderPath): FolderPath;
export function relocated(path: FilePath | FolderPath, from: FolderPath, to: FolderPath): string {
  return to + path.slice(from.length);
}

/** The path of a file in a folder's place: the folder's path without its last slash. */
export function asFilePath(folder: FolderPath): FilePath {
  return asserted(folder.slice(0, -1), isFilePath);
}

export function asFolderPath(file: FilePath): FolderPath {
  return asserted(`${file}/`, isFolderPath);
}

export const ROOT: FolderPath = containingFolder("");

/**
 * The first string, in UTF-8 byte order, after every string that starts with `prefix`; null if there is none, as
 * for the empty prefix. `[prefix, prefixEnd)` is the range for an index search.
 */
export function prefixEnd(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return null;
}

// A key of a drive can be limited to a folder, its prefix. It sees that folder, and nothing beside it.

/** Throws FORBIDDEN for a path that is not in the folder that a key is limited to. */
export function requireUnder(prefix: FolderPath, path: FilePath | FolderPath): void {
  if (path.startsWith(prefix)) return;
  throw new CofferError(
    "FORBIDDEN",
    `This key is limited to "${prefix}". Choose a path that begins with it.`,
  );
}

/** Throws FORBIDDEN for a key that is limited to a folder. */
export function requireWhole(prefix: FolderPath): void {
  if (prefix === ROOT) return;
  throw new CofferError(
    "FORBIDDEN",
    `This key is limited to "${prefix}"; the operation needs a key of the whole drive.`,
  );
}

/** What a key sees of paths that begin with `asked`: the prefix itself if that is inside; null for nothing. */
export function narrowed<Asked extends string>(asked: Asked, prefix: FolderPath): Asked | FolderPath | null {
  if (asked.startsWith(prefix)) return asked;
  return prefix.startsWith(asked) ? prefix : null;
}

/** The folder directly in `above` on the way to a prefix, which a key sees to find its way from the root. */
export function wayInto(above: FolderPath, prefix: FolderPath): FolderPath {
  return containingFolder(prefix.slice(0, prefix.indexOf("/", above.length) + 1));
}
