import type { Subtree } from "../db/subtrees.ts";
import type { Tables } from "../db/tables.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError, pathTaken } from "../domain/errors.ts";
import type { Folder } from "../domain/folder.ts";
import { requireTransferable, tooMuchToTransfer } from "../domain/folder-transfer.ts";
import { type FileId, type FolderPk, newId } from "../domain/id.ts";
import { FOLDER_COPY, FOLDER_MOVE, type TransferBounds } from "../domain/limits.ts";
import { asFilePath, type FolderPath, parentFolder } from "../domain/path.ts";
import type { Quota } from "./quota.ts";
import type { Tree } from "./tree.ts";

/** A folder that is to go to another path, of its own or another drive. */
export interface FolderTransfer {
  readonly source: Drive;
  readonly folder: Folder;
  readonly drive: Drive;
  readonly path: FolderPath;
}

/** A transfer that may go ahead: where the folder is, where it goes, and the folder that it will stand in. */
interface Prepared {
  readonly from: Subtree;
  readonly to: Subtree;
  readonly parent: FolderPk;
}

/**
 * Moves and copies folders with all that is in them, as wholes: a file of theirs costs a row and no look-up.
 * Every method runs inside a write.
 */
export class FolderTransfers {
  readonly #tables: Tables;
  readonly #quota: Quota;
  readonly #tree: Tree;
  readonly #changed: () => void;

  /** `changed` is told of every transfer, which leaves the indexer something to do. */
  constructor(parts: { tables: Tables; quota: Quota; tree: Tree; changed: () => void }) {
    this.#tables = parts.tables;
    this.#quota = parts.quota;
    this.#tree = parts.tree;
    this.#changed = parts.changed;
  }

  /**
   * Moves to a free path. The files keep all but their paths. The quota needs no look, as for `Tree.move`.
   * Throws CONFLICT, VALIDATION_ERROR.
   */
  move(transfer: FolderTransfer, now: number): Folder {
    const { from, to, parent } = this.#prepare(transfer, FOLDER_MOVE, now);
    const { folders, subtrees, drives } = this.#tables;
    const { pk, fileCount, totalSize } = folders.existing(from.drive, from.path);
    const oldParent = folders.existing(from.drive, parentFolder(from.path));
    subtrees.move(from, to);
    folders.setParent(pk, parent);
    folders.adjust(oldParent.pk, -fileCount, -totalSize, 0);
    folders.adjust(parent, fileCount, totalSize, 0);
    drives.touch(from.drive, now);
    drives.touch(to.drive, now);
    this.#changed();
    return folders.existing(to.drive, to.path);
  }

  /** Copies to a free path. The copies have no expiry. Throws CONFLICT, QUOTA_EXCEEDED, VALIDATION_ERROR. */
  copy(transfer: FolderTransfer, now: number): Folder {
    const { from, to, parent } = this.#prepare(transfer, FOLDER_COPY, now);
    const { folders, subtrees, drives } = this.#tables;
    const { fileCount, totalSize } = folders.existing(from.drive, from.path);
    const copies = new Map<FolderPk | null, FolderPk>();
    for (const { pk, parent: above } of subtrees.folders(from)) {
      const into = copies.get(above) ?? parent;
      copies.set(pk, subtrees.copyFolder({ source: pk, folder: into, from, to, now }));
    }
    folders.adjust(parent, fileCount, totalSize, 0);
    // Before the files are copied: the counts are enough to tell.
    this.#quota.requireRoom(transfer.drive, now);
    this.#quota.requireFewFiles(transfer.drive, now);
    for (const { pk, folder: above } of subtrees.files(from)) {
      const into = copies.get(above);
      if (into === undefined) throw new Error("a file stands in a folder that was not copied");
      subtrees.copyFile(newId<FileId>(now), { source: pk, folder: into, from, to, now });
    }
    drives.touch(to.drive, now);
    this.#changed();
    return folders.existing(to.drive, to.path);
  }

  /** Makes sure that a folder may go to a path, with what of it has not expired, and makes the folders above. */
  #prepare({ source, folder, drive, path }: FolderTransfer, most: TransferBounds, now: number): Prepared {
    const { folders, subtrees } = this.#tables;
    const from = { drive: source.pk, path: folder.path };
    if (drive.pk === source.pk && path.startsWith(folder.path)) {
      throw new CofferError("CONFLICT", `"${path}" is the folder itself, or inside it.`);
    }
    if (folders.byPath(drive.pk, path) !== null) throw pathTaken("folder", path);
    const asFile = asFilePath(path);
    if (this.#tree.occupant(drive, asFile, now) !== null) throw pathTaken("file", asFile);
    // Those that expired count: they have to be taken away first.
    const inside = subtrees.countFolders(from, most.entries + 1);
    if (folder.fileCount + inside > most.entries) throw tooMuchToTransfer(most.entries, "files and folders");
    this.#tree.removeExpiredBelow(from, now);
    const entries = folders.existing(from.drive, from.path).fileCount + inside + 1;
    requireTransferable({ ...subtrees.extent(from), entries }, from.path, path, most);
    const parent = this.#tree.ensureFolder(drive, parentFolder(path), now).folder;
    return { from, to: { drive: drive.pk, path }, parent: parent.pk };
  }
}
