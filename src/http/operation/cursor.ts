import { changeNumber, type ChangePosition } from "../../domain/changes/change.ts";
import { type FilePosition, type FileSort, isPathSort, type ListPosition } from "../../domain/files/file.ts";
import { parseDigest } from "../../domain/contents/content.ts";
import { invalid } from "../../domain/errors.ts";
import { type DriveId, type LinkId, parseId } from "../../domain/id.ts";
import type { LinkPosition } from "../../domain/links/link.ts";
import type { TrashPosition } from "../../domain/history/history.ts";
import type { DifferencePosition } from "../../services/snapshots/comparisons.ts";
import type { GrepPosition } from "../../services/grep/request.ts";

// A cursor is opaque: it says where a list continues. What decodes one throws VALIDATION_ERROR for a cursor that its
// counterpart did not return.

/** Separates the fields of a cursor. Paths and ids have no control characters. */
const SEPARATOR = "\n";
/** The first field of a cursor that has a folder; no order has this name. */
const FOLDERS = "folders";
const NUMBER = /^\d{1,15}$/;

export function encodeCursor(path: string): string {
  return encode([path]);
}

export function decodeCursor(cursor: string): string {
  const [path = "", ...more] = decode(cursor);
  if (more.length > 0) throw badCursor();
  return path;
}

export function encodeNumber(number: number): string {
  return encode([String(number)]);
}

export function decodeNumber(cursor: string): number {
  const [number = "", ...more] = decode(cursor);
  if (more.length > 0 || !NUMBER.test(number)) throw badCursor();
  return Number(number);
}

/**
 * An opaque cursor: the list of files, and of folders beside them, continues after this position. It names the order,
 * except the default one of files alone.
 */
export function encodePosition({ file, folder }: ListPosition, sort: FileSort): string {
  if (folder !== null) return encode([FOLDERS, folder, sort, ...(file === null ? [] : keysOf(file))]);
  if (file === null) throw new Error("a cursor names the end of its list");
  return encode(sort === "path" ? keysOf(file) : [sort, ...keysOf(file)]);
}

/** The position of a cursor. Throws VALIDATION_ERROR for a cursor that is not of a list in this order. */
export function decodePosition(cursor: string, sort: FileSort): ListPosition {
  const fields = decode(cursor);
  const [first = "", second = "", third, ...keys] = fields;
  if (first === FOLDERS && fields.length > 1) {
    if (sort !== third || second === "") throw badCursor();
    return { file: keys.length === 0 ? null : positionIn(keys, sort), folder: second };
  }
  if (sort === "path") return { file: positionIn(fields, sort), folder: null };
  if (sort !== first) throw badCursor();
  return { file: positionIn(fields.slice(1), sort), folder: null };
}

function keysOf(position: FilePosition): string[] {
  return "path" in position ? [position.path] : [String(position.value), position.id];
}

function positionIn(keys: readonly string[], sort: FileSort): FilePosition {
  const [first = "", id = ""] = keys;
  if (keys.length !== (isPathSort(sort) ? 1 : 2)) throw badCursor();
  if (isPathSort(sort)) return { sort, path: first };
  if (!NUMBER.test(first) || id === "") throw badCursor();
  return { sort, value: Number(first), id };
}

export function encodeDifference({ path, count }: DifferencePosition): string {
  return encode([path, String(count)]);
}

export function decodeDifference(cursor: string): DifferencePosition {
  const [path = "", count = "", ...more] = decode(cursor);
  if (more.length > 0 || !NUMBER.test(count)) throw badCursor();
  return { path, count: Number(count) };
}

export function encodeGrepPosition({ drive, path, inside }: GrepPosition): string {
  if (inside === null) return encode([drive, path]);
  const { digest, offset, line, searched, matches } = inside;
  return encode([drive, path, digest, ...[offset, line, searched, matches].map(String)]);
}

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

export function encodeTrashPosition({ deletedAt, id }: TrashPosition): string {
  return encode([String(deletedAt), id]);
}

export function decodeTrashPosition(cursor: string): TrashPosition {
  const [deletedAt = "", id = "", ...more] = decode(cursor);
  if (!NUMBER.test(deletedAt) || id === "" || more.length > 0) throw badCursor();
  return { deletedAt: Number(deletedAt), id };
}

export function encodeLinkPosition({ createdAt, id }: LinkPosition): string {
  return encode([String(createdAt), id]);
}

export function decodeLinkPosition(cursor: string): LinkPosition {
  const [createdAt = "", idText = "", ...more] = decode(cursor);
  const id = parseId<LinkId>(idText);
  if (!NUMBER.test(createdAt) || id === null || more.length > 0) throw badCursor();
  return { createdAt: Number(createdAt), id };
}

/** An opaque cursor, which is also the id of a change: the feed continues after it. */
export function encodeChangePosition({ number, at, from }: ChangePosition): string {
  return encode([number, at, ...(from > number ? [from] : [])].map(String));
}

export function decodeChangePosition(cursor: string, field = "cursor"): ChangePosition {
  const [number = "", at = "", from = number, ...more] = decode(cursor, field);
  if (more.length > 0 || ![number, at, from].every((text) => NUMBER.test(text))) throw badCursor(field);
  return { number: changeNumber(Number(number)), at: Number(at), from: changeNumber(Number(from)) };
}

function encode(fields: readonly string[]): string {
  return Buffer.from(fields.join(SEPARATOR)).toString("base64url");
}

function decode(cursor: string, field = "cursor"): string[] {
  const fields = Buffer.from(cursor, "base64url").toString("utf8").split(SEPARATOR);
  if (encode(fields) !== cursor) throw badCursor(field);
  return fields;
}

function badCursor(field = "cursor") {
  return invalid(field, "must be the next_cursor of an earlier page, in the same order");
}
