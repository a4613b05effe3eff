import { type FilePosition, type FileSort, isPathSort } from "../../domain/file-sort.ts";
import { invalid } from "../../domain/errors.ts";

/** Parts the fields of a cursor; neither paths nor ids hold control characters. */
const SEPARATOR = "\n";
const NUMBER = /^\d{1,15}$/;

/** Writes the path a list goes on after as an opaque cursor. */
export function encodeCursor(path: string): string {
  return encode([path]);
}

/** Reads a cursor back; throws VALIDATION_ERROR for what no list gave out. */
export function decodeCursor(cursor: string): string {
  const [path = "", ...more] = decode(cursor);
  if (more.length > 0) throw notGivenOut();
  return path;
}

/** Writes the place a list of files goes on after as an opaque cursor; all but those of the default order name theirs. */
export function encodePosition(position: FilePosition): string {
  if (position.sort === "path") return encodeCursor(position.path);
  return "path" in position
    ? encode([position.sort, position.path])
    : encode([position.sort, String(position.value), position.id]);
}

/** Reads such a cursor back; throws VALIDATION_ERROR for what no list in this order gave out. */
export function decodePosition(cursor: string, sort: FileSort): FilePosition {
  const fields = decode(cursor);
  const [first = "", second = "", third = ""] = fields;
  if (sort !== (fields.length === 1 ? "path" : first)) throw notGivenOut();
  if (isPathSort(sort)) return { sort, path: sort === "path" ? first : second };
  if (!NUMBER.test(second) || third === "") throw notGivenOut();
  return { sort, value: Number(second), id: third };
}

function encode(fields: readonly string[]): string {
  return Buffer.from(fields.join(SEPARATOR)).toString("base64url");
}

function decode(cursor: string): string[] {
  const fields = Buffer.from(cursor, "base64url").toString("utf8").split(SEPARATOR);
  if (encode(fields) !== cursor) throw notGivenOut();
  return fields;
}

function notGivenOut() {
  return invalid("cursor", "must be a next_cursor of an earlier page, in the same order");
}
