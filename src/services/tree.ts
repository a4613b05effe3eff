import type { FileValues } from "../db/files.ts";
import type { Tables } from "../db/tables.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError, pathTaken } from "../domain/errors.ts";
import { type File, hasExpired } from "../domain/file.ts";
import type { Folder } from "../domain/folder.ts";
import { type DrivePk, type FileId, type FolderPk, newId } from "../domain/id.ts";
import { Piece } from "../domain/piece.ts";
import {
  asFilePath,
  asFolderPath,
  type FilePath,
  type FolderPath,
  parentFolder,
  ROOT,
} from "../domain/path.ts";
import type { FolderLocks } from "./folder-locks.ts";
import type { Quota } from "./quota.ts";

/** What a file is, beside where it stands. */
export type FileBody = Omit<FileValues, "drive" | "folder" | "path" | "updatedAt">;

/**
 * A drive's tree of folders and files: the one place where a single file comes, changes its content or its
 * place, or goes; folders are moved, copied and removed as wholes by `FolderPieces`. It keeps the rules of a
 * tree (nothing below a file, no file where a folder stands), the counts of every ancestor, and the quota.
 * Every method runs inside a write, which waits while what it is about is part of a folder under way (`Busy`).
 */
export class Tree {
  readonly #tables: Tables;
  readonly #quota: Quota;
  readonly #locks: FolderLocks;
  readonly #changed: () => void;

  /** `changed` is told of every change that leaves the indexer something to do. */
  constructor(parts: { tables: Tables; quota: Quota; locks: FolderLocks; changed: () => void }) {
    this.#tables = parts.tables;
    this.#quota = parts.quota;
    this.#locks = parts.locks;
    this.#changed = parts.changed;
  }

  /** The file at a path, for a writer: one that has expired is taken away on the way. */
  occupant(drive: Drive, path: FilePath, now: number): File | null {
    this.#locks.requireFree(drive.pk, path);
    return this.#present(this.#tables.files.byPath(drive.pk, path), now);
  }

  /** Puts a new file at a free path. Throws CONFLICT, QUOTA_EXCEEDED. */
  add(drive: Drive, path: FilePath, body: FileBody, now: number): File {
    const folder = this.#place(drive, path, now);
    if (this.occupant(drive, path, now) !== null) throw pathTaken("file", path);
    const id = newId<FileId>(now);
    this.#tables.files.insert(id, now, { ...body, drive: drive.pk, folder, path, updatedAt: now });
    this.#count(drive.pk, folder, 1, body.size, now);
    this.#quota.requireRoom(drive, now);
    return this.#reread(id);
  }

  /** Gives a file, where it stands, other contents or attributes. Throws QUOTA_EXCEEDED. */
  change(drive: Drive, file: File, body: FileBody, now: number): File {
    const { drivePk, folderPk, path } = file;
    this.#locks.requireFree(drivePk, path);
    this.#tables.files.update(file.pk, { ...body, drive: drivePk, folder: folderPk, path, updatedAt: now });
    if (body.size !== file.size) this.#tables.folders.adjust(folderPk, 0, body.size - file.size, 0);
    if (body.size > file.size) this.#quota.requireRoom(drive, now);
    else if (body.blob !== file.blobPk) this.#quota.requireDiskRoom(drive, now);
    this.#tables.drives.touch(drivePk, now);
    return this.#reread(file.id);
  }

  /**
   * Moves a file to a free path, of this or another drive. Throws CONFLICT. The quota needs no look:
   * whoever moves sees one drive or the drives of one owner, so what is charged stays the same.
   */
  move(file: File, drive: Drive, path: FilePath, body: FileBody, now: number): File {
    this.#locks.requireFree(file.drivePk, file.path);
    const folder = this.#place(drive, path, now);
    if (this.occupant(drive, path, now) !== null) throw pathTaken("file", path);
    this.#tables.files.update(file.pk, { ...body, drive: drive.pk, folder, path, updatedAt: now });
    this.#count(file.drivePk, file.folderPk, -1, -file.size, now);
    this.#count(drive.pk, folder, 1, body.size, now);
    return this.#reread(file.id);
  }

  remove(file: File, now: number): void {
    this.#locks.requireFree(file.drivePk, file.path);
    this.#tables.files.remove(file.pk);
    this.#count(file.drivePk, file.folderPk, -1, -file.size, now);
    this.#changed();
  }

  /** Removes many files, of any drives, and counts each folder above them anew once. */
  removeAll(files: readonly File[], now: number): void {
    for (const { drivePk, path } of files) this.#locks.requireFree(drivePk, path);
    this.#removeAll(files, now);
  }

  /** Removes as many of some expired files as fit into one piece; how many. It waits for nothing. */
  sweep(expired: readonly File[], now: number): number {
    // Those that stand in the same folders count them together.
    const files = expired.toSorted((a, b) => a.drivePk - b.drivePk || (a.path < b.path ? -1 : 1));
    const piece = new Piece();
    const taken = files.filter(({ drivePk, path, tags }) => {
      if (piece.isFull) return false;
      piece.takeFile({ drive: drivePk, path, tags: tags.length, metadata: 0 });
      return true;
    });
    this.#removeAll(taken, now);
    return taken.length;
  }

  /** The folder at a path, made with its ancestors where it is missing. Throws CONFLICT. */
  ensureFolder(drive: Drive, path: FolderPath, now: number): { folder: Folder; created: boolean } {
    this.#locks.requireFree(drive.pk, path);
    const known = this.#tables.folders.byPath(drive.pk, path);
    if (known !== null) return { folder: known, created: false };
    this.#makeFolders(drive, path, now);
    this.#tables.drives.touch(drive.pk, now);
    return { folder: this.#tables.folders.existing(drive.pk, path), created: true };
  }

  /** Where a file at `path` would be filed: its folder, made where missing. Throws CONFLICT. */
  #place(drive: Drive, path: FilePath, now: number): FolderPk {
    const folder = asFolderPath(path);
    if (this.#tables.folders.byPath(drive.pk, folder) !== null) throw pathTaken("folder", folder);
    return this.#makeFolders(drive, parentFolder(path), now);
  }

  #makeFolders(drive: Drive, path: FolderPath, now: number): FolderPk {
    const missing: FolderPath[] = [];
    let nearest = this.#tables.folders.byPath(drive.pk, path);
    for (let at = path; nearest === null; nearest = this.#tables.folders.byPath(drive.pk, at)) {
      if (at === ROOT) throw new Error(`drive ${drive.id} has no root folder`);
      if (this.occupant(drive, asFilePath(at), now) !== null) {
        throw new CofferError("CONFLICT", `"${asFilePath(at)}" is a file; a folder is needed there.`);
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

  #removeAll(files: readonly File[], now: number): void {
    if (files.length === 0) return;
    for (const { pk } of files) this.#tables.files.remove(pk);
    this.#tables.folders.adjustAll(
      files.map(({ folderPk, size }) => ({ folder: folderPk, files: -1, bytes: -size })),
    );
    for (const drive of new Set(files.map(({ drivePk }) => drivePk))) this.#tables.drives.touch(drive, now);
    this.#changed();
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
