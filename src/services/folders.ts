import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { notFound } from "../domain/errors.ts";
import type { Folder } from "../domain/folder.ts";
import { type FolderPath, parseFolderPath } from "../domain/path.ts";
import type { Access } from "./access.ts";
import type { Tree } from "./tree.ts";

/** A folder that is there now; `created` is false where it was before. */
export interface CreatedFolder {
  readonly drive: Drive;
  readonly folder: Folder;
  readonly created: boolean;
}

/** What deleting a folder would delete. */
export interface FolderPreview {
  readonly path: FolderPath;
  readonly fileCount: number;
}

/** Folders: made, previewed and deleted with everything in them. */
export class Folders {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #tree: Tree;
  readonly #clock: Clock;

  constructor(parts: { tables: Tables; access: Access; tree: Tree; clock: Clock }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#tree = parts.tree;
    this.#clock = parts.clock;
  }

  /** Makes a folder and its missing ancestors. Throws CONFLICT. */
  create(
    caller: Caller,
    driveId: string,
    path: string,
    within?: Within<CreatedFolder>,
  ): Promise<CreatedFolder> {
    const parsed = parseFolderPath("path", path);
    return this.#tables.write(() => {
      const drive = this.#access.drive(caller, driveId);
      return { drive, ...this.#tree.ensureFolder(drive, parsed, this.#clock.now()) };
    }, within);
  }

  /** Counts what `remove` would delete. It changes nothing, but has an answer to keep. Throws NOT_FOUND. */
  preview(
    caller: Caller,
    driveId: string,
    path: string,
    within?: Within<FolderPreview>,
  ): Promise<FolderPreview> {
    const parsed = parseFolderPath("path", path);
    return this.#tables.write(() => {
      const drive = this.#access.drive(caller, driveId);
      const folder = this.#folder(drive, parsed);
      return { path: parsed, fileCount: this.#aliveIn(drive, folder) };
    }, within);
  }

  /** Deletes a folder with all below it; how many files went. Throws NOT_FOUND. */
  remove(caller: Caller, driveId: string, path: string, within?: Within<number>): Promise<number> {
    const parsed = parseFolderPath("path", path);
    return this.#tables.write(() => {
      const drive = this.#access.drive(caller, driveId);
      const folder = this.#folder(drive, parsed);
      const alive = this.#aliveIn(drive, folder);
      this.#tree.removeFolder(drive, folder, this.#clock.now());
      return alive;
    }, within);
  }

  #folder(drive: Drive, path: FolderPath): Folder {
    const folder = this.#tables.folders.byPath(drive.pk, path);
    if (folder === null) throw notFound("folder");
    return folder;
  }

  /** The files below a folder that are there for readers: its count less those that await the sweep. */
  #aliveIn(drive: Drive, folder: Folder): number {
    const scope = { drive: drive.pk, folder: null, prefix: folder.path, tags: [], now: this.#clock.now() };
    return folder.fileCount - this.#tables.fileLists.countExpired(scope);
  }
}
