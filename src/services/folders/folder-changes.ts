import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { type Stamp, stampOf } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, invalid, pathTaken } from "../../domain/errors.ts";
import { asFilePath, type FolderPath, parentFolder } from "../../domain/files/path.ts";
import {
  type Folder,
  type FolderRestoreWork,
  type FolderTransferWork,
  type FolderWork,
  placesOf,
} from "../../domain/folders/folder.ts";
import type { TrashEntry } from "../../domain/history/history.ts";
import type { RecordName } from "../../domain/idempotency.ts";
import { FOLDER_COPY_ENTRIES, FOLDER_MOVE_ENTRIES, RECORD_BYTES } from "../../domain/limits.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { FolderPieces } from "./folder-pieces.ts";
import type { FolderWorks } from "./folder-works.ts";
import { START } from "./phases.ts";

/** A work that is checked and can begin: its destination exists. */
interface Begun<T> {
  readonly work: FolderWork;
  /** How many files it is about, as far as that is known. */
  readonly files: number | null;
  /** Returns the result. Called at the end, inside the last write. */
  readonly result: () => T;
}

/** A folder, and its new path in its own or another drive. */
interface FolderTransfer {
  readonly source: Drive;
  /** As readers see it: without expired files. */
  readonly folder: Folder;
  readonly drive: Drive;
  readonly path: FolderPath;
}

/**
 * Copies, moves, removes and restores folders: small ones in one transaction. The rest of a large one is recorded and
 * done by `FolderWorks`; other writes to the same folders wait until it ends.
 */
export class FolderChanges extends Service<
  Pick<Parts, "tables" | "access" | "quota" | "tree" | "batches" | "locks" | "clock"> & {
    pieces: FolderPieces;
    works: FolderWorks;
  }
> {
  /**
   * Resolves with a work's result when all of it is durable. If a copy or move rejects, it was rolled back, or will be.
   *
   * @param within is called with the result in the transaction that decides the work: the first one for a removal,
   *   which is then finished unless it is given up; otherwise the last one
   * @param begin runs inside the first write, after the caller was checked again, with the stamp of what it changes
   * @param how `writeFromReserve` for removals: they work on a full disk
   * @param batch what it is part of
   */
  async perform<T>(
    caller: Caller,
    within: Within<T> | undefined,
    begin: (stamp: Stamp) => Begun<T>,
    how: "write" | "writeFromReserve" = "write",
    batch?: Batch,
  ): Promise<T> {
    const first = await this.parts.access[how](caller, undefined, () => {
      const stamp = this.#stamp(caller, batch);
      return this.#first(begin(stamp), stamp, within);
    });
    return "result" in first ? first.result : this.parts.works.complete(first.rest);
  }

  /** Inside the first write, which does everything, or one piece and a record of the rest. */
  #first<T>({ work, files, result }: Begun<T>, stamp: Stamp, within: Within<T> | undefined) {
    for (const { drive, top } of placesOf(work)) this.parts.locks.requireWholeFree(drive, top);
    const { progress } = this.parts.pieces.step(work, START, stamp);
    const finish = () => {
      const value = result();
      within?.(value);
      return value;
    };
    if (progress === null) {
      this.parts.pieces.end(work, stamp);
      return { result: finish() };
    }
    const { now: _, ...author } = stamp;
    const { folderWorks, idempotencyRecords } = this.parts.tables;
    const record = (answer: RecordName | null) =>
      folderWorks.insert({ work, progress, fileTotal: files, answer }, stamp);
    if (work.kind !== "remove") return { rest: { pk: record(null), work, author, progress, finish } };
    idempotencyRecords.takeKept();
    const removed = finish();
    const pk = record(idempotencyRecords.takeKept());
    return { rest: { pk, work, author, progress, finish: () => removed } };
  }

  #stamp(caller: Caller, batch: Batch | undefined): Stamp {
    return batch === undefined ? stampOf(caller, this.parts.clock.now()) : this.parts.batches.stamp(batch);
  }

  /**
   * The work of a move to a free path, which is checked. The quota is checked as in `Tree.move`. Inside a write. Throws
   * CONFLICT, QUOTA_EXCEEDED, VALIDATION_ERROR.
   */
  move(transfer: FolderTransfer, stamp: Stamp): FolderTransferWork {
    const ends = this.#prepare(transfer, FOLDER_MOVE_ENTRIES, stamp);
    const { source, drive, folder } = transfer;
    const more = { contents: folder.totalSize, records: folder.fileCount * RECORD_BYTES.entry };
    this.parts.quota.requireRoomForGift(source.owner?.pk ?? null, drive, stamp.now, more);
    return { kind: "move", ...ends };
  }

  /** Like `move`, for a copy. The copies have no expiry. */
  copy(transfer: FolderTransfer, stamp: Stamp): FolderTransferWork {
    const ends = this.#prepare(transfer, FOLDER_COPY_ENTRIES, stamp);
    // Each piece checks again: other writes may fill the drive at the same time.
    this.#requireRoom(transfer.drive, transfer.folder.totalSize, transfer.folder.fileCount, stamp);
    return { kind: "copy", ...ends };
  }

  /** Like `move`, back from the trash. Throws VALIDATION_ERROR later for paths that would be too long. */
  restore(drive: Drive, entry: TrashEntry, path: FolderPath, stamp: Stamp): FolderRestoreWork {
    this.parts.locks.requireFree(drive.pk, path);
    this.#requireFreePath(drive, path, stamp);
    const top = this.makeWay(drive, path, stamp);
    this.#requireRoom(drive, entry.size, entry.fileCount, stamp);
    this.parts.tables.trash.setState(entry.pk, "filling");
    return { kind: "restore", from: { drive: drive.pk, path, top }, to: null, trash: entry.pk };
  }

  /** Makes the folders above a path; returns the topmost that was missing, or the path. In a write. Throws CONFLICT. */
  makeWay(drive: Drive, path: FolderPath, stamp: Stamp): FolderPath {
    const { folders } = this.parts.tables;
    let top = path;
    for (let at = parentFolder(path); folders.byPath(drive.pk, at) === null; at = parentFolder(at)) top = at;
    this.parts.tree.ensureFolder(drive, parentFolder(path), stamp);
    return top;
  }

  /** Checks a folder and its destination, and creates the folders above that. */
  #prepare({ source, folder, drive, path }: FolderTransfer, most: number, stamp: Stamp) {
    const { folders, subtrees } = this.parts.tables;
    this.parts.locks.requireWholeFree(source.pk, folder.path);
    this.parts.locks.requireFree(drive.pk, path);
    if (drive.pk === source.pk && path.startsWith(folder.path)) {
      throw new CofferError(
        "CONFLICT",
        `"${path}" is the folder itself, or inside it. Choose another destination.`,
      );
    }
    this.#requireFreePath(drive, path, stamp);
    const { fileCount } = folders.existing(source.pk, folder.path);
    // Expired files count: they must be read or removed as well.
    const inside = subtrees.countFolders({ drive: source.pk, path: folder.path }, most + 1);
    if (fileCount + inside > most) {
      throw invalid(
        "path",
        `must name a folder with at most ${most} files and folders; for a larger one, transfer its parts one by one`,
      );
    }
    return {
      from: { drive: source.pk, path: folder.path, top: folder.path },
      to: { drive: drive.pk, path, top: this.makeWay(drive, path, stamp) },
    };
  }

  #requireFreePath(drive: Drive, path: FolderPath, stamp: Stamp): void {
    if (this.parts.tables.folders.byPath(drive.pk, path) !== null) throw pathTaken("folder", path);
    const asFile = asFilePath(path);
    if (this.parts.tree.occupant(drive, asFile, stamp) !== null) throw pathTaken("file", asFile);
  }

  #requireRoom(drive: Drive, bytes: number, files: number, { now }: Stamp): void {
    this.parts.quota.requireRoom(drive, now, bytes);
    this.parts.quota.requireRecordRoom(drive, files * RECORD_BYTES.entry);
  }
}
