import type { Connection } from "../engine/connection.ts";
import { factsFromRow, type FactsRow, firstAfter, type PathRange } from "../files/files.ts";
import type { File, FileFacts } from "../../domain/files/file.ts";
import type { FolderFacts } from "../../domain/folders/folder.ts";
import type { DrivePk, FileId, FolderPk } from "../../domain/id.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import type { SnapshotNumber } from "../../domain/snapshots/snapshot.ts";
import { fileIsAlive, type Flagged } from "../expressions.ts";
import type { Database } from "../engine/database.ts";

/** How many rows of each table one step looks at: about a millisecond of work. */
const STEP = 500;

/** The rows of one step, and the range that is left; null at the end. */
export interface Step<Found> {
  readonly rows: Found[];
  readonly rest: PathRange | null;
}

/** A snapshot's rows that did not change, and held ones: each by an alias `f`, in an index that ends with the path. */
interface WalkQuery {
  /** From `FROM` on, with conditions. */
  readonly live: string;
  readonly held: string;
  /** What is read of each, `path` among it; in the same order. */
  readonly liveColumns: string;
  readonly heldColumns: string;
  /** The condition for what is listed; all if left out. Other rows are looked at all the same. */
  readonly wanted?: string;
  /** What is shown of a row, which is called `page`, and what is joined for it; what is read if left out. */
  readonly shown?: string;
  readonly joins?: string;
}

type Bindings = { readonly [name: string]: string | number | Uint8Array | null };

/** What is in a drive, or was in a snapshot of it. */
export const ALL_FILES = {
  live: "file f INDEXED BY file_path WHERE f.drive = :drive",
  held: "held_file f INDEXED BY held_file_path WHERE f.drive = :drive",
} as const;
export const ALL_FOLDERS = {
  live: "folder f INDEXED BY folder_path WHERE f.drive = :drive",
  held: "held_folder f INDEXED BY held_folder_path WHERE f.drive = :drive",
} as const;

/** The part of a range that one step looks at, and the range that is left; null at the end. */
interface RangePart extends PathRange {
  readonly rest: PathRange | null;
}

/** The part of a range in which no table has too many rows for one step. @param tables as in `WalkQuery` */
export function stepParts(sql: Connection, tables: readonly string[]) {
  const ends = tables.map((table) =>
    sql.value<string, [Bindings]>(
      `SELECT f.path FROM ${table} AND f.path >= :from AND f.path < :to ORDER BY f.path LIMIT 1 OFFSET ${STEP}`,
    ),
  );
  return (bindings: Bindings, range: PathRange): RangePart => {
    const { from, to } = range;
    const [end] = ends.flatMap((each) => each({ ...bindings, ...range }) ?? []).toSorted(byBytes);
    if (end === undefined) return { from, to, rest: null };
    const stop = end === from ? firstAfter(end) : end;
    return { from, to: stop, rest: { from: stop, to } };
  };
}

/** In UTF-8 byte order, which is that of the indexes. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** In path order. A step looks at so many rows, as any number may have changed since: others go first in between. */
export function snapshotWalk<Found extends { readonly path: string }>(
  sql: Connection,
  { live, held, liveColumns, heldColumns, wanted = "1", shown = "page.*", joins = "" }: WalkQuery,
) {
  const partOf = stepParts(sql, [live, held]);
  const both = (ofLive: string, ofHeld: string) => `
    SELECT ${ofLive} FROM ${live} AND f.path >= :from AND f.path < :to AND f.era < :at AND ${wanted}
    UNION ALL
    SELECT ${ofHeld} FROM ${held} AND f.path >= :from AND f.path < :to AND f.until >= :at AND f.era < :at
       AND ${wanted}`;
  const page = sql.all<Found, [Bindings]>(
    `SELECT ${shown} FROM (${both(liveColumns, heldColumns)} ORDER BY 1 LIMIT +:limit) page ${joins} ORDER BY page.path`,
  );
  const number = sql.number<[Bindings]>(
    `SELECT ifnull(sum(n), 0) AS n FROM (${both("count(*) AS n", "count(*)")}) page`,
  );
  return {
    /** Reads up to `limit` rows from the start of a range. There may be more even if it finds none. */
    step: (bindings: Bindings, range: PathRange, limit: number): Step<Found> => {
      const part = partOf(bindings, range);
      const { from, to } = part;
      return stepOf(page({ ...bindings, from, to, limit }), limit, part);
    },
    count: (bindings: Bindings, range: PathRange) => {
      const { from, to, rest } = partOf(bindings, range);
      return { count: number({ ...bindings, from, to }), rest };
    },
  };
}

/** The step that found these rows in its part: all that there are, unless they are `limit`. */
export function stepOf<Found extends { readonly path: string }>(
  rows: Found[],
  limit: number,
  { to, rest }: RangePart,
): Step<Found> {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { rows, rest: last === undefined ? rest : { from: firstAfter(last.path), to: rest?.to ?? to } };
}

/** A snapshot of a drive that is looked into, and the time. */
export type SnapshotScope = {
  readonly drive: DrivePk;
  readonly at: SnapshotNumber;
  /** Files that have expired by this time are left out, as in the drive. */
  readonly now: number;
};

/** The version is the number of its content then. */
type SnapshotFile = FileFacts & Pick<File, "blobPk" | "mimeGiven" | "version">;

export interface SnapshotPlace {
  readonly path: FolderPath;
  /** The folder that is at the path now; null if there is none. */
  readonly folder: FolderPk | null;
}

export type ExpiredFile = Pick<FileFacts, "path" | "size">;

type FileRow = FactsRow & Flagged<Pick<File, "blobPk" | "version" | "mimeGiven">, "mimeGiven">;

const REST = `f.filename, f.mime_type, f.mime_given, f.size, f.blob, f.tags, f.metadata, f.expires_at, f.created_at,
  f.updated_at, f.version`;
const LIVE_FILE = `f.path AS path, f.id AS id, ${REST}`;
const HELD_FILE = `f.path, f.file_id, ${REST}`;
const SHOWN_FILE = `page.path, page.id, d.id AS driveId, page.filename, page.mime_type AS mimeType,
  page.mime_given AS mimeGiven, page.size, b.digest, b.preview, page.blob AS blobPk, page.tags, page.metadata,
  page.expires_at AS expiresAt, page.created_at AS createdAt, page.updated_at AS updatedAt, page.version`;
const FILE_JOINS = "JOIN blob b ON b.pk = page.blob JOIN drive d ON d.pk = :drive";
const FOLDER = `f.path AS path, f.file_count AS fileCount, f.total_size AS totalSize, f.own_file_count AS ownFileCount,
  f.own_folder_count AS ownFolderCount, f.created_at AS createdAt`;
const FOLDER_WALK = { liveColumns: FOLDER, heldColumns: FOLDER };
/** A file that has not expired, and has all of some tags. */
const WANTED = `${fileIsAlive(":now")} AND (:tags = '[]' OR NOT EXISTS (
  SELECT 1 FROM json_each(:tags) o WHERE NOT EXISTS (SELECT 1 FROM json_each(f.tags) t WHERE t.value = o.value)))`;
const FILE_WALK = {
  liveColumns: LIVE_FILE,
  heldColumns: HELD_FILE,
  wanted: WANTED,
  shown: SHOWN_FILE,
  joins: FILE_JOINS,
};

/** Reads what a drive held when a snapshot was taken, step by step: see `snapshotWalk`. */
export function snapshotLists({ sql }: Database) {
  const inDrive = snapshotWalk<FileRow>(sql, {
    ...FILE_WALK,
    ...ALL_FILES,
  });
  const inFolder = snapshotWalk<FileRow>(sql, {
    ...FILE_WALK,
    live: "file f INDEXED BY file_folder WHERE f.folder = :folder",
    held: "held_file f INDEXED BY held_file_parent WHERE f.drive = :drive AND f.parent = :parent",
  });
  const folders = snapshotWalk<FolderFacts>(sql, {
    ...FOLDER_WALK,
    ...ALL_FOLDERS,
  });
  const children = snapshotWalk<FolderFacts>(sql, {
    ...FOLDER_WALK,
    live: "folder f INDEXED BY folder_parent WHERE f.parent = :folder",
    held: "held_folder f INDEXED BY held_folder_parent WHERE f.drive = :drive AND f.parent = :parent",
  });
  const expired = snapshotWalk<ExpiredFile>(sql, {
    liveColumns: "f.path AS path, f.size AS size",
    heldColumns: "f.path, f.size",
    wanted: "f.expires_at <= :now",
    live: "file f INDEXED BY file_expiring WHERE f.drive = :drive AND f.expires_at IS NOT NULL",
    held: "held_file f INDEXED BY held_file_expiring WHERE f.drive = :drive AND f.expires_at IS NOT NULL",
  });
  const folderAt = sql.get<FolderFacts, [SnapshotScope & { path: FolderPath }]>(
    `SELECT ${FOLDER} FROM folder f WHERE f.drive = :drive AND f.path = :path AND f.era < :at
     UNION ALL SELECT ${FOLDER} FROM held_folder f INDEXED BY held_folder_path
      WHERE f.drive = :drive AND f.path = :path AND f.until >= :at AND f.era < :at LIMIT 1`,
  );
  const fileAt = sql.get<FileRow, [SnapshotScope & { path: FilePath }], SnapshotFile>(
    oneFile("f.path = :path", "INDEXED BY held_file_path WHERE f.path = :path"),
    fileOf,
  );
  const fileById = sql.get<FileRow, [SnapshotScope & { id: FileId }], SnapshotFile>(
    oneFile("f.id = :id", "INDEXED BY held_file_id WHERE f.file_id = :id"),
    fileOf,
  );
  return {
    /** Files anywhere in a drive, from the start of a range of paths. */
    files: (scope: SnapshotScope, range: PathRange, limit: number, tags = "[]") =>
      filesOf(inDrive.step({ ...scope, tags }, range, limit)),
    /** Files directly in a folder. @param tags those that they all have, as JSON */
    filesIn: (scope: SnapshotScope, place: SnapshotPlace, range: PathRange, limit: number, tags: string) =>
      filesOf(inFolder.step({ ...scope, ...keysOf(place), tags }, range, limit)),
    /** Counts files as `files` lists them, or as `filesIn` does. */
    countFiles: (scope: SnapshotScope, place: SnapshotPlace | null, range: PathRange, tags: string) =>
      place === null
        ? inDrive.count({ ...scope, tags }, range)
        : inFolder.count({ ...scope, ...keysOf(place), tags }, range),
    /** Folders anywhere in a drive: parents before their children. */
    folders: (scope: SnapshotScope, range: PathRange, limit: number) => folders.step(scope, range, limit),
    foldersIn: (scope: SnapshotScope, place: SnapshotPlace, range: PathRange, limit: number) =>
      children.step({ ...scope, ...keysOf(place) }, range, limit),
    /** Counts folders as `foldersIn` lists them. */
    countFoldersIn: (scope: SnapshotScope, place: SnapshotPlace, range: PathRange) =>
      children.count({ ...scope, ...keysOf(place) }, range),
    /** The folder that was at a path. Its counts include files that have expired since. */
    folderAt: (scope: SnapshotScope, path: FolderPath) => folderAt({ ...scope, path }),
    fileAt: (scope: SnapshotScope, path: FilePath) => fileAt({ ...scope, path }),
    fileById: (scope: SnapshotScope, id: FileId) => fileById({ ...scope, id }),
    expired: (scope: SnapshotScope, range: PathRange, limit: number) => expired.step(scope, range, limit),
  };
}

function keysOf({ path, folder }: SnapshotPlace) {
  // No folder has this key.
  return { parent: path, folder: folder ?? -1 };
}

function filesOf({ rows, rest }: Step<FileRow>): Step<SnapshotFile> {
  return { rows: rows.map(fileOf), rest };
}

function fileOf(row: FileRow): SnapshotFile {
  const { blobPk, version } = row;
  return { ...factsFromRow(row), blobPk, version, mimeGiven: row.mimeGiven === 1 };
}

/** Selects one file that stands in a drive now, or is held. */
function oneFile(live: string, held: string): string {
  return `SELECT ${SHOWN_FILE} FROM (
     SELECT ${LIVE_FILE} FROM file f WHERE f.drive = :drive AND ${live} AND f.era < :at
     UNION ALL SELECT ${HELD_FILE} FROM held_file f ${held}
        AND f.drive = :drive AND f.until >= :at AND f.era < :at LIMIT 1) page ${FILE_JOINS}
    WHERE page.expires_at IS NULL OR page.expires_at > :now`;
}
