import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/changes/actor.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, invalid, pathTaken } from "../../domain/errors.ts";
import type { Folder } from "../../domain/folders/folder.ts";
import type { FolderRestoreWork, FolderTransferWork, WorkPlace } from "../../domain/folders/folder-work.ts";
import { FOLDER_COPY_ENTRIES, FOLDER_MOVE_ENTRIES, RECORD_BYTES } from "../../domain/limits.ts";
import { asFilePath, type FolderPath, parentFolder } from "../../domain/files/path.ts";
import type { TrashEntry } from "../../domain/history/trash.ts";
import type { FolderLocks } from "./folder-locks.ts";
import type { Quota } from "../quota.ts";
import type { Tree } from "../files/tree.ts";

/** A folder, and its new path in its own or another drive. */
export interface FolderTransfer {
  readonly source: Drive;
  /** As readers see it: without expired files. */
  readonly folder: Folder;
  readonly drive: Drive;
  readonly path: FolderPath;
}

/**
 * Checks moves, copies and restores of folders and prepares them. Each method returns the work that is left to do, and runs
 * inside a write.
 */
export class FolderTransfers {
  readonly #parts;

  constructor(parts: { tables: Tables; quota: Quota; tree: Tree; locks: FolderLocks }) {
    this.#parts = parts;
  }

  /**
   * To a free path. Only the paths of the files change. The quota is checked as in `Tree.move`. Throws CONFLICT,
   * QUOTA_EXCEEDED, VALIDATION_ERROR.
   */
  move(transfer: FolderTransfer, stamp: Stamp): FolderTransferWork {
    const ends = this.#prepare(transfer, FOLDER_MOVE_ENTRIES, stamp);
    const { source, drive, folder } = transfer;
    const more = { contents: folder.totalSize, records: folder.fileCount * RECORD_BYTES.entry };
    this.#parts.quota.requireRoomForGift(source.owner?.pk ?? null, drive, stamp.now, more);
    return { kind: "move", ...ends };
  }

  /** To a free path. The copies have no expiry. Throws CONFLICT, QUOTA_EXCEEDED, VALIDATION_ERROR. */
  copy(transfer: FolderTransfer, stamp: Stamp): FolderTransferWork {
    const ends = this.#prepare(transfer, FOLDER_COPY_ENTRIES, stamp);
    const { drive, folder } = transfer;
    // Each piece checks again: other writes may fill the drive at the same time.
    this.#parts.quota.requireRoom(drive, stamp.now, folder.totalSize);
    this.#parts.quota.requireRecordRoom(drive, folder.fileCount * RECORD_BYTES.entry);
    return { kind: "copy", ...ends };
  }

  /**
   * Back from the trash, to a free path. Throws CONFLICT, QUOTA_EXCEEDED, and VALIDATION_ERROR later for paths that
   * would be too long.
   */
  restore(
    drive: Drive,
    { pk, size, fileCount }: TrashEntry,
    path: FolderPath,
    stamp: Stamp,
  ): FolderRestoreWork {
    this.#parts.locks.requireFree(drive.pk, path);
    this.#requireFreePath(drive, path, stamp);
    const from = this.#make(drive, path, stamp);
    this.#parts.quota.requireRoom(drive, stamp.now, size);
    this.#parts.quota.requireRecordRoom(drive, fileCount * RECORD_BYTES.entry);
    this.#parts.tables.trash.setState(pk, "filling");
    return { kind: "restore", from, to: null, trash: pk };
  }

  /** Checks a folder and its destination, and creates the folders above that. */
  #prepare(
    { source, folder, drive, path }: FolderTransfer,
    most: number,
    stamp: Stamp,
  ): Pick<FolderTransferWork, "from" | "to"> {
    const { folders, subtrees } = this.#parts.tables;
    this.#parts.locks.requireWholeFree(source.pk, folder.path);
    this.#parts.locks.requireFree(drive.pk, path);
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
      to: this.#make(drive, path, stamp),
    };
  }

  #requireFreePath(drive: Drive, path: FolderPath, stamp: Stamp): void {
    if (this.#parts.tables.folders.byPath(drive.pk, path) !== null) throw pathTaken("folder", path);
    const asFile = asFilePath(path);
    if (this.#parts.tree.occupant(drive, asFile, stamp) !== null) throw pathTaken("file", asFile);
  }

  /** Creates the folders above a destination. */
  #make(drive: Drive, path: FolderPath, stamp: Stamp): WorkPlace {
    return { drive: drive.pk, path, top: makeWay(this.#parts, drive, path, stamp) };
  }
}

/**
 * Creates the folders above a path. Returns the topmost of those that were missing; the path itself if none was. Inside a
 * write. Throws CONFLICT if a file is in the way.
 */
export function makeWay(
  { tables, tree }: { tables: Tables; tree: Tree },
  drive: Drive,
  path: FolderPath,
  stamp: Stamp,
): FolderPath {
  let top = path;
  for (let at = parentFolder(path); tables.folders.byPath(drive.pk, at) === null; at = parentFolder(at))
    top = at;
  tree.ensureFolder(drive, parentFolder(path), stamp);
  return top;
}
