import type { BlobPk, DrivePk, FileId, TrashedFilePk, TrashPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import type { Naming } from "../files/files.ts";
import type { Parameters } from "../engine/parameters.ts";
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

export interface TrashedFolder {
  /** Relative to its entry; empty for the entry's own. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The file of a file's entry. */
export interface SingleTrashedFile extends Pick<TrashedFile, "pk" | "id" | "size">, Naming {
  /** Whether the uploader gave the type; else it follows the filename. */
  readonly mimeGiven: boolean;
}

export interface TrashedPlace {
  readonly pk: TrashedFilePk;
  readonly entry: TrashPk;
  readonly drive: DrivePk;
  readonly blob: BlobPk;
}

type Some = { readonly entry: TrashPk; readonly limit: number };
type FileRow = Omit<TrashedFile, "hasExpired"> & { readonly hasExpired: 0 | 1 };

/** The files and folders in the entries of the trash. */
export class TrashContents {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      files: sql.prepare<FileRow, [Some & { now: number }]>(
        `SELECT pk, file_id AS id, path, size, iif(tags = '[]', 0, json_array_length(tags)) AS tags,
              octet_length(metadata) AS metadata, ifnull(expires_at <= :now, 0) AS hasExpired
         FROM trash_file INDEXED BY trash_file_path WHERE entry = :entry ORDER BY path LIMIT :limit`,
      ),
      folders: sql.prepare<TrashedFolder, [Some & { after: string }]>(
        `SELECT path, created_at AS createdAt FROM trash_folder
        WHERE entry = :entry AND path >= :after ORDER BY path LIMIT :limit`,
      ),
      paths: sql.prepare<SeenPaths, [Some & { after: string; now: number }]>(
        `SELECT ifnull(max(iif(expires_at <= :now, 0, octet_length(path))), 0) AS longest, max(path) AS last,
              count(*) AS count
         FROM (SELECT path, expires_at FROM trash_file WHERE entry = :entry AND path >= :after
               UNION ALL SELECT path, NULL FROM trash_folder WHERE entry = :entry AND path >= :after
               ORDER BY 1 LIMIT :limit) page`,
      ),
      fileOf: sql.prepare<Omit<SingleTrashedFile, "mimeGiven"> & { mimeGiven: 0 | 1 }, [TrashPk]>(
        `SELECT pk, file_id AS id, size, filename, mime_type AS mimeType, mime_given AS mimeGiven
         FROM trash_file WHERE entry = ? AND path = ''`,
      ),
      byId: sql.prepare<TrashedPlace, [FileId]>(
        "SELECT pk, entry, drive, blob FROM trash_file WHERE file_id = ?",
      ),
      remove: sql.prepare<never, [TrashedFilePk]>("DELETE FROM trash_file WHERE pk = ?"),
      expired: sql.prepare<{ pk: TrashedFilePk; entry: TrashPk }, [number, number]>(
        "SELECT pk, entry FROM trash_file WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
      ),
      addFolder: sql.prepare<never, [Parameters<TrashedFolder> & { entry: TrashPk }]>(
        `INSERT INTO trash_folder (entry, path, created_at) VALUES (:entry, :path, :createdAt)
       ON CONFLICT (entry, path) DO NOTHING`,
      ),
      removeFolders: sql.prepare<never, [Some]>(
        `DELETE FROM trash_folder WHERE entry = :entry
          AND path IN (SELECT path FROM trash_folder WHERE entry = :entry ORDER BY path LIMIT :limit)`,
      ),
    };
  }

  /** Up to `limit` files of an entry, in path order. */
  files(entry: TrashPk, now: number, limit: number): TrashedFile[] {
    return this.#sql.files
      .all({ entry, now, limit })
      .map((row) => ({ ...row, hasExpired: row.hasExpired === 1 }));
  }

  /** Up to `limit` folders of an entry after a path, in path order: parents before their children. */
  folders(entry: TrashPk, after: string | null, limit: number): TrashedFolder[] {
    return this.#sql.folders.all({ entry, after: start(after), limit });
  }

  /** Measures the paths of up to `limit` files and folders after a path. Expired files do not count for `longest`. */
  paths(entry: TrashPk, after: string | null, now: number, limit: number): SeenPaths {
    const seen = this.#sql.paths.get({ entry, after: start(after), now, limit });
    if (seen === null) throw new Error("an aggregate query returned no row");
    return seen;
  }

  /** The file of a file's entry; null if it has expired and is gone. */
  fileOf(entry: TrashPk): SingleTrashedFile | null {
    const row = this.#sql.fileOf.get(entry);
    return row === null ? null : { ...row, mimeGiven: row.mimeGiven === 1 };
  }

  /** Where in the trash the file with this id is; null if it is not there. */
  placeOf(id: FileId): TrashedPlace | null {
    return this.#sql.byId.get(id);
  }

  /** Inside a write. */
  remove(pk: TrashedFilePk): void {
    this.#sql.remove.run(pk);
  }

  /** Some files that have expired, earliest expiry first. */
  expired(now: number, limit: number): { pk: TrashedFilePk; entry: TrashPk }[] {
    return this.#sql.expired.all(now, limit);
  }

  /** Adds a folder, unless the entry has it already. Inside a write. */
  addFolder(entry: TrashPk, folder: TrashedFolder): void {
    this.#sql.addFolder.run({ ...folder, entry });
  }

  /** Removes up to `limit` folders of an entry. Returns how many. Inside a write. */
  removeFolders(entry: TrashPk, limit: number): number {
    return this.#sql.removeFolders.run({ entry, limit }).changes;
  }
}

/** The first path after a path, or of all. */
function start(after: string | null): string {
  return after === null ? "" : firstAfter(after);
}
