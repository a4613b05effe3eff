import type { DrivePk, FilePk, FolderPk } from "../../domain/id.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";
import { firstAfter, type PathRange, rangeOf } from "../files/path-range.ts";

/** A folder and everything below it. */
export interface Subtree {
  readonly drive: DrivePk;
  readonly path: FolderPath;
}

/** What must be known of a file in a subtree to move it. */
export interface SubtreeFile {
  readonly pk: FilePk;
  readonly drivePk: DrivePk;
  readonly folderPk: FolderPk;
  readonly path: FilePath;
  /** Bytes. */
  readonly size: number;
  /** How many. */
  readonly tags: number;
  /** Bytes. */
  readonly metadata: number;
  readonly hasExpired: boolean;
  /** Whether a snapshot has it as it is. */
  readonly isHeld: boolean;
}

export interface SubtreeFolder {
  readonly pk: FolderPk;
  readonly path: FolderPath;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** What `paths` returns for some paths of a subtree. */
export interface SeenPaths {
  /** The length of the longest, in bytes; 0 if there is none. */
  readonly longest: number;
  /** The last one; null if there is none. */
  readonly last: string | null;
  readonly count: number;
}

type Range = Parameters<PathRange> & { readonly drive: DrivePk };
type Some = Range & { readonly limit: number };
type FileRow = Omit<SubtreeFile, "hasExpired" | "isHeld"> & {
  readonly hasExpired: 0 | 1;
  readonly isHeld: 0 | 1;
};

const BELOW = "drive = :drive AND path >= :from AND path < :to";

/** Reads what is in a folder and below, in portions. */
export class Subtrees {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      countFolders: sql.prepare<{ folders: number }, [Some]>(
        `SELECT count(*) AS folders FROM (SELECT 1 FROM folder WHERE ${BELOW} AND path > :from LIMIT :limit) page`,
      ),
      paths: sql.prepare<SeenPaths, [Some & { now: number }]>(
        `SELECT ifnull(max(iif(expires_at <= :now, 0, octet_length(path))), 0) AS longest, max(path) AS last,
              count(*) AS count
         FROM (SELECT path, expires_at FROM file WHERE ${BELOW}
               UNION ALL SELECT path, NULL FROM folder WHERE ${BELOW} ORDER BY 1 LIMIT :limit) page`,
      ),
      files: sql.prepare<FileRow, [Some & { now: number }]>(
        `SELECT pk, drive AS drivePk, folder AS folderPk, path, size, iif(tags = '[]', 0, json_array_length(tags)) AS tags,
              octet_length(metadata) AS metadata, ifnull(expires_at <= :now, 0) AS hasExpired,
              EXISTS (SELECT 1 FROM snapshot s
                       WHERE s.drive = file.drive AND s.number > file.era AND s.deleted_at IS NULL) AS isHeld
         FROM file INDEXED BY file_path WHERE ${BELOW} ORDER BY path LIMIT :limit`,
      ),
      folders: sql.prepare<SubtreeFolder, [Some]>(
        `SELECT pk, path, created_at AS createdAt FROM folder INDEXED BY folder_path
        WHERE ${BELOW} ORDER BY path LIMIT :limit`,
      ),
      lastFolders: sql.prepare<SubtreeFolder, [Some]>(
        `SELECT pk, path, created_at AS createdAt FROM folder INDEXED BY folder_path WHERE ${BELOW} ORDER BY path DESC LIMIT :limit`,
      ),
    };
  }

  /** The number of folders below the topmost, at most `limit`. */
  countFolders(tree: Subtree, limit: number): number {
    return this.#sql.countFolders.get({ ...rangeAfter(tree, null), limit })?.folders ?? 0;
  }

  /** Measures the paths of up to `limit` files and folders after a path. Expired files do not count for `longest`. */
  paths(tree: Subtree, after: string | null, now: number, limit: number): SeenPaths {
    const seen = this.#sql.paths.get({ ...rangeAfter(tree, after), now, limit });
    if (seen === null) throw new Error("an aggregate query returned no row");
    return seen;
  }

  /** Up to `limit` files in path order, after a path. */
  files(tree: Subtree, after: string | null, now: number, limit: number): SubtreeFile[] {
    return this.#sql.files
      .all({ ...rangeAfter(tree, after), now, limit })
      .map((row) => ({ ...row, hasExpired: row.hasExpired === 1, isHeld: row.isHeld === 1 }));
  }

  /** Up to `limit` folders, including the topmost, in path order: parents before their children. */
  folders(tree: Subtree, after: string | null, limit: number): SubtreeFolder[] {
    return this.#sql.folders.all({ ...rangeAfter(tree, after), limit });
  }

  /** Up to `limit` folders from the end: children before their parents. */
  lastFolders(tree: Subtree, limit: number): SubtreeFolder[] {
    return this.#sql.lastFolders.all({ ...rangeAfter(tree, null), limit });
  }
}

function rangeAfter({ drive, path }: Subtree, after: string | null): Range {
  const { from, to } = rangeOf(path);
  return { drive, from: after === null ? from : firstAfter(after), to };
}
