import type { BlobPk, DrivePk, FileId, TrashedFilePk, TrashPk } from "../../domain/id.ts";
import type { File } from "../../domain/files/file.ts";
import type { Database } from "../engine/database.ts";
import { firstAfter } from "../files/path-range.ts";
import type { SeenPaths } from "../folders/subtrees.ts";

/** What must be known of a file in the trash to put it back. */
export interface TrashedFile {
  readonly pk: TrashedFilePk;
  readonly id: FileId;
  /** Relative to its entry; empty for the file of a file's entry. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** How many. */
  readonly tags: number;
  /** Bytes. */
  readonly metadata: number;
  readonly hasExpired: boolean;
}

type TrashedFolder = {
  /** Relative to its entry; empty for the entry's own. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
};

/** The file of a file's entry. */
export type SingleTrashedFile = Pick<TrashedFile, "pk" | "id" | "size"> &
  Pick<File, "filename" | "mimeType" | "mimeGiven">;

/** The files and folders in the entries of the trash. */
export function trashContents({ sql }: Database) {
  const folders = sql.all<TrashedFolder, [entry: TrashPk, from: string, limit: number]>(
    `SELECT path, created_at AS createdAt FROM trash_folder
      WHERE entry = ? AND path >= ? ORDER BY path LIMIT ?`,
  );
  const paths = sql.one<SeenPaths, [entry: TrashPk, from: string, now: number, limit: number]>(
    `SELECT ifnull(max(iif(expires_at <= ?3, 0, octet_length(path))), 0) AS longest, max(path) AS last,
            count(*) AS count
       FROM (SELECT path, expires_at FROM trash_file WHERE entry = ?1 AND path >= ?2
             UNION ALL SELECT path, NULL FROM trash_folder WHERE entry = ?1 AND path >= ?2
             ORDER BY 1 LIMIT ?4) page`,
  );
  const addFolder = sql.write<[TrashedFolder & { entry: TrashPk }]>(
    `INSERT INTO trash_folder (entry, path, created_at) VALUES (:entry, :path, :createdAt)
     ON CONFLICT (entry, path) DO NOTHING`,
  );
  return {
    /** Up to `limit` files of an entry, in path order. */
    files: sql.all<
      Omit<TrashedFile, "hasExpired"> & { hasExpired: 0 | 1 },
      [entry: TrashPk, now: number, limit: number],
      TrashedFile
    >(
      `SELECT pk, file_id AS id, path, size, iif(tags = '[]', 0, json_array_length(tags)) AS tags,
              octet_length(metadata) AS metadata, ifnull(expires_at <= ?2, 0) AS hasExpired
         FROM trash_file INDEXED BY trash_file_path WHERE entry = ?1 ORDER BY path LIMIT ?3`,
      (row) => ({ ...row, hasExpired: row.hasExpired === 1 }),
    ),
    /** Up to `limit` folders of an entry after a path, in path order: parents before their children. */
    folders: (entry: TrashPk, after: string | null, limit: number) => folders(entry, start(after), limit),
    /** Measures the paths of up to `limit` files and folders after a path. Expired files do not count for `longest`. */
    paths: (entry: TrashPk, after: string | null, now: number, limit: number) =>
      paths(entry, start(after), now, limit),
    /** The file of a file's entry; null if it has expired and is gone. */
    fileOf: sql.get<
      Omit<SingleTrashedFile, "mimeGiven"> & { mimeGiven: 0 | 1 },
      [entry: TrashPk],
      SingleTrashedFile
    >(
      `SELECT pk, file_id AS id, size, filename, mime_type AS mimeType, mime_given AS mimeGiven
         FROM trash_file WHERE entry = ? AND path = ''`,
      (row) => ({ ...row, mimeGiven: row.mimeGiven === 1 }),
    ),
    /** Where in the trash the file with this id is; null if it is not there. */
    placeOf: sql.get<{ pk: TrashedFilePk; entry: TrashPk; drive: DrivePk; blob: BlobPk }, [id: FileId]>(
      "SELECT pk, entry, drive, blob FROM trash_file WHERE file_id = ?",
    ),
    remove: sql.write<[pk: TrashedFilePk]>("DELETE FROM trash_file WHERE pk = ?"),
    /** Some files that have expired, earliest expiry first. */
    expired: sql.all<{ pk: TrashedFilePk; entry: TrashPk }, [now: number, limit: number]>(
      "SELECT pk, entry FROM trash_file WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
    ),
    /** Adds a folder, unless the entry has it already. Inside a write. */
    addFolder: (entry: TrashPk, folder: TrashedFolder) => addFolder({ ...folder, entry }),
    /** Removes up to `limit` folders of an entry. */
    removeFolders: sql.write<[entry: TrashPk, limit: number]>(
      `DELETE FROM trash_folder WHERE entry = ?1
          AND path IN (SELECT path FROM trash_folder WHERE entry = ?1 ORDER BY path LIMIT ?2)`,
    ),
  };
}

/** The first path after a path, or of all. */
function start(after: string | null): string {
  return after === null ? "" : firstAfter(after);
}
