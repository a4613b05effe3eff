import { changeNumber, type ChangePosition } from "../../domain/changes/change.ts";
import { type FilePosition, type FileSort, isPathSort, type ListPosition } from "../../domain/files/file.ts";
import type { AuditPosition } from "../../domain/audit/audit-event.ts";
import { parseDigest } from "../../domain/contents/content.ts";
import { invalid } from "../../domain/errors.ts";
import { type CommentId, type DriveId, type LinkId, parseId } from "../../domain/id.ts";
import type { LinkPosition } from "../../domain/links/link.ts";
import type { TrashPosition } from "../../domain/history/history.ts";
import type { DifferencePosition } from "../../services/snapshots/comparisons.ts";
import type { GrepPosition } from "../../services/grep/request.ts";

/** Separates the fields of a cursor. Paths and ids have no control characters. */
const SEPARATOR = "\n";
/** The first field of a cursor that has a folder; no order has this name. */
const FOLDERS = "folders";
const NUMBER = /^\d{1,15}$/;

/**
 * How a position in a kind of list is written and read as an opaque cursor: that says where the list continues.
 *
 * @param positionIn null for fields that are of no position
 */
function cursorOf<P>(
  fieldsOf: (position: P) => readonly (string | number)[],
  positionIn: (fields: readonly string[]) => P | null,
) {
  /** Null at the end of a list. */
  function write(position: P): string;
  function write(position: P | null): string | null;
  function write(position: P | null): string | null {
    return position === null ? null : encode(fieldsOf(position));
  }
  /** Null without a cursor, at the start of a list. Throws VALIDATION_ERROR for a cursor that `write` did not return. */
  const read = (cursor: string | undefined, field = "cursor"): P | null => {
    if (cursor === undefined) return null;
    const fields = Buffer.from(cursor, "base64url").toString("utf8").split(SEPARATOR);
    const position = encode(fields) === cursor ? positionIn(fields) : null;
    if (position !== null) return position;
    throw invalid(field, "must be the next_cursor of an earlier page, in the same order");
  };
  return { write, read };
}

export const pathCursor = cursorOf<string>(
  (path) => [path],
  ([path = "", ...more]) => (more.length > 0 ? null : path),
);

export const numberCursor = cursorOf<number>(
  (number) => [number],
  ([number = "", ...more]) => (more.length > 0 || !NUMBER.test(number) ? null : Number(number)),
);

/** Of a list of files, and of folders beside them. It names the order, except the default one of files alone. */
export function fileCursor(sort: FileSort) {
  return cursorOf<ListPosition>(
    ({ file, folder }) => {
      if (folder !== null) return [FOLDERS, folder, sort, ...(file === null ? [] : keysOf(file))];
      if (file === null) throw new Error("a cursor names the end of its list");
      return sort === "path" ? keysOf(file) : [sort, ...keysOf(file)];
    },
    (fields) => {
      const [first = "", second = "", third, ...keys] = fields;
      if (first !== FOLDERS || fields.length === 1) {
        if (sort !== "path" && sort !== first) return null;
        const file = filePositionIn(sort === "path" ? fields : fields.slice(1), sort);
        return file && { file, folder: null };
      }
      if (sort !== third || second === "") return null;
      if (keys.length === 0) return { file: null, folder: second };
      const file = filePositionIn(keys, sort);
      return file && { file, folder: second };
    },
  );
}

function keysOf(position: FilePosition): (string | number)[] {
  return "path" in position ? [position.path] : [position.value, position.id];
}

function filePositionIn(keys: readonly string[], sort: FileSort): FilePosition | null {
  const [first = "", id = ""] = keys;
  if (keys.length !== (isPathSort(sort) ? 1 : 2)) return null;
  if (isPathSort(sort)) return { sort, path: first };
  return NUMBER.test(first) && id !== "" ? { sort, value: Number(first), id } : null;
}

export const differenceCursor = cursorOf<DifferencePosition>(
  ({ path, count }) => [path, count],
  ([path = "", count = "", ...more]) =>
    more.length > 0 || !NUMBER.test(count) ? null : { path, count: Number(count) },
);

export const grepCursor = cursorOf<GrepPosition>(
  ({ drive, path, inside }) => {
    if (inside === null) return [drive, path];
    const { digest, offset, line, searched, matches } = inside;
    return [drive, path, digest, offset, line, searched, matches];
  },
  ([driveText = "", path = "", digestText = "", ...numbers]) => {
    const [drive, digest] = [parseId<DriveId>(driveText), parseDigest(digestText)];
    if (drive === null) return null;
    if (digestText === "") return { drive, path, inside: null };
    const [offset, line, searched, matches] = numbers.filter((number) => NUMBER.test(number)).map(Number);
    if (digest === null || offset === undefined || line === undefined) return null;
    if (searched === undefined || matches === undefined) return null;
    return { drive, path, inside: { digest, offset, line, searched, matches } };
  },
);

export const commentCursor = cursorOf<CommentId>(
  (id) => [id],
  ([id = "", ...more]) => (more.length > 0 ? null : parseId<CommentId>(id)),
);

export const trashCursor = cursorOf<TrashPosition>(
  ({ deletedAt, id }) => [deletedAt, id],
  ([deletedAt = "", id = "", ...more]) =>
    !NUMBER.test(deletedAt) || id === "" || more.length > 0 ? null : { deletedAt: Number(deletedAt), id },
);

export const linkCursor = cursorOf<LinkPosition>(
  ({ createdAt, id }) => [createdAt, id],
  ([createdAt = "", idText = "", ...more]) => {
    const id = parseId<LinkId>(idText);
    return !NUMBER.test(createdAt) || id === null || more.length > 0
      ? null
      : { createdAt: Number(createdAt), id };
  },
);

export const auditCursor = cursorOf<AuditPosition>(
  ({ at, pk }) => [at, pk],
  ([at = "", pk = "", ...more]) =>
    more.length > 0 || ![at, pk].every((text) => NUMBER.test(text))
      ? null
      : { at: Number(at), pk: Number(pk) },
);

/** Also the id of a change: the feed continues after it. */
export const changeCursor = cursorOf<ChangePosition>(
  ({ number, at, from }) => [number, at, ...(from > number ? [from] : [])],
  ([number = "", at = "", from = number, ...more]) =>
    more.length > 0 || ![number, at, from].every((text) => NUMBER.test(text))
      ? null
      : { number: changeNumber(Number(number)), at: Number(at), from: changeNumber(Number(from)) },
);

function encode(fields: readonly (string | number)[]): string {
  return Buffer.from(fields.join(SEPARATOR)).toString("base64url");
}
