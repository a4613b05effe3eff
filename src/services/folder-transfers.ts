import type { Tables } from "../db/tables.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError, pathTaken } from "../domain/errors.ts";
import type { Folder } from "../domain/folder.ts";
import { tooMuchToTransfer } from "../domain/folder-transfer.ts";
import type { FolderTransferWork } from "../domain/folder-work.ts";
import { FOLDER_COPY_ENTRIES, FOLDER_MOVE_ENTRIES } from "../domain/limits.ts";
import { asFilePath, type FolderPath, parentFolder } from "../domain/path.ts";
import type { FolderLocks } from "./folder-locks.ts";
import type { Quota } from "./quota.ts";
import type { Tree } from "./tree.ts";

/** A folder that is to go to another path, of its own or another drive. */
export interface FolderTransfer {
  readonly source: Drive;
  /** As readers see it: without what has expired. */
  readonly folder: Folder;
  readonly drive: Drive;
  readonly path: FolderPath;
}

/**
 * Decides whether folders may be moved and copied, and prepares it: what is left to do is the work that each
 * method gives. Every method runs inside a write.
 */
export class FolderTransfers {
  readonly #tables: Tables;
  readonly #quota: Quota;
  readonly #tree: Tree;
  readonly #locks: FolderLocks;

  constructor(parts: { tables: Tables; quota: Quota; tree: Tree; locks: FolderLocks }) {
    this.#tables = parts.tables;
    this.#quota = parts.quota;
    this.#tree = parts.tree;
    this.#locks = parts.locks;
  }

  /**
   * To a free path. The files keep all but their paths. The quota needs no look, as for `Tree.move`. Throws
   * CONFLICT, VALIDATION_ERROR.
   */
  move(transfer: FolderTransfer, now: number): FolderTransferWork {
    return { kind: "move", ...this.#prepare(transfer, FOLDER_MOVE_ENTRIES, now) };
  }

  /** To a free path. The copies have no expiry. Throws CONFLICT, QUOTA_EXCEEDED, VALIDATION_ERROR. */
  copy(transfer: FolderTransfer, now: number): FolderTransferWork {
    const ends = this.#prepare(transfer, FOLDER_COPY_ENTRIES, now);
    const { drive, folder } = transfer;
    // Each piece looks again, since others fill the drive at the same time.
    this.#quota.requireRoom(drive, now, folder.totalSize);
    this.#quota.requireFewFiles(drive, now, folder.fileCount);
    return { kind: "copy", ...ends };
  }

  /** Makes sure that a folder may go to a path, and makes the folders above. */
  #prepare(
    { source, folder, drive, path }: FolderTransfer,
    most: number,
    now: number,
  ): Pick<FolderTransferWork, "from" | "to"> {
    const { folders, subtrees } = this.#tables;
    this.#locks.requireWholeFree(source.pk, folder.path);
    this.#locks.requireFree(drive.pk, path);
    if (drive.pk === source.pk && path.startsWith(folder.path)) {
      throw new CofferError("CONFLICT", `"${path}" is the folder itself, or inside it.`);
    }
    if (folders.byPath(drive.pk, path) !== null) throw pathTaken("folder", path);
    const asFile = asFilePath(path);
    if (this.#tree.occupant(drive, asFile, now) !== null) throw pathTaken("file", asFile);
    const { fileCount } = folders.existing(source.pk, folder.path);
    // Those that expired count: they have to be looked at, or taken away on the way.
    const inside = subtrees.countFolders({ drive: source.pk, path: folder.path }, most + 1);
    if (fileCount + inside > most) throw tooMuchToTransfer(most);
    const top = this.#topmostMissing(drive, path);
    this.#tree.ensureFolder(drive, parentFolder(path), now);
    return {
      from: { drive: source.pk, path: folder.path, top: folder.path },
      to: { drive: drive.pk, path, top },
    };
  }

  #topmostMissing(drive: Drive, path: FolderPath): FolderPath {
    const above = parentFolder(path);
    return this.#tables.folders.byPath(drive.pk, above) === null ? this.#topmostMissing(drive, above) : path;
  }
}
