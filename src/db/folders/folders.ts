import type { Folder, FolderSort } from "../../domain/folders/folder.ts";
import { nameKey } from "../../domain/files/name-key.ts";
import type { DrivePk, FolderPk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { Flagged } from "../expressions.ts";
import type { Database } from "../engine/database.ts";
import { hasNameKeys } from "../upkeep/name-keys.ts";
import { firstAfter, type PathRange, rangeFrom, rangeOf } from "../files/files.ts";
import type { File } from "../../domain/files/file.ts";
import type { PieceFile } from "../../domain/folders/piece.ts";

const COLUMNS = `pk, path, file_count AS fileCount, total_size AS totalSize, own_file_count AS ownFileCount,
  own_folder_count AS ownFolderCount, created_at AS createdAt`;

type ChildRange = PathRange & {
  readonly parent: FolderPk;
};

/** A page of the folders in a folder, in an order: after a path, or after a number of them. */
type FolderWindow = {
  readonly sort: FolderSort;
  readonly limit: number;
  readonly offset: number;
  /** Only paths after this one; null for the start. */
  readonly after: string | null;
};

/** How many files are added directly to a folder (or, negative, removed), and their bytes. */
export interface FolderChange {
  readonly folder: FolderPk;
  readonly files: number;
  readonly bytes: number;
}

/** Single folders, and their counts of what is below them. */
export function folders({ sql }: Database) {
  const byPath = `SELECT ${COLUMNS} FROM folder WHERE drive = ? AND path = ?`;
  /** Returns the folder's parent. */
  const adjust = sql.writeOne<FolderPk | null, [pk: FolderPk, files: number, bytes: number, own: number]>(
    `UPDATE folder SET file_count = file_count + ?2, total_size = total_size + ?3,
            own_file_count = own_file_count + ?4 WHERE pk = ?1 RETURNING parent`,
  );
  const adjustUpwards = ({ folder, files, bytes }: FolderChange) => {
    let above = adjust(folder, files, bytes, files);
    while (above !== null) above = adjust(above, files, bytes, 0);
  };
  const upwards = sql.values<FolderPk, [folders: string]>(
    `WITH RECURSIVE up (pk) AS (
       SELECT value FROM json_each(?) UNION SELECT f.parent FROM up JOIN folder f USING (pk) WHERE f.parent IS NOT NULL
     )
     SELECT f.pk FROM up JOIN folder f USING (pk) ORDER BY length(f.path) DESC`,
  );
  // For the `+` see `pageOf` in file-lists.ts.
  const pageOf = (index: string, column: string) =>
    sql.all<Folder, [parent: FolderPk, after: string, limit: number, offset: number]>(
      `SELECT ${COLUMNS} FROM folder INDEXED BY ${index}
        WHERE parent = ? AND ${column} > ? ORDER BY ${column} LIMIT +? OFFSET ?`,
    );
  const isOrdered = hasNameKeys(sql);
  const pages = { path: pageOf("folder_parent", "path"), name: pageOf("folder_parent_name", "name_key") };
  const children = sql.values<FolderPath, [ChildRange & Omit<FolderWindow, "sort" | "after">]>(
    `SELECT path FROM folder INDEXED BY folder_parent
      WHERE parent = :parent AND path >= :from AND path < :to
      ORDER BY path LIMIT +:limit OFFSET :offset`,
  );
  const countChildren = sql.one<{ folders: number; files: number }, [ChildRange]>(
    `SELECT count(*) AS folders, ifnull(sum(file_count), 0) AS files FROM folder
      WHERE parent = :parent AND path >= :from AND path < :to`,
  );
  const insert = sql.writeOne<
    FolderPk,
    [drive: DrivePk, parent: FolderPk | null, path: FolderPath, createdAt: number, nameKey: string]
  >("INSERT INTO folder (drive, parent, path, created_at, name_key) VALUES (?, ?, ?, ?, ?) RETURNING pk");
  const some = sql.all<
    Pick<Folder, "path">,
    [PathRange & { readonly drive: DrivePk; readonly limit: number }]
  >(
    `SELECT path FROM folder INDEXED BY folder_path
      WHERE drive = :drive AND path >= :from AND path < :to ORDER BY path LIMIT +:limit`,
  );
  return {
    byPath: sql.get<Folder, [drive: DrivePk, path: FolderPath]>(byPath),
    existing: sql.one<Folder, [drive: DrivePk, path: FolderPath]>(byPath),
    /** A page of the folders directly in `parent`. Paths are ordered by their UTF-8 bytes, names as people read them. */
    page: (parent: FolderPk, { sort, after, limit, offset }: FolderWindow) => {
      const order = sort === "name" && isOrdered() ? "name" : "path";
      const start = after === null ? "" : { path: after, name: nameKey(after) }[order];
      return pages[order](parent, start, limit, offset);
    },
    /** A page of the folders directly below `parent` whose paths start with `prefix`, in path order. */
    children: (parent: FolderPk, prefix: string, { after, limit, offset }: Omit<FolderWindow, "sort">) => {
      const whole = rangeOf(prefix);
      // One lower bound, because SQLite would use only one of two.
      const range = after === null ? whole : rangeFrom(whole, firstAfter(after));
      return children({ parent, ...range, limit, offset });
    },
    /** Up to `limit` folders of a drive anywhere, in path order, whose paths start with `prefix`; at a path or after it. */
    some: ({ drive, prefix }: { drive: DrivePk; prefix: string }, from: string, limit: number) =>
      some({ drive, ...rangeFrom(rangeOf(prefix), from), limit }),
    /** How many folders all pages of `children` have, and files anywhere below. The cost grows with the number. */
    countChildren: (parent: FolderPk, prefix: string) => countChildren({ parent, ...rangeOf(prefix) }),
    insert: (drive: DrivePk, parent: FolderPk | null, path: FolderPath, createdAt: number) =>
      insert(drive, parent, path, createdAt, nameKey(path)),
    setCreatedAt: sql.write<[pk: FolderPk, createdAt: number]>(
      // It names the path, so that the triggers hold the folder for the snapshots that have it.
      "UPDATE folder SET created_at = ?2, path = path WHERE pk = ?1",
    ),
    /** Each folder is updated once, innermost first: changes, one by one, would each update hundreds of ancestors. */
    adjust: (changes: readonly FolderChange[]) => {
      const [only, ...others] = changes;
      if (only !== undefined && others.length === 0) return adjustUpwards(only);
      const own = new Map<FolderPk, number>();
      const below = new Map<FolderPk | null, { files: number; bytes: number }>();
      const add = (folder: FolderPk | null, files: number, bytes: number) => {
        const sum = below.get(folder) ?? { files: 0, bytes: 0 };
        below.set(folder, { files: sum.files + files, bytes: sum.bytes + bytes });
      };
      for (const { folder, files, bytes } of changes) {
        own.set(folder, (own.get(folder) ?? 0) + files);
        add(folder, files, bytes);
      }
      for (const pk of upwards(JSON.stringify([...own.keys()]))) {
        const { files, bytes } = below.get(pk) ?? { files: 0, bytes: 0 };
        add(adjust(pk, files, bytes, own.get(pk) ?? 0), files, bytes);
      }
    },
    remove: sql.write<[pk: FolderPk]>("DELETE FROM folder WHERE pk = ?"),
    /** In reverse path order: a folder is removed after those below it. */
    removeSomeOf: sql.removeSome<[drive: DrivePk]>("folder", "drive = ? ORDER BY path DESC"),
  };
}

interface Subtree {
  readonly drive: DrivePk;
  readonly path: FolderPath;
}

/** What decides how much it is to move a file. */
export interface MovedFile extends Pick<File, "size">, Pick<PieceFile, "tags" | "metadata"> {
  readonly hasExpired: boolean;
}

export interface SubtreeFile extends MovedFile, Pick<File, "pk" | "drivePk" | "folderPk" | "path"> {
  /** Whether a snapshot has it as it is. */
  readonly isHeld: boolean;
}

/** What `paths` returns for some paths of a subtree. */
export interface SeenPaths {
  /** The length of the longest, in bytes; 0 if there is none. */
  readonly longest: number;
  readonly last: string | null;
  readonly count: number;
}

type Range = PathRange & { readonly drive: DrivePk };
type Some = Range & { readonly limit: number };
const BELOW = "drive = :drive AND path >= :from AND path < :to";

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
  const files = sql.all<Flagged<SubtreeFile, "hasExpired" | "isHeld">, [Some & { now: number }], SubtreeFile>(
    `SELECT pk, drive AS drivePk, folder AS folderPk, path, size, iif(tags = '[]', 0, json_array_length(tags)) AS tags,
            octet_length(metadata) AS metadata, ifnull(expires_at <= :now, 0) AS hasExpired,
            EXISTS (SELECT 1 FROM snapshot s
                     WHERE s.drive = file.drive AND s.number > file.era AND s.deleted_at IS NULL) AS isHeld
       FROM file INDEXED BY file_path WHERE ${BELOW} ORDER BY path LIMIT :limit`,
    (row) => ({ ...row, hasExpired: row.hasExpired === 1, isHeld: row.isHeld === 1 }),
  );
  const inOrder = (order: "ASC" | "DESC") =>
    sql.all<Pick<Folder, "pk" | "path" | "createdAt">, [Some]>(
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
