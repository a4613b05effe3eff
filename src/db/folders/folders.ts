import type { Folder } from "../../domain/folders/folder.ts";
import type { DrivePk, FolderPk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import { firstAfter, type PathRange, rangeFrom, rangeOf } from "../files/path-range.ts";

const COLUMNS = `pk, path, file_count AS fileCount, total_size AS totalSize, own_file_count AS ownFileCount,
  own_folder_count AS ownFolderCount, created_at AS createdAt`;

type ChildRange = PathRange & {
  readonly parent: FolderPk;
};

/** A page of the folders in a folder: after a path, or after a number of them. */
type FolderWindow = {
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
  const adjust = sql.write<[pk: FolderPk, files: number, bytes: number, own: number]>(
    `UPDATE folder SET file_count = file_count + ?2, total_size = total_size + ?3,
            own_file_count = own_file_count + ?4 WHERE pk = ?1`,
  );
  const upwards = sql.all<{ pk: FolderPk; parent: FolderPk | null }, [folders: string]>(
    `WITH RECURSIVE up (pk) AS (
       SELECT value FROM json_each(?) UNION SELECT f.parent FROM up JOIN folder f USING (pk) WHERE f.parent IS NOT NULL
     )
     SELECT f.pk, f.parent FROM up JOIN folder f USING (pk) ORDER BY length(f.path) DESC`,
  );
  // For the `+` see `pageOf` in file-lists.ts.
  const page = sql.all<Folder, [parent: FolderPk, after: string, limit: number, offset: number]>(
    `SELECT ${COLUMNS} FROM folder INDEXED BY folder_parent
      WHERE parent = ? AND path > ? ORDER BY path LIMIT +? OFFSET ?`,
  );
  const children = sql.values<FolderPath, [ChildRange & Omit<FolderWindow, "after">]>(
    `SELECT path FROM folder INDEXED BY folder_parent
      WHERE parent = :parent AND path >= :from AND path < :to
      ORDER BY path LIMIT +:limit OFFSET :offset`,
  );
  const countChildren = sql.one<{ folders: number; files: number }, [ChildRange]>(
    `SELECT count(*) AS folders, ifnull(sum(file_count), 0) AS files FROM folder
      WHERE parent = :parent AND path >= :from AND path < :to`,
  );
  return {
    byPath: sql.get<Folder, [drive: DrivePk, path: FolderPath]>(byPath),
    /** The folder at a path; throws if there is none. */
    existing: sql.one<Folder, [drive: DrivePk, path: FolderPath]>(byPath),
    /** A page of the folders directly in `parent`, in path order (UTF-8 bytes). */
    page: (parent: FolderPk, { after, limit, offset }: FolderWindow) =>
      page(parent, after ?? "", limit, offset),
    /** A page of the folders directly below `parent` whose paths start with `prefix`, in path order. */
    children: (parent: FolderPk, prefix: string, { after, limit, offset }: FolderWindow) => {
      const whole = rangeOf(prefix);
      // One lower bound, because SQLite would use only one of two.
      const range = after === null ? whole : rangeFrom(whole, firstAfter(after));
      return children({ parent, ...range, limit, offset });
    },
    /** How many folders all pages of `children` have, and files anywhere below these. The cost grows with the number. */
    countChildren: (parent: FolderPk, prefix: string) => countChildren({ parent, ...rangeOf(prefix) }),
    insert: sql.writeOne<
      FolderPk,
      [drive: DrivePk, parent: FolderPk | null, path: FolderPath, createdAt: number]
    >("INSERT INTO folder (drive, parent, path, created_at) VALUES (?, ?, ?, ?) RETURNING pk"),
    setCreatedAt: sql.write<[pk: FolderPk, createdAt: number]>(
      // It names the path, so that the triggers hold the folder for the snapshots that have it.
      "UPDATE folder SET created_at = ?2, path = path WHERE pk = ?1",
    ),
    /**
     * Adds to the counts of folders and all their ancestors. Each folder is updated once, innermost first: thousands of
     * changes, one by one, would each update hundreds of ancestors. Inside a write.
     */
    adjust: (changes: Iterable<FolderChange>) => {
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
      for (const { pk, parent } of upwards(JSON.stringify([...own.keys()]))) {
        const { files, bytes } = below.get(pk) ?? { files: 0, bytes: 0 };
        adjust(pk, files, bytes, own.get(pk) ?? 0);
        add(parent, files, bytes);
      }
    },
    /** Removes an empty folder. */
    remove: sql.write<[pk: FolderPk]>("DELETE FROM folder WHERE pk = ?"),
    removeSomeOf: sql.write<[drive: DrivePk, limit: number]>(
      // In reverse path order: a folder is removed after those below it.
      "DELETE FROM folder WHERE pk IN (SELECT pk FROM folder WHERE drive = ? ORDER BY path DESC LIMIT ?)",
    ),
  };
}
