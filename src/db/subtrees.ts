import type { Extent } from "../domain/folder-transfer.ts";
import type { DrivePk, FileId, FilePk, FolderPk } from "../domain/id.ts";
import type { FolderPath } from "../domain/path.ts";
import type { Database } from "./database.ts";
import type { FolderChange } from "./folders.ts";
import type { Parameters } from "./parameters.ts";
import { type PathRange, rangeOf } from "./path-range.ts";

/** A folder and all that is below it. */
export interface Subtree {
  readonly drive: DrivePk;
  readonly path: FolderPath;
}

/** A copy that is to be made of a folder or file below `from`, at its place below `to`. */
export interface CopyOf<Pk> {
  readonly source: Pk;
  /** The folder that it goes into. */
  readonly folder: FolderPk;
  readonly from: Subtree;
  readonly to: Subtree;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Range = Parameters<PathRange> & { readonly drive: DrivePk };

interface Relocation {
  readonly fromPath: FolderPath;
  readonly toPath: FolderPath;
  readonly toDrive: DrivePk;
}

interface Copy<Pk> extends Relocation {
  readonly source: Pk;
  readonly folder: FolderPk;
  readonly now: number;
}

const BELOW = "drive = :drive AND path >= :from AND path < :to";
const NEW_PATH = ":toPath || substr(path, length(:fromPath) + 1)";
const EXPIRED = `file INDEXED BY file_drive_expiry WHERE drive = :drive AND expires_at <= :now AND path >= :from AND path < :to`;

/** Folders with all that is below them, taken as wholes. The statements that change them run inside a write. */
export class Subtrees {
  readonly #countFolders;
  readonly #extent;
  readonly #expired;
  readonly #removeExpired;
  readonly #moveFolders;
  readonly #moveFiles;
  readonly #folders;
  readonly #files;
  readonly #copyFolder;
  readonly #copyFile;

  constructor({ sql }: Database) {
    this.#countFolders = sql.prepare<{ folders: number }, [Range & { limit: number }]>(
      `SELECT count(*) AS folders FROM (SELECT 1 FROM folder WHERE ${BELOW} AND path > :from LIMIT :limit) page`,
    );
    this.#extent = sql.prepare<Extent, [Range]>(
      `SELECT sum(tags) AS tags, sum(metadata) AS metadata, sum(path) AS paths, max(path) AS longestPath
         FROM (SELECT iif(tags = '[]', 0, json_array_length(tags)) AS tags, octet_length(metadata) AS metadata,
                      octet_length(path) AS path FROM file WHERE ${BELOW}
               UNION ALL
               SELECT 0, 0, octet_length(path) FROM folder WHERE ${BELOW}) page`,
    );
    this.#expired = sql.prepare<FolderChange, [Range & { now: number }]>(
      `SELECT folder, count(*) AS files, sum(size) AS bytes FROM ${EXPIRED} GROUP BY folder`,
    );
    this.#removeExpired = sql.prepare<never, [Range & { now: number }]>(`DELETE FROM ${EXPIRED}`);
    this.#moveFolders = sql.prepare<never, [Range & Parameters<Relocation>]>(
      `UPDATE folder SET drive = :toDrive, path = ${NEW_PATH} WHERE ${BELOW}`,
    );
    this.#moveFiles = sql.prepare<never, [Range & Parameters<Relocation>]>(
      `UPDATE file SET drive = :toDrive, path = ${NEW_PATH} WHERE ${BELOW}`,
    );
    this.#folders = sql.prepare<{ pk: FolderPk; parent: FolderPk | null }, [Range]>(
      `SELECT pk, parent FROM folder WHERE ${BELOW} ORDER BY path`,
    );
    this.#files = sql.prepare<{ pk: FilePk; folder: FolderPk }, [Range]>(
      `SELECT pk, folder FROM file WHERE ${BELOW} ORDER BY path`,
    );
    this.#copyFolder = sql.prepare<{ pk: FolderPk }, [Parameters<Copy<FolderPk>>]>(
      `INSERT INTO folder (drive, parent, path, file_count, total_size, own_file_count, created_at)
       SELECT :toDrive, :folder, ${NEW_PATH}, file_count, total_size, own_file_count, :now
         FROM folder WHERE pk = :source
       RETURNING pk`,
    );
    this.#copyFile = sql.prepare<never, [Parameters<Copy<FilePk>> & { readonly id: FileId }]>(
      `INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                         created_at, updated_at)
       SELECT :id, :toDrive, :folder, ${NEW_PATH}, filename, mime_type, mime_given, size, blob, tags, metadata,
              :now, :now
         FROM file WHERE pk = :source`,
    );
  }

  /** How many folders are below the topmost; `limit` where there are more. */
  countFolders(tree: Subtree, limit: number): number {
    return this.#countFolders.get({ ...rangeOfTree(tree), limit })?.folders ?? 0;
  }

  /** Sums it up; costs as much as is in it. */
  extent(tree: Subtree): Extent {
    const extent = this.#extent.get(rangeOfTree(tree));
    if (extent === null) throw new Error("what was summed up came back without a row");
    return extent;
  }

  /** How many files have expired in it and await the sweep, and their bytes, by the folder that each stands in. */
  expired(tree: Subtree, now: number): FolderChange[] {
    return this.#expired.all({ ...rangeOfTree(tree), now });
  }

  /** Removes the files that `expired` counts. */
  removeExpired(tree: Subtree, now: number): void {
    this.#removeExpired.run({ ...rangeOfTree(tree), now });
  }

  /** Gives everything in it the path and drive of another place; the topmost folder keeps its parent. */
  move(from: Subtree, to: Subtree): void {
    const relocation = { ...rangeOfTree(from), ...relocationOf(from, to) };
    this.#moveFolders.run(relocation);
    this.#moveFiles.run(relocation);
  }

  /** Its folders, in path order, so that each comes after the one it stands in. */
  folders(tree: Subtree): { pk: FolderPk; parent: FolderPk | null }[] {
    return this.#folders.all(rangeOfTree(tree));
  }

  /** Its files, in path order. */
  files(tree: Subtree): { pk: FilePk; folder: FolderPk }[] {
    return this.#files.all(rangeOfTree(tree));
  }

  /** Makes a folder with the counts of another. */
  copyFolder({ source, folder, from, to, now }: CopyOf<FolderPk>): FolderPk {
    const row = this.#copyFolder.get({ source, folder, now, ...relocationOf(from, to) });
    if (row === null) throw new Error("a copied folder came back without a row");
    return row.pk;
  }

  /** Makes a file with the content and attributes of another, but for its expiry. */
  copyFile(id: FileId, { source, folder, from, to, now }: CopyOf<FilePk>): void {
    this.#copyFile.run({ id, source, folder, now, ...relocationOf(from, to) });
  }
}

function rangeOfTree({ drive, path }: Subtree): Range {
  return { drive, ...rangeOf(path) };
}

function relocationOf(from: Subtree, to: Subtree): Relocation {
  return { fromPath: from.path, toPath: to.path, toDrive: to.drive };
}
