import type { TrashedFile } from "../../db/history/trash-contents.ts";
import type { Tables } from "../../db/tables.ts";
import { notFound } from "../../domain/errors.ts";
import { requireShortRestore } from "../../domain/folders/folder-transfer.ts";
import type { FolderRestoreWork, WorkPlace } from "../../domain/folders/folder-work.ts";
import { folderIn, inFolder, parentFolder } from "../../domain/files/path.ts";
import { PIECE_FILES } from "../../domain/folders/piece.ts";
import { FOLDERS, foldersIn, PATHS, type Phase } from "./phases.ts";
import type { Restored } from "../files/placed-files.ts";
import type { Tree } from "../files/tree.ts";

/** Brings folders back from the trash in pieces. */
export class RestorePieces {
  readonly #parts;

  constructor(parts: { tables: Tables; tree: Tree }) {
    this.#parts = parts;
  }

  /** The phases of a restore; see `FolderPieces.step`. The folders of the entry go last: until then it can be undone. */
  phasesOf(work: FolderRestoreWork): readonly Phase[] {
    return [
      this.#checkPaths(work),
      this.#makeFolders(work),
      this.#putFilesBack(work),
      this.#removeFolders(work),
    ];
  }

  #checkPaths({ trash, from }: FolderRestoreWork): Phase {
    return (piece, { now }, start) => {
      let after = start;
      while (!piece.isFull) {
        const { longest, last, count } = this.#parts.tables.trashContents.paths(trash, after, now, PATHS);
        requireShortRestore(longest, from.path);
        if (count < PATHS) return "done";
        piece.takeReads(count);
        after = last;
      }
      return { after };
    };
  }

  /** Creates the folders, parents first. Their counts grow when files come back. */
  #makeFolders({ trash, from }: FolderRestoreWork): Phase {
    const { folders, trashContents } = this.#parts.tables;
    return (piece, _, start) => {
      let after = start;
      for (;;) {
        const found = trashContents.folders(trash, after, FOLDERS);
        for (const { path, createdAt } of found) {
          if (piece.isFull) return { after };
          const target = folderIn(from.path, path);
          if (folders.byPath(from.drive, target) === null) {
            const parent = folders.existing(from.drive, parentFolder(target));
            this.#parts.tree.makeFolder(from.drive, parent.pk, target, createdAt);
          }
          piece.takeFolder();
          after = path;
        }
        if (found.length < FOLDERS) return "done";
      }
    };
  }

  /** Puts the files back that are left in the entry, and removes expired ones. */
  #putFilesBack({ kind, trash, from }: FolderRestoreWork): Phase {
    return (piece, stamp) => {
      const drive = this.#parts.tables.drives.byPk(from.drive, stamp.now);
      if (drive === null) throw notFound("drive");
      const found = this.#parts.tables.trashContents.files(trash, stamp.now, PIECE_FILES);
      const taken = piece.takeFiles(found, (file) => ({ ...file, drive: from.drive, isTrashed: true }));
      for (const { pk, hasExpired } of taken) if (hasExpired) this.#parts.tables.trashContents.remove(pk);
      this.#parts.tree.restoreAll(drive, this.#placed(from, taken), stamp);
      // What has just been taken away has its room.
      if (kind === "restore") this.#parts.tree.requireRoom(drive, stamp);
      return found.length < PIECE_FILES && !piece.isFull ? "done" : { after: null };
    };
  }

  /** The files that have not expired, and their places. The folders must exist. */
  #placed({ drive, path: base }: WorkPlace, files: readonly TrashedFile[]): Restored[] {
    const folderOf = foldersIn(this.#parts.tables, drive);
    return files
      .filter(({ hasExpired }) => !hasExpired)
      .map((file) => {
        const path = inFolder(base, file.path);
        return { file: { ...file, naming: null }, to: { drive, folder: folderOf(parentFolder(path)), path } };
      });
  }

  /** Removes the folders of the entry. */
  #removeFolders({ trash }: FolderRestoreWork): Phase {
    return (piece) => {
      while (!piece.isFull) {
        const removed = this.#parts.tables.trashContents.removeFolders(trash, FOLDERS);
        piece.takeRows(removed);
        if (removed < FOLDERS) return "done";
      }
      return { after: null };
    };
  }
}
