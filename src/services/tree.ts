import type { FileValues } from "../db/files.ts";
import type { Subtree } from "../db/subtrees.ts";
import type { Tables } from "../db/tables.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError } from "../domain/errors.ts";
import type { File } from "../domain/file.ts";
import type { Folder } from "../domain/folder.ts";
import { requireTransferable, tooMuchToTransfer } from "../domain/folder-transfer.ts";
import { type DrivePk, type FileId, type FolderPk, newId } from "../domain/id.ts";
import { FOLDER_COPY, FOLDER_MOVE, type TransferBounds } from "../domain/limits.ts";
import {
  asFilePath,
  asFolderPath,
  type FilePath,
  type FolderPath,
  parentFolder,
  ROOT,
} from "../domain/path.ts";
import { hasExpired } from "./access.ts";
import type { Quota } from "./quota.ts";

/** What a file is, beside where it stands. */
export type FileBody = Omit<FileValues, "drive" | "folder" | "path" | "updatedAt">;

/** A folder on its way: where it is, where it goes, and the folder that it will stand in. */
interface Transfer {
  readonly from: Subtree;
  readonly to: Subtree;
  readonly parent: FolderPk;
}

/**
 * A drive's tree of folders and files: the one place where a file comes, changes its content or its
 * place, and goes. It keeps the rules of a tree (nothing below a file, no file where a folder
 * stands), the counts of every ancestor, and the quota. Every method runs inside a write.
 */
export class Tree {
  readonly #tables: Tables;
  readonly #quota: Quota;
  readonly #changed: () => void;

  /** `changed` is told of every change that leaves the indexer something to do. */
  constructor(tables: Tables, quota: Quota, changed: () => void) {
    this.#tables = tables;
    this.#quota = quota;
    this.#changed = changed;
  }

  /** The file at a path, for a writer: one that has expired is taken away on the way. */
  occupant(drive: Drive, path: FilePath, now: number): File | null {
    return this.#present(this.#tables.files.byPath(drive.pk, path), now);
  }

  /** Puts a new file at a free path. Throws CONFLICT, QUOTA_EXCEEDED. */
  add(drive: Drive, path: FilePath, body: FileBody, now: number): File {
    const folder = this.#place(drive, path, now);
    if (this.occupant(drive, path, now) !== null) throw taken(path);
    const id = newId<FileId>(now);
    this.#tables.files.insert(id, now, { ...body, drive: drive.pk, folder, path, updatedAt: now });
    this.#count(drive.pk, folder, 1, body.size, now);
    this.#quota.requireRoom(drive, now);
    return this.#reread(id);
  }

  /** Gives a file, where it stands, other contents or attributes. Throws QUOTA_EXCEEDED. */
  change(drive: Drive, file: File, body: FileBody, now: number): File {
    const { drivePk, folderPk, path } = file;
    this.#tables.files.update(file.pk, { ...body, drive: drivePk, folder: folderPk, path, updatedAt: now });
    if (body.size !== file.size) this.#tables.folders.adjust(folderPk, 0, body.size - file.size, 0);
    if (body.size > file.size) this.#quota.requireRoom(drive, now);
    this.#tables.drives.touch(drivePk, now);
    return this.#reread(file.id);
  }

  /**
   * Moves a file to a free path, of this or another drive. Throws CONFLICT. The quota needs no look:
   * whoever moves sees one drive or the drives of one owner, so what is charged stays the same.
   */
  move(file: File, drive: Drive, path: FilePath, body: FileBody, now: number): File {
    const folder = this.#place(drive, path, now);
    if (this.occupant(drive, path, now) !== null) throw taken(path);
    this.#tables.files.update(file.pk, { ...body, drive: drive.pk, folder, path, updatedAt: now });
    this.#count(file.drivePk, file.folderPk, -1, -file.size, now);
    this.#count(drive.pk, folder, 1, body.size, now);
    return this.#reread(file.id);
  }

  remove(file: File, now: number): void {
    this.#tables.files.remove(file.pk);
    this.#count(file.drivePk, file.folderPk, -1, -file.size, now);
    this.#changed();
  }

  /** Removes many files at the cost of one for each folder above them. */
  removeAll(files: readonly File[], now: number): void {
    if (files.length === 0) return;
    for (const { pk } of files) this.#tables.files.remove(pk);
    this.#tables.folders.adjustAll(
      files.map(({ folderPk, size }) => ({ folder: folderPk, files: -1, bytes: -size })),
    );
    for (const drive of new Set(files.map(({ drivePk }) => drivePk))) this.#tables.drives.touch(drive, now);
    this.#changed();
  }

  /** The folder at a path, made with its ancestors where it is missing. Throws CONFLICT. */
  ensureFolder(drive: Drive, path: FolderPath, now: number): { folder: Folder; created: boolean } {
    const known = this.#tables.folders.byPath(drive.pk, path);
    if (known !== null) return { folder: known, created: false };
    this.#makeFolders(drive, path, now);
    this.#tables.drives.touch(drive.pk, now);
    return { folder: this.#folderAt({ drive: drive.pk, path }), created: true };
  }

  /** Removes a folder and everything below it; how many files went. */
  removeFolder(drive: Drive, folder: Folder, now: number): number {
    const { files, bytes } = this.#tables.files.removeBelow(drive.pk, folder.path);
    const parent = this.#folderAt({ drive: drive.pk, path: parentFolder(folder.path) });
    this.#tables.folders.removeTree(drive.pk, folder.path);
    this.#tables.folders.adjust(parent.pk, -files, -bytes, 0);
    this.#tables.drives.touch(drive.pk, now);
    this.#changed();
    return files;
  }

  /**
   * Moves a folder with all that is in it to a free path, of this or another drive. The files keep all
   * but their paths. The quota needs no look, as for `move`. Throws CONFLICT, VALIDATION_ERROR.
   */
  moveFolder(source: Drive, folder: Folder, drive: Drive, path: FolderPath, now: number): Folder {
    const { from, to, parent } = this.#prepareTransfer(source, folder, drive, path, FOLDER_MOVE, now);
    const { folders, subtrees } = this.#tables;
    const { pk, fileCount, totalSize } = this.#folderAt(from);
    const oldParent = this.#folderAt({ drive: source.pk, path: parentFolder(folder.path) });
    subtrees.move(from, to);
    folders.setParent(pk, parent);
    folders.adjust(oldParent.pk, -fileCount, -totalSize, 0);
    folders.adjust(parent, fileCount, totalSize, 0);
    this.#tables.drives.touch(source.pk, now);
    this.#tables.drives.touch(drive.pk, now);
    this.#changed();
    return this.#folderAt(to);
  }

  /**
   * Copies a folder with all that is in it to a free path, of this or another drive. The copies have no
   * expiry. Throws CONFLICT, QUOTA_EXCEEDED, VALIDATION_ERROR.
   */
  copyFolder(source: Drive, folder: Folder, drive: Drive, path: FolderPath, now: number): Folder {
    const { from, to, parent } = this.#prepareTransfer(source, folder, drive, path, FOLDER_COPY, now);
    const { folders, subtrees, drives } = this.#tables;
    const { fileCount, totalSize } = this.#folderAt(from);
    const copies = new Map<FolderPk | null, FolderPk>();
    for (const { pk, parent: above } of subtrees.folders(from)) {
      const into = copies.get(above) ?? parent;
      copies.set(pk, subtrees.copyFolder({ source: pk, folder: into, from, to, now }));
    }
    folders.adjust(parent, fileCount, totalSize, 0);
    this.#quota.requireRoom(drive, now);
    this.#quota.requireFewFiles(drive, now);
    for (const { pk, folder: above } of subtrees.files(from)) {
      const into = copies.get(above);
      if (into === undefined) throw new Error("a file stands in a folder that was not copied");
      subtrees.copyFile(newId<FileId>(now), { source: pk, folder: into, from, to, now });
    }
    drives.touch(drive.pk, now);
    this.#changed();
    return this.#folderAt(to);
  }

  /** Makes sure that a folder may go to a path, with what of it has not expired, and makes the folders above. */
  #prepareTransfer(
    source: Drive,
    folder: Folder,
    drive: Drive,
    path: FolderPath,
    most: TransferBounds,
    now: number,
  ): Transfer {
    const from = { drive: source.pk, path: folder.path };
    if (drive.pk === source.pk && path.startsWith(folder.path)) {
      throw new CofferError("CONFLICT", `"${path}" is the folder itself, or inside it.`);
    }
    if (this.#tables.folders.byPath(drive.pk, path) !== null) throw folderThere(path);
    if (this.occupant(drive, asFilePath(path), now) !== null) throw taken(asFilePath(path));
    // Those that expired count: they have to be taken away first.
    const folders = this.#tables.subtrees.countFolders(from, most.entries + 1);
    if (folder.fileCount + folders > most.entries) throw tooMuchToTransfer(most.entries, "files and folders");
    this.#removeExpiredBelow(from, now);
    const extent = this.#tables.subtrees.extent(from);
    requireTransferable(
      { ...extent, entries: this.#folderAt(from).fileCount + folders + 1 },
      from.path,
      path,
      most,
    );
    return { from, to: { drive: drive.pk, path }, parent: this.#makeFolders(drive, parentFolder(path), now) };
  }

  /** Takes away the files below a folder that await the sweep. */
  #removeExpiredBelow(tree: Subtree, now: number): void {
    const { folders, subtrees } = this.#tables;
    const expired = subtrees.expired(tree, now);
    folders.adjustAll(expired.map(({ folder, files, bytes }) => ({ folder, files: -files, bytes: -bytes })));
    subtrees.removeExpired(tree, now);
  }

  #folderAt({ drive, path }: Subtree): Folder {
    const folder = this.#tables.folders.byPath(drive, path);
    if (folder === null) throw new Error("a folder of the tree is missing");
    return folder;
  }

  /** Where a file at `path` would be filed: its folder, made where missing. Throws CONFLICT. */
  #place(drive: Drive, path: FilePath, now: number): FolderPk {
    const folder = asFolderPath(path);
    if (this.#tables.folders.byPath(drive.pk, folder) !== null) throw folderThere(folder);
    return this.#makeFolders(drive, parentFolder(path), now);
  }

  #makeFolders(drive: Drive, path: FolderPath, now: number): FolderPk {
    const missing: FolderPath[] = [];
    let nearest = this.#tables.folders.byPath(drive.pk, path);
    for (let at = path; nearest === null; nearest = this.#tables.folders.byPath(drive.pk, at)) {
      if (at === ROOT) throw new Error(`drive ${drive.id} has no root folder`);
      if (this.occupant(drive, asFilePath(at), now) !== null) {
        throw new CofferError("CONFLICT", `A file stands at "${asFilePath(at)}", where a folder is needed.`);
      }
      missing.push(at);
      at = parentFolder(at);
    }
    let parent = nearest.pk;
    for (const folder of missing.toReversed())
      parent = this.#tables.folders.insert(drive.pk, parent, folder, now);
    return parent;
  }

  #present(file: File | null, now: number): File | null {
    if (file === null || !hasExpired(file, now)) return file;
    this.remove(file, now);
    return null;
  }

  #count(drive: DrivePk, folder: FolderPk, files: number, bytes: number, now: number): void {
    this.#tables.folders.adjust(folder, files, bytes, files);
    this.#tables.drives.touch(drive, now);
  }

  #reread(id: FileId): File {
    const file = this.#tables.files.byId(id);
    if (file === null) throw new Error(`file ${id} is missing right after its write`);
    this.#changed();
    return file;
  }
}

function folderThere(path: FolderPath): CofferError {
  return new CofferError("CONFLICT", `A folder stands at "${path}".`);
}

function taken(path: FilePath): CofferError {
  return new CofferError("CONFLICT", `A file stands at "${path}".`);
}
