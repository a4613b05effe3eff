import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { notFound } from "../domain/errors.ts";
import type { Folder } from "../domain/folder.ts";
import { type FolderPath, parseFolderPath } from "../domain/path.ts";
import type { Access } from "./access.ts";
import type { Tree } from "./tree.ts";

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

  /** Makes a folder and its missing ancestors; `created` is false for one that exists. Throws CONFLICT. */
  create(
    caller: Caller,
    driveId: string,
    path: string,
  ): Promise<{ drive: Drive; folder: Folder; created: boolean }> {
    const parsed = parseFolderPath("path", path);
    return this.#tables.write(() => {
      const drive = this.#access.drive(caller, driveId);
      return { drive, ...this.#tree.ensureFolder(drive, parsed, this.#clock.now()) };
    });
  }

  /** What deleting a folder would delete. Throws NOT_FOUND. */
  preview(caller: Caller, driveId: string, path: string): { path: FolderPath; fileCount: number } {
    const parsed = parseFolderPath("path", path);
    const drive = this.#access.drive(caller, driveId);
    const folder = this.#folder(drive, parsed);
    return { path: parsed, fileCount: this.#aliveIn(drive, folder) };
  }

  /** Deletes a folder with all below it; how many files went. Throws NOT_FOUND. */
  remove(caller: Caller, driveId: string, path: string): Promise<number> {
    const parsed = parseFolderPath("path", path);
    return this.#tables.write(() => {
      const drive = this.#access.drive(caller, driveId);
      const folder = this.#folder(drive, parsed);
      const alive = this.#aliveIn(drive, folder);
      this.#tree.removeFolder(drive, folder, this.#clock.now());
      return alive;
    });
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
