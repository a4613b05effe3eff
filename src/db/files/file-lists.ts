import { fileIsAlive } from "../expressions.ts";
import { type FileFacts, type FilePosition, type FileSort, positionOf } from "../../domain/files/file.ts";
import { nameKey } from "../../domain/files/name-key.ts";
import type { DrivePk, FileId, FolderPk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { Connection } from "../engine/connection.ts";
import type { Database } from "../engine/database.ts";
import { hasNameKeys } from "../upkeep/name-keys.ts";
import type { FactsRow, PathRange } from "./files.ts";
import {
  AFTER_ALL_TEXT,
  FACT_COLUMNS,
  factsFromRow,
  FILE_JOINS,
  firstAfter,
  partOfRecord,
  rangeFrom,
  rangeOf,
  recordMask,
  recordOf,
} from "./files.ts";

/** The files of a list: all of a drive or, with `folder`, those directly in that folder. */
export interface ListScope {
  readonly drive: DrivePk;
  readonly folder: FolderPk | null;
  readonly prefix: string;
  /** Only files that have all of these. */
  readonly tags: readonly string[];
  /** Files that have expired by this time are left out. */
  readonly now: number;
  /** Other than `path` only with a folder, whose path must then be the prefix, and without tags. */
  readonly sort: FileSort;
}

/** A page of a list: after a position, or after a number of files. */
export type ListWindow = {
  readonly limit: number;
  readonly offset: number;
  /** Only files after this position, which must be of the list's order; null for the start. */
  readonly after: FilePosition | null;
};

type Selection = PathRange &
  Pick<ListScope, "drive" | "folder" | "now"> & {
    readonly tag: string | null;
    readonly otherTags: string;
    readonly value: number;
    readonly id: string;
    /** Of the last name; where it is the first page, before or after all. */
    readonly name: string | Uint8Array;
  };

type ChildRange = PathRange & Pick<ListScope, "drive" | "now"> & { readonly parent: FolderPath };

type Page = Selection & Pick<ListWindow, "limit" | "offset">;

const DRIVE_ID = "(SELECT id FROM drive WHERE pk = :drive)";

// INDEXED BY turns a missing index into an error instead of a slow response.
const IN_DRIVE = "file f INDEXED BY file_path WHERE f.drive = :drive AND f.path >= :from AND f.path < :to";
const IN_FOLDER =
  "file f INDEXED BY file_folder WHERE f.folder = :folder AND f.path >= :from AND f.path < :to";
const BY_NAME = "file f INDEXED BY file_folder_name WHERE f.folder = :folder AND f.name_key";
const BY_SIZE = "file f INDEXED BY file_folder_size WHERE f.folder = :folder AND (f.size, f.id)";
const BY_UPDATED = "file f INDEXED BY file_folder_updated WHERE f.folder = :folder AND (f.updated_at, f.id)";
const TAGGED = `file_tag t JOIN file f ON f.pk = t.file
  WHERE t.drive = :drive AND t.tag = :tag AND t.path >= :from AND t.path < :to
    AND (:folder IS NULL OR f.folder = :folder)
    AND NOT EXISTS (
      SELECT 1 FROM json_each(:otherTags) o
       WHERE NOT EXISTS (SELECT 1 FROM file_tag x WHERE x.drive = :drive AND x.tag = o.value AND x.path = t.path))`;

/** The orders while names have no keys. */
const BY_PATH_UNTIL = {
  path: "path",
  "-path": "-path",
  name: "path",
  "-name": "-path",
  size: "size",
  "-size": "-size",
  updated_at: "updated_at",
  "-updated_at": "-updated_at",
} as const satisfies Record<FileSort, FileSort>;

/** What was found of a list, and the position of its last item, if more come after it. */
export interface Part<Found, Position> {
  readonly found: Found;
  readonly next: Position | null;
}

export type PositionRow = Pick<FileFacts, "id" | "path" | "size" | "updatedAt">;

/** Which fields a record shows, by their names; null for all. */
export type ShownFields = ReadonlySet<string> | null;

/** Pages and numbers of files. Each file is read only if the drive has expired ones that await the sweep. */
export function fileLists({ sql }: Database) {
  const inDrive = pagesOf(sql, IN_DRIVE, ["path"]);
  const inFolder = {
    path: pagesOf(sql, IN_FOLDER, ["path"]),
    "-path": pagesOf(sql, IN_FOLDER, ["path"], "DESC"),
    name: pagesOf(sql, `${BY_NAME} > :name`, ["name_key"]),
    "-name": pagesOf(sql, `${BY_NAME} < :name`, ["name_key"], "DESC"),
    size: pagesOf(sql, `${BY_SIZE} > (:value, :id)`, ["size", "id"]),
    "-size": pagesOf(sql, `${BY_SIZE} < (:value, :id)`, ["size", "id"], "DESC"),
    updated_at: pagesOf(sql, `${BY_UPDATED} > (:value, :id)`, ["updated_at", "id"]),
    "-updated_at": pagesOf(sql, `${BY_UPDATED} < (:value, :id)`, ["updated_at", "id"], "DESC"),
  } satisfies Record<FileSort, unknown>;
  const tagged = pageOf(sql, `${TAGGED} AND ${fileIsAlive(":now")}`, { table: "t", columns: ["path"] });
  const hasExpired = sql.has<[drive: DrivePk, now: number]>(
    "SELECT 1 FROM file INDEXED BY file_drive_expiry WHERE drive = ? AND expires_at <= ? LIMIT 1",
  );
  const isOrdered = hasNameKeys(sql);
  const pageFor = ({ drive, folder, tags, sort, now }: ListScope) => {
    if (tags.length > 0) return tagged;
    const until = BY_PATH_UNTIL[sort];
    const { all, alive } = folder === null ? inDrive : inFolder[until === sort || isOrdered() ? sort : until];
    return hasExpired(drive, now) ? alive : all;
  };
  const paged =
    <Found>(read: (statements: PageStatements, page: Page, fields: ShownFields) => Found) =>
    (
      scope: ListScope,
      { after, limit, offset }: ListWindow,
      fields: ShownFields = null,
    ): Part<Found, FilePosition> => {
      const statements = pageFor(scope);
      const selection = selectionOf(scope, after);
      const [last, more] = statements.positions({ ...selection, limit: 2, offset: offset + limit - 1 });
      const found = read(statements, { ...selection, limit, offset }, fields);
      return { found, next: last && more ? positionOf(scope.sort, last) : null };
    };
  const recordsOf = sql.value<string, [{ drive: DrivePk; files: string; fields: number | null }]>(
    `SELECT group_concat(iif(:fields IS NULL, ${recordOf(DRIVE_ID)}, ${partOfRecord(DRIVE_ID)}), ',' ORDER BY json_each.key)
       FROM json_each(:files) CROSS JOIN file f ON f.id = json_each.value JOIN blob b ON b.pk = f.blob`,
  );
  const countOf = (selection: string) => {
    const count = sql.number<[Selection]>(`SELECT count(*) AS files FROM ${selection}`);
    return (scope: ListScope) => count(selectionOf(scope, null));
  };
  const expiredBelow = sql.all<{ folder: FolderPath; files: number; bytes: number }, [ChildRange]>(
    `SELECT substr(path, 1, length(:parent) + instr(substr(path, length(:parent) + 1), '/')) AS folder,
            count(*) AS files, sum(size) AS bytes
       FROM file INDEXED BY file_drive_expiry
      WHERE drive = :drive AND expires_at <= :now AND path >= :from AND path < :to
        AND instr(substr(path, length(:parent) + 1), '/') > 0
      GROUP BY 1`,
  );
  return {
    /** The files of one page, in the scope's order. Paths are ordered by their UTF-8 bytes. */
    page: paged(({ files }, page) => files(page)),
    /**
     * Their records as JSON, separated by commas. They are put together in the database: to make objects of all values
     * and JSON of these takes several times as long.
     */
    records: paged(({ records, someFields }, page, fields) => {
      const found = fields === null ? records(page) : someFields({ ...page, fields: recordMask(fields) });
      return found ?? "";
    }),
    /** The records of these files, in this order, as `records` gives them. */
    recordsOf: (drive: DrivePk, files: readonly FileId[], fields: ShownFields) =>
      recordsOf({ drive, files: JSON.stringify(files), fields: fields && recordMask(fields) }) ?? "",
    /** Up to `limit` files of a scope in path order, at a path or after it; of the scope's prefix from its start. */
    some: (scope: ListScope, from: string, limit: number) => {
      const selection = selectionOf(scope, null);
      return pageFor(scope).positions({ ...selection, ...rangeFrom(selection, from), limit, offset: 0 });
    },
    /** How many files have the scope's tags. The cost grows with the number of files that have the first tag. */
    countTagged: countOf(`${TAGGED} AND ${fileIsAlive(":now")}`),
    /** How many files are directly in the scope's folder, expired ones included. The cost grows with the number. */
    countInFolder: countOf(IN_FOLDER),
    /** How many files of the scope have expired and await the sweep; the folder counts still include them. */
    countExpired: countOf(
      `file f INDEXED BY file_drive_expiry
        WHERE f.drive = :drive AND f.expires_at <= :now AND f.path >= :from AND f.path < :to
          AND (:folder IS NULL OR f.folder = :folder)`,
    ),
    /** As `countExpired`, for each folder that has any. @param folders in path order, all directly in `parent` */
    expiredBelow: (drive: DrivePk, parent: FolderPath, folders: readonly FolderPath[], now: number) => {
      const { from } = rangeOf(folders.at(0) ?? parent);
      const { to } = rangeOf(folders.at(-1) ?? parent);
      const rows = expiredBelow({ drive, parent, now, from, to });
      return new Map(rows.map((row) => [row.folder, row]));
    },
  };
}

type Direction = "ASC" | "DESC";

/** What a page is ordered by: columns of an index on `table`, which is an alias in the selection. */
interface Order {
  readonly table: "f" | "t";
  readonly columns: readonly string[];
  readonly direction?: Direction;
}

/** The statement for a list, and the one for a drive with expired files. @param columns what they are ordered by */
function pagesOf(
  sql: Connection,
  selection: string,
  columns: readonly string[],
  direction: Direction = "ASC",
) {
  const order: Order = { table: "f", columns, direction };
  return {
    all: pageOf(sql, selection, order),
    alive: pageOf(sql, `${selection} AND ${fileIsAlive(":now")}`, order),
  };
}

type PageStatements = ReturnType<typeof pageOf>;

/**
 * The statements of pages. A page is found within an index; then its files are read in the same order, without sorting them.
 *
 * Without the `+`, SQLite plans the statement again at each run, for the limit of that run. That takes as long as
 * reading thirty files.
 */
function pageOf(sql: Connection, selection: string, { table, columns, direction = "ASC" }: Order) {
  const keys = columns.map((column) => `${table}.${column}`);
  const orderOf = (alias: string) => columns.map((column) => `${alias}.${column} ${direction}`).join(", ");
  const read = (values: string, joins: string) =>
    `SELECT ${values}
       FROM (SELECT f.pk, ${keys.join(", ")} FROM ${selection}
              ORDER BY ${orderOf(table)} LIMIT +:limit OFFSET :offset) page
      CROSS JOIN file f ON f.pk = page.pk ${joins}
      ORDER BY ${orderOf("page")}`;
  const joined = (record: string) =>
    `SELECT group_concat(record, ',') FROM (${read(`${record} AS record`, "JOIN blob b ON b.pk = f.blob")})`;
  return {
    files: sql.all<FactsRow, [Page], FileFacts>(read(FACT_COLUMNS, FILE_JOINS), factsFromRow),
    records: sql.value<string, [Page]>(joined(recordOf(DRIVE_ID))),
    someFields: sql.value<string, [Page & { fields: number }]>(joined(partOfRecord(DRIVE_ID))),
    positions: sql.all<PositionRow, [Page]>(read("f.id, f.path, f.size, f.updated_at AS updatedAt", "")),
  };
}

function selectionOf(scope: ListScope, after: FilePosition | null): Selection {
  const [tag = null, ...otherTags] = scope.tags;
  return {
    drive: scope.drive,
    folder: scope.folder,
    now: scope.now,
    ...rangeAfter(rangeOf(scope.prefix), after),
    ...startOf(scope.sort, after),
    name: nameAt(scope.sort, after),
    tag,
    otherTags: JSON.stringify(otherTags),
  };
}

function rangeAfter(range: PathRange, after: FilePosition | null): PathRange {
  if (after?.sort === "path") return rangeFrom(range, firstAfter(after.path));
  if (after?.sort === "-path") return { from: range.from, to: after.path };
  return range;
}

/** The size or time, and the id, of the last file; at the start a value before, or after, all files. */
function startOf(sort: FileSort, after: FilePosition | null): { value: number; id: string } {
  if (after !== null && "value" in after) return { value: after.value, id: after.id };
  return { value: sort.startsWith("-") ? Number.MAX_SAFE_INTEGER : -1, id: "" };
}

/** The key of the last name; at the start one before, or after, all names. */
function nameAt(sort: FileSort, after: FilePosition | null): string | Uint8Array {
  if (after !== null && "path" in after) return nameKey(after.path);
  return sort === "-name" ? AFTER_ALL_TEXT : "";
}
