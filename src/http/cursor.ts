import { invalid } from "../domain/errors.ts";

/** Writes the path a list goes on after as an opaque cursor. */
export function encodeCursor(path: string): string {
  return Buffer.from(path).toString("base64url");
}

/** Reads a cursor back; throws VALIDATION_ERROR for what no list gave out. */
export function decodeCursor(cursor: string): string {
  const path = Buffer.from(cursor, "base64url").toString("utf8");
  if (encodeCursor(path) !== cursor) throw invalid("cursor", "must be a next_cursor of an earlier page");
  return path;
}
