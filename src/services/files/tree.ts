import {
  type FileBody,
  type FilePlace,
  type NewBody,
  type StoredBody,
  storedBody,
} from "../../db/files/files.ts";
import type { FolderChange } from "../../db/folders/folders.ts";
import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, pathTaken, present } from "../../domain/errors.ts";
import { type File, hasExpired } from "../../domain/files/file.ts";
import type { Folder } from "../../domain/folders/folder.ts";
import type { DrivePk, FileId, FilePk, FolderPk, TrashId } from "../../domain/id.ts";
import { newId } from "../../domain/id.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import { asFilePath, asFolderPath, parentFolder, ROOT } from "../../domain/files/path.ts";
import type { Retention } from "../../domain/history/history.ts";
import type { Changes } from "../changes/changes.ts";
import {
  fileCreated,
  fileDeleted,
  fileMoved,
  fileRestored,
  fileUpdated,
  folderCreated,
  folderRemoved,
} from "../changes/entries.ts";
import type { FolderLocks } from "../folders/folder-locks.ts";
import { KeptFiles } from "../history/kept-files.ts";
import type { FolderEntry, Past, PlacedFile, Restored, RestoredFile, Transfer } from "./folder-counts.ts";
import { arrival, departure } from "./folder-counts.ts";
import type { Quota } from "../quota.ts";
import { Service } from "../service.ts";

/**
 * A drive's tree of folders and files: the only place that creates, changes, moves and removes them. Every new file
 * passes `#make`, every change `change`, every move `moveAll` and every removal `discard`. It keeps the rules of a tree
 * (nothing below a file, no file and folder at the same path), the counts of every ancestor, and the quota.
 *
 * A file goes by `trash` when somebody deletes it, `expire` when its time is over, `removeAll` as part of a folder's
 * change, and `discard` with its drive.
 *
 * Every method runs inside a write. Methods for single files and folders throw `Busy` while these are part of a
 * folder's change. `expire`, `discard` and those for many files and folders check no locks and no paths: for callers
 * that have locked the folder, and for files that readers no longer see.
 */
export class Tree extends Service<{
  tables: Tables;
  quota: Quota;
  locks: FolderLocks;
  retention: Retention;
  changes: Changes;
  /** Is called after every change that the indexer must process. */
  changed: () => void;
}> {
  readonly #kept = new KeptFiles(this.parts);

  /** The file at a path. Removes it first if it has expired. */
  occupant(drive: Drive, path: FilePath, { now }: Stamp): File | null {
    this.parts.locks.requireFree(drive.pk, path);
    const file = this.parts.tables.files.byPath(drive.pk, path);
    if (file === null || !hasExpired(file, now)) return file;
    this.expire([file], { now });
    return null;
  }

  /** Puts a new file where `occupant` has just found none. Throws CONFLICT, QUOTA_EXCEEDED. */
  add(drive: Drive, path: FilePath, { digest, preview, ...body }: NewBody, stamp: Stamp): File {
    const { now } = stamp;
    const to = this.#place(drive, path, stamp);
    const made = this.#make(to, storedBody(body), now);
    this.#count([drive.pk], [{ folder: to.folder, files: 1, bytes: body.size }], now);
    this.requireRoom(drive, stamp);
    this.parts.changed();
    const { blob: blobPk, ...attributes } = body;
    const content = { digest, preview, blobPk, version: 1, createdAt: now, updatedAt: now };
    const file = { ...attributes, ...content, ...made, ...placeOf(drive, to) };
    this.parts.changes.add(fileCreated(file, stamp));
    return file;
  }

  /** Changes the content or attributes of a file, not its path. Keeps the content it had. Throws QUOTA_EXCEEDED. */
  change(drive: Drive, file: File, body: FileBody, stamp: Stamp): File {
    this.parts.locks.requireFree(file.drivePk, file.path);
    if (body.blob !== file.blobPk) this.#kept.keepContent(file, stamp);
    const changed = this.#update(drive, file, body, stamp.now);
    this.parts.changes.add(fileUpdated(file, changed, stamp));
    return changed;
  }

  #update(drive: Drive, file: File, body: FileBody, now: number): File {
    this.parts.quota.withinRecordRoom(drive, () =>
      this.parts.tables.files.update(file.pk, storedBody(body), now),
    );
    const bytes = body.size - file.size;
    this.#count([file.drivePk], bytes === 0 ? [] : [{ folder: file.folderPk, files: 0, bytes }], now);
    if (bytes > 0) this.parts.quota.requireRoom(drive, now);
    else if (body.blob !== file.blobPk) this.parts.quota.requireDiskRoom(drive, now);
    return this.#reread(file.id);
  }

  /** Moves a file to a free path, of any drive, and changes its attributes. Throws CONFLICT, QUOTA_EXCEEDED. */
  move(file: File, drive: Drive, path: FilePath, body: FileBody, stamp: Stamp): File {
    this.parts.locks.requireFree(file.drivePk, file.path);
    const to = this.parts.quota.withinRecordRoom(drive, () => this.#freePlace(drive, path, stamp));
    this.moveAll([{ file, to }], stamp);
    this.parts.quota.requireRoomForGift(file.ownerPk, drive, stamp.now);
    const moved = this.#update(drive, this.#reread(file.id), body, stamp.now);
    for (const entry of fileMoved(file, moved, stamp)) this.parts.changes.add(entry);
    return moved;
  }

  /** Puts files, of any drives, into the trash. Returns the entry of each; null if none is kept. */
  trash(files: readonly File[], stamp: Stamp): (TrashId | null)[] {
    for (const { drivePk, path } of files) this.parts.locks.requireFree(drivePk, path);
    const entries = files.map((file) => this.#kept.keepDeleted(file, stamp));
    this.removeAll(files, stamp);
    for (const [index, file] of files.entries()) {
      this.parts.changes.add(fileDeleted(file, entries[index] ?? null, stamp));
    }
    return entries;
  }

  /** Moves files, which are in a folder or below, into the folder's entry of the trash. */
  trashAll(files: readonly PlacedFile[], { entry, path }: FolderEntry, stamp: Stamp): void {
    for (const { pk } of files) this.parts.tables.trash.takeFile(entry, pk, path);
    this.removeAll(files, stamp);
  }

  /** Puts a file back that was the entry of the trash, at a free path. Throws CONFLICT, QUOTA_EXCEEDED. */
  restore(drive: Drive, file: RestoredFile, path: FilePath, entry: TrashId, stamp: Stamp): File {
    this.restoreAll(drive, [{ file, to: this.#freePlace(drive, path, stamp) }], stamp);
    this.requireRoom(drive, stamp);
    const restored = this.#reread(file.id);
    this.parts.changes.add(fileRestored(restored, entry, stamp));
    return restored;
  }

  /** Puts files of the trash back at free places of one drive, with their ids and versions. The quota is not checked. */
  restoreAll(drive: Drive, files: readonly Restored[], { now }: Stamp): void {
    for (const { file, to } of files) {
      this.parts.tables.files.restore(file.pk, to, file.naming);
      this.parts.tables.trashContents.remove(file.pk);
    }
    this.#count([drive.pk], files.map(arrival), now);
    this.parts.changed();
  }

  /** Throws QUOTA_EXCEEDED if a drive, or its owner's account, is over its limits. */
  requireRoom(drive: Drive, { now }: Stamp): void {
    this.parts.quota.requireRoom(drive, now);
    this.parts.quota.requireRecordRoom(drive);
  }

  /** Puts files at free places, as they were in a snapshot. The quota is not checked. */
  putBack(files: readonly Past[], { now }: Stamp): void {
    for (const { file, to } of files) this.parts.tables.files.insertPast(file.id, to, file);
    const drives = files.map(({ to }) => to.drive);
    this.#count(drives, files.map(arrival), now);
    this.parts.changed();
  }

  /** Removes files, of any drives, that have expired. They are not kept. */
  expire(files: readonly File[], { now }: Pick<Stamp, "now">): void {
    const stamp = { now, by: null };
    this.removeAll(files, stamp);
    for (const file of files) this.parts.changes.add(fileDeleted(file, null, stamp));
  }

  /** Copies files to free places of one drive, without their expiry. Throws QUOTA_EXCEEDED. */
  copyAll(drive: Drive, copies: readonly Transfer[], stamp: Stamp): void {
    const { now } = stamp;
    for (const { file, to } of copies) {
      this.#make(to, { ...this.parts.tables.files.body(file.pk), expiresAt: null }, now);
    }
    this.#count([drive.pk], copies.map(arrival), now);
    this.requireRoom(drive, stamp);
    this.parts.changed();
  }

  /** Moves files to free places, and changes nothing else. */
  moveAll(moves: readonly Transfer[], { now }: Stamp): void {
    for (const { file, to } of moves) this.parts.tables.files.place(file.pk, to);
    const drives = moves.flatMap(({ file, to }) => [file.drivePk, to.drive]);
    const changes = moves.flatMap((move) => [departure(move.file), arrival(move)]);
    this.#count(drives, changes, now);
    this.parts.changed();
  }

  removeAll(files: readonly PlacedFile[], { now }: Stamp): void {
    this.discard(files.map(({ pk }) => pk));
    const drives = files.map(({ drivePk }) => drivePk);
    this.#count(drives, files.map(departure), now);
  }

  /** Removes files without updating counts; for files of deleted drives. */
  discard(files: readonly FilePk[]): void {
    for (const pk of files) this.parts.tables.files.remove(pk);
    this.parts.changed();
  }

  /** The folder at a path. Creates it and its ancestors if they are missing. Throws CONFLICT, QUOTA_EXCEEDED. */
  ensureFolder(drive: Drive, path: FolderPath, stamp: Stamp): { folder: Folder; created: boolean } {
    this.parts.locks.requireFree(drive.pk, path);
    const known = this.parts.tables.folders.byPath(drive.pk, path);
    if (known !== null) return { folder: known, created: false };
    this.#makeFolders(drive, path, stamp);
    this.parts.quota.requireRecordRoom(drive);
    this.parts.tables.drives.touch(drive.pk, stamp.now);
    this.parts.changes.add(folderCreated(drive.pk, path, stamp));
    return { folder: this.parts.tables.folders.existing(drive.pk, path), created: true };
  }

  /** Makes a folder at a free path. Its counts grow when files are added. */
  makeFolder(drive: DrivePk, parent: FolderPk, path: FolderPath, createdAt: number): FolderPk {
    return this.parts.tables.folders.insert(drive, parent, path, createdAt);
  }

  /** Removes an empty folder. It is not kept. */
  removeEmpty(drive: Drive, { pk, path }: Folder, stamp: Stamp): void {
    this.parts.locks.requireWholeFree(drive.pk, path);
    this.removeFolders([pk]);
    this.parts.tables.drives.touch(drive.pk, stamp.now);
    this.parts.changes.add(folderRemoved(drive.pk, path, stamp));
  }

  removeFolders(folders: readonly FolderPk[]): void {
    for (const pk of folders) this.parts.tables.folders.remove(pk);
  }

  /** The place for a file at a free path. Creates its folder if it is missing. Throws CONFLICT. */
  #freePlace(drive: Drive, path: FilePath, stamp: Stamp): FilePlace {
    const place = this.#place(drive, path, stamp);
    if (this.occupant(drive, path, stamp) !== null) throw pathTaken("file", path);
    return place;
  }

  /** The same for a path that no file has. */
  #place(drive: Drive, path: FilePath, stamp: Stamp): FilePlace {
    const asFolder = asFolderPath(path);
    if (this.parts.tables.folders.byPath(drive.pk, asFolder) !== null) throw pathTaken("folder", asFolder);
    return { drive: drive.pk, folder: this.#makeFolders(drive, parentFolder(path), stamp), path };
  }

  #makeFolders(drive: Drive, path: FolderPath, stamp: Stamp): FolderPk {
    const missing: FolderPath[] = [];
    let nearest = this.parts.tables.folders.byPath(drive.pk, path);
    for (let at = path; nearest === null; nearest = this.parts.tables.folders.byPath(drive.pk, at)) {
      if (at === ROOT) throw new Error(`drive ${drive.id} has no root folder`);
      if (this.occupant(drive, asFilePath(at), stamp) !== null) {
        throw new CofferError(
          "CONFLICT",
          `"${asFilePath(at)}" is a file; a folder is needed there. Choose another path, or delete the file first.`,
        );
      }
      missing.push(at);
      at = parentFolder(at);
    }
    let parent = nearest.pk;
    for (const folder of missing.toReversed()) parent = this.makeFolder(drive.pk, parent, folder, stamp.now);
    return parent;
  }

  #make(place: FilePlace, body: StoredBody, now: number): Pick<File, "id" | "pk"> {
    const id = newId<FileId>(now);
    return { id, pk: this.parts.tables.files.insert(id, place, body, now) };
  }

  /** Updates the counts of all folders above the changes, and the times of their drives. */
  #count(drives: Iterable<DrivePk>, changes: readonly FolderChange[], now: number): void {
    if (changes.length > 0) this.parts.tables.folders.adjust(changes);
    for (const drive of new Set(drives)) this.parts.tables.drives.touch(drive, now);
  }

  #reread(id: FileId): File {
    const file = present(this.parts.tables.files.byId(id), `file ${id}, which was written just now,`);
    this.parts.changed();
    return file;
  }
}

/** What a file has of its place. */
function placeOf({ id, pk, owner }: Drive, { folder, path }: FilePlace) {
  return { driveId: id, drivePk: pk, ownerPk: owner?.pk ?? null, folderPk: folder, path };
}
