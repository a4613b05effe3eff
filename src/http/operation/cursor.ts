import { type FilePosition, type FileSort, isPathSort } from "../../domain/file-sort.ts";
import { parseDigest } from "../../domain/digest.ts";
import { invalid } from "../../domain/errors.ts";
import { type DriveId, parseId } from "../../domain/id.ts";
import type { GrepPosition } from "../../services/grep/request.ts";

/** Separates the fields of a cursor. Paths and ids have no control characters. */
const SEPARATOR = "\n";
const NUMBER = /^\d{1,15}$/;

/** An opaque cursor: the list continues after this path. */
export function encodeCursor(path: string): string {
  return encode([path]);
}

/** The path of a cursor. Throws VALIDATION_ERROR for a cursor that `encodeCursor` did not return. */
export function decodeCursor(cursor: string): string {
  const [path = "", ...more] = decode(cursor);
  if (more.length > 0) throw badCursor();
  return path;
}

/** An opaque cursor: the list of files continues after this position. It names the order, except the default one. */
export function encodePosition(position: FilePosition): string {
  if (position.sort === "path") return encodeCursor(position.path);
  return "path" in position
    ? encode([position.sort, position.path])
    : encode([position.sort, String(position.value), position.id]);
}

/** The position of a cursor. Throws VALIDATION_ERROR for a cursor that is not of a list in this order. */
export function decodePosition(cursor: string, sort: FileSort): FilePosition {
  const fields = decode(cursor);
  const [first = "", second = "", third = ""] = fields;
  if (sort !== (fields.length === 1 ? "path" : first)) throw badCursor();
  if (isPathSort(sort)) return { sort, path: sort === "path" ? first : second };
  if (!NUMBER.test(second) || third === "") throw badCursor();
  return { sort, value: Number(second), id: third };
}

/** An opaque cursor: the search of lines continues here. */
export function encodeGrepPosition({ drive, path, inside }: GrepPosition): string {
  if (inside === null) return encode([drive, path]);
  const { digest, offset, line, searched, matches } = inside;
  return encode([drive, path, digest, ...[offset, line, searched, matches].map(String)]);
}

/** The position of a cursor. Throws VALIDATION_ERROR for a cursor that `encodeGrepPosition` did not return. */
export function decodeGrepPosition(cursor: string): GrepPosition {
  const [driveText = "", path = "", digestText = "", ...numbers] = decode(cursor);
  const [drive, digest] = [parseId<DriveId>(driveText), parseDigest(digestText)];
  if (drive === null) throw badCursor();
  if (digestText === "") return { drive, path, inside: null };
  const [offset, line, searched, matches] = numbers.filter((number) => NUMBER.test(number)).map(Number);
  if (digest === null || offset === undefined || line === undefined) throw badCursor();
  if (searched === undefined || matches === undefined) throw badCursor();
  return { drive, path, inside: { digest, offset, line, searched, matches } };
}

function encode(fields: readonly string[]): string {
  return Buffer.from(fields.join(SEPARATOR)).toString("base64url");
}

function decode(cursor: string): string[] {
  const fields = Buffer.from(cursor, "base64url").toString("utf8").split(SEPARATOR);
  if (encode(fields) !== cursor) throw badCursor();
  return fields;
}

function badCursor() {
  return invalid("cursor", "must be the next_cursor of an earlier page, in the same order");
}
