import type { File } from "../../domain/files/file.ts";
import type { Folder } from "../../domain/folders/folder.ts";
import type { DrivePk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import { firstAfter, type PathRange, rangeOf } from "../files/path-range.ts";

/** A folder and everything below it. */
interface Subtree {
  readonly drive: DrivePk;
  readonly path: FolderPath;
}

/** What must be known of a file in a subtree to move it. */
export interface SubtreeFile extends Pick<File, "pk" | "drivePk" | "folderPk" | "path" | "size"> {
  /** How many. */
  readonly tags: number;
  /** Bytes. */
  readonly metadata: number;
  readonly hasExpired: boolean;
  /** Whether a snapshot has it as it is. */
  readonly isHeld: boolean;
}

type SubtreeFolder = Pick<Folder, "pk" | "path" | "createdAt">;

/** What `paths` returns for some paths of a subtree. */
export interface SeenPaths {
  /** The length of the longest, in bytes; 0 if there is none. */
  readonly longest: number;
  /** The last one; null if there is none. */
  readonly last: string | null;
  readonly count: number;
}

type Range = PathRange & { readonly drive: DrivePk };
type Some = Range & { readonly limit: number };
type FileRow = Omit<SubtreeFile, "hasExpired" | "isHeld"> & {
  readonly hasExpired: 0 | 1;
  readonly isHeld: 0 | 1;
};
const BELOW = "drive = :drive AND path >= :from AND path < :to";

/** Reads what is in a folder and below, in portions. */
export function subtrees({ sql }: Database) {
  const countFolders = sql.number<[Some]>(
    `SELECT count(*) FROM (SELECT 1 FROM folder WHERE ${BELOW} AND path > :from LIMIT :limit) page`,
  );
  const paths = sql.one<SeenPaths, [Some & { now: number }]>(
    `SELECT ifnull(max(iif(expires_at <= :now, 0, octet_length(path))), 0) AS longest, max(path) AS last,
            count(*) AS count
       FROM (SELECT path, expires_at FROM file WHERE ${BELOW}
             UNION ALL SELECT path, NULL FROM folder WHERE ${BELOW} ORDER BY 1 LIMIT :limit) page`,
  );
  const files = sql.all<FileRow, [Some & { now: number }], SubtreeFile>(
    `SELECT pk, drive AS drivePk, folder AS folderPk, path, size, iif(tags = '[]', 0, json_array_length(tags)) AS tags,
            octet_length(metadata) AS metadata, ifnull(expires_at <= :now, 0) AS hasExpired,
            EXISTS (SELECT 1 FROM snapshot s
                     WHERE s.drive = file.drive AND s.number > file.era AND s.deleted_at IS NULL) AS isHeld
       FROM file INDEXED BY file_path WHERE ${BELOW} ORDER BY path LIMIT :limit`,
    (row) => ({ ...row, hasExpired: row.hasExpired === 1, isHeld: row.isHeld === 1 }),
  );
  const inOrder = (order: "ASC" | "DESC") =>
    sql.all<SubtreeFolder, [Some]>(
      `SELECT pk, path, created_at AS createdAt FROM folder INDEXED BY folder_path
        WHERE ${BELOW} ORDER BY path ${order} LIMIT :limit`,
    );
  const [firstFolders, lastFolders] = [inOrder("ASC"), inOrder("DESC")];
  return {
    /** The number of folders below the topmost, at most `limit`. */
    countFolders: (tree: Subtree, limit: number) => countFolders({ ...rangeAfter(tree, null), limit }),
    /** Measures the paths of up to `limit` files and folders after a path. Expired files do not count for `longest`. */
    paths: (tree: Subtree, after: string | null, now: number, limit: number) =>
      paths({ ...rangeAfter(tree, after), now, limit }),
    /** Up to `limit` files in path order, after a path. */
    files: (tree: Subtree, after: string | null, now: number, limit: number) =>
      files({ ...rangeAfter(tree, after), now, limit }),
    /** Up to `limit` folders, including the topmost, in path order: parents before their children. */
    folders: (tree: Subtree, after: string | null, limit: number) =>
      firstFolders({ ...rangeAfter(tree, after), limit }),
    /** Up to `limit` folders from the end: children before their parents. */
    lastFolders: (tree: Subtree, limit: number) => lastFolders({ ...rangeAfter(tree, null), limit }),
  };
}

function rangeAfter({ drive, path }: Subtree, after: string | null): Range {
  const { from, to } = rangeOf(path);
  return { drive, from: after === null ? from : firstAfter(after), to };
}
