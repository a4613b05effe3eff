import type { File, FileFacts } from "../../domain/files/file.ts";
import type { FolderFacts } from "../../domain/folders/folder.ts";
import type { DrivePk, FileId, FolderPk } from "../../domain/id.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import type { SnapshotNumber } from "../../domain/snapshots/snapshot.ts";
import { fileIsAlive } from "../alive.ts";
import type { Database } from "../engine/database.ts";
import { type FactsRow, factsFromRow } from "../files/file-rows.ts";
import type { PathRange } from "../files/path-range.ts";
import { ALL_FILES, ALL_FOLDERS, snapshotWalk, type Step } from "./snapshot-walk.ts";

/** A snapshot of a drive that is looked into, and the time. */
export type SnapshotScope = {
  readonly drive: DrivePk;
  readonly at: SnapshotNumber;
  /** Files that have expired by this time are left out, as in the drive. */
  readonly now: number;
};

/** The version is the number of its content then. */
type SnapshotFile = FileFacts & Pick<File, "blobPk" | "mimeGiven" | "version">;

/** A folder whose files or folders are listed. */
export interface SnapshotPlace {
  readonly path: FolderPath;
  /** The folder that is at the path now; null if there is none. */
  readonly folder: FolderPk | null;
}

/** A file that has expired since a snapshot. */
export type ExpiredFile = Pick<FileFacts, "path" | "size">;

type Row = FactsRow & Pick<File, "blobPk" | "version"> & { readonly mimeGiven: 0 | 1 };

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
  const inDrive = snapshotWalk<Row>(sql, {
    ...FILE_WALK,
    ...ALL_FILES,
  });
  const inFolder = snapshotWalk<Row>(sql, {
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
  const fileAt = sql.get<Row, [SnapshotScope & { path: FilePath }], SnapshotFile>(
    oneFile("f.path = :path", "INDEXED BY held_file_path WHERE f.path = :path"),
    fileOf,
  );
  const fileById = sql.get<Row, [SnapshotScope & { id: FileId }], SnapshotFile>(
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
    /** Folders directly in a folder. */
    foldersIn: (scope: SnapshotScope, place: SnapshotPlace, range: PathRange, limit: number) =>
      children.step({ ...scope, ...keysOf(place) }, range, limit),
    /** Counts folders as `foldersIn` lists them. */
    countFoldersIn: (scope: SnapshotScope, place: SnapshotPlace, range: PathRange) =>
      children.count({ ...scope, ...keysOf(place) }, range),
    /** The folder that was at a path. Its counts include files that have expired since. */
    folderAt: (scope: SnapshotScope, path: FolderPath) => folderAt({ ...scope, path }),
    fileAt: (scope: SnapshotScope, path: FilePath) => fileAt({ ...scope, path }),
    fileById: (scope: SnapshotScope, id: FileId) => fileById({ ...scope, id }),
    /** Files that have expired since, anywhere in a range of paths. */
    expired: (scope: SnapshotScope, range: PathRange, limit: number) => expired.step(scope, range, limit),
  };
}

function keysOf({ path, folder }: SnapshotPlace) {
  // No folder has this key.
  return { parent: path, folder: folder ?? -1 };
}

function filesOf({ rows, rest }: Step<Row>): Step<SnapshotFile> {
  return { rows: rows.map(fileOf), rest };
}

function fileOf(row: Row): SnapshotFile {
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
