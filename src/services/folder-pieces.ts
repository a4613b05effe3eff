import type { Subtree } from "../db/subtrees.ts";
import type { FolderChange } from "../db/folders.ts";
import type { Tables } from "../db/tables.ts";
import { notFound } from "../domain/errors.ts";
import { requireShortPaths } from "../domain/folder-transfer.ts";
import type { FolderTransferWork, FolderWork } from "../domain/folder-work.ts";
import { type DrivePk, type FileId, type FolderPk, newId } from "../domain/id.ts";
import { type FilePath, type FolderPath, parentFolder, relocated } from "../domain/path.ts";
import { type Piece, PIECE_FILES } from "../domain/piece.ts";
import type { Quota } from "./quota.ts";

/** How many folders are read together. */
const FOLDERS = 200;
/** How many paths are looked at together, and how many of them cost as much as a row that is written. */
const PATHS = { read: 500, aRow: 4 };

/** Does as much as fits into a piece; whether all of its part is done. */
type Phase = (piece: Piece, now: number) => boolean;

/** How far a work has come. What it has done stands in the database; after a failure, begin a new one. */
export interface Progress {
  /**
   * Does as much as fits into a piece; whether all is done. The counts of the folders are right after each
   * piece. Inside a write.
   *
   * @throws CofferError NOT_FOUND once a drive has gone, QUOTA_EXCEEDED, VALIDATION_ERROR for a path that gets
   *   too long
   */
  step(piece: Piece, now: number): boolean;
}

/** Copies, moves and removes folders, piece by piece. */
export class FolderPieces {
  readonly #tables: Tables;
  readonly #quota: Quota;
  readonly #changed: () => void;

  /** `changed` is told of every piece, which leaves the indexer something to do. */
  constructor(tables: Tables, quota: Quota, changed: () => void) {
    this.#tables = tables;
    this.#quota = quota;
    this.#changed = changed;
  }

  /** Begins a work, or goes on with one where it stands. */
  begin(work: FolderWork): Progress {
    const { from, to } = work;
    const drives = to === null || to.drive === from.drive ? [from.drive] : [from.drive, to.drive];
    const phases = this.#phasesOf(work);
    const step = (piece: Piece, now: number) => {
      for (const drive of drives) {
        if (!this.#tables.drives.isThere(drive, now)) throw notFound("drive");
        this.#tables.drives.touch(drive, now);
      }
      this.#changed();
      for (let phase = phases[0]; phase !== undefined; phase = phases[0]) {
        if (!phase(piece, now)) return false;
        phases.shift();
      }
      return true;
    };
    return { step };
  }

  #phasesOf(work: FolderWork): Phase[] {
    switch (work.kind) {
      case "copy":
        return [this.#checkPaths(work), this.#makeFolders(work), this.#copyFiles(work)];
      case "move":
        return [this.#checkPaths(work), ...this.#movePhases(work)];
      case "return":
        return this.#movePhases(work);
      case "remove":
        return [this.#removeFiles(work.from), this.#removeFolders(work.from)];
    }
  }

  #movePhases(work: FolderTransferWork): Phase[] {
    const { drive, top: path } = work.from;
    return [this.#makeFolders(work), this.#moveFiles(work), this.#removeFolders({ drive, path })];
  }

  #checkPaths({ from, to }: FolderTransferWork): Phase {
    let after: string | null = null;
    return (piece, now) => {
      while (!piece.isFull) {
        const { longest, last, count } = this.#tables.subtrees.paths(from, after, now, PATHS.read);
        requireShortPaths(longest, from.path, to.path);
        if (count < PATHS.read) return true;
        piece.takeRows(count / PATHS.aRow);
        after = last;
      }
      return false;
    };
  }

  /** Makes the folders of one place at another, where they are missing; their counts come with the files. */
  #makeFolders({ kind, from, to }: FolderTransferWork): Phase {
    const { folders, subtrees } = this.#tables;
    let after: FolderPath | null = null;
    return (piece, now) => {
      for (;;) {
        const found = subtrees.folders(from, after, FOLDERS);
        for (const { path, createdAt } of found) {
          if (piece.isFull) return false;
          const target = relocated(path, from.path, to.path);
          if (folders.byPath(to.drive, target) === null) {
            const parent = folders.existing(to.drive, parentFolder(target));
            folders.insert(to.drive, parent.pk, target, kind === "copy" ? now : createdAt);
          }
          piece.takeFolder();
          after = path;
        }
        if (found.length < FOLDERS) return true;
      }
    };
  }

  #copyFiles({ from, to }: FolderTransferWork): Phase {
    const { subtrees, folders } = this.#tables;
    const folderOf = this.#foldersIn(to.drive);
    let after: FilePath | null = null;
    return (piece, now) => {
      const changes: FolderChange[] = [];
      const found = subtrees.files(from, after, now, PIECE_FILES);
      for (const file of found) {
        if (piece.isFull) break;
        after = file.path;
        // Only as long as the sweep leaves it there.
        if (file.hasExpired) continue;
        const path = relocated(file.path, from.path, to.path);
        const folder = folderOf(parentFolder(path));
        subtrees.copyFile(newId<FileId>(now), file.pk, { drive: to.drive, folder, path }, now);
        changes.push({ folder, files: 1, bytes: file.size });
        piece.takeFile({ ...file, drive: to.drive });
      }
      folders.adjustAll(changes);
      this.#requireRoom(to.drive, now);
      return found.length < PIECE_FILES && after === (found.at(-1)?.path ?? after);
    };
  }

  /** Moves what is left in a place, and takes away what has expired. */
  #moveFiles({ from, to }: FolderTransferWork): Phase {
    const { subtrees, folders, files } = this.#tables;
    const folderOf = this.#foldersIn(to.drive);
    return (piece, now) => {
      const changes: FolderChange[] = [];
      const found = subtrees.files(from, null, now, PIECE_FILES);
      for (const file of found) {
        if (piece.isFull) break;
        changes.push({ folder: file.folder, files: -1, bytes: -file.size });
        if (file.hasExpired) {
          files.remove(file.pk);
        } else {
          const path = relocated(file.path, from.path, to.path);
          const folder = folderOf(parentFolder(path));
          subtrees.moveFile(file.pk, { drive: to.drive, folder, path });
          changes.push({ folder, files: 1, bytes: file.size });
        }
        // Its tags and the counts of its folders change at both ends.
        piece.takeFile({ ...file, drive: from.drive }, 2);
      }
      folders.adjustAll(changes);
      return found.length < PIECE_FILES && !piece.isFull;
    };
  }

  #removeFiles(from: Subtree): Phase {
    const { subtrees, folders, files } = this.#tables;
    return (piece, now) => {
      const changes: FolderChange[] = [];
      const found = subtrees.files(from, null, now, PIECE_FILES);
      for (const file of found) {
        if (piece.isFull) break;
        files.remove(file.pk);
        changes.push({ folder: file.folder, files: -1, bytes: -file.size });
        piece.takeFile({ ...file, drive: from.drive, metadata: 0 });
      }
      folders.adjustAll(changes);
      return found.length < PIECE_FILES && !piece.isFull;
    };
  }

  /** From the innermost to the topmost. */
  #removeFolders(from: Subtree): Phase {
    const { subtrees, folders } = this.#tables;
    return (piece) => {
      for (;;) {
        const found = subtrees.lastFolders(from, FOLDERS);
        for (const pk of found) {
          if (piece.isFull) return false;
          folders.remove(pk);
          piece.takeFolder();
        }
        if (found.length < FOLDERS) return true;
      }
    };
  }

  /** Finds the folders of a drive that files come into; those that follow each other mostly come into the same. */
  #foldersIn(drive: DrivePk): (path: FolderPath) => FolderPk {
    let last: { readonly path: FolderPath; readonly pk: FolderPk } | null = null;
    return (path) => {
      if (last?.path !== path) last = { path, pk: this.#tables.folders.existing(drive, path).pk };
      return last.pk;
    };
  }

  #requireRoom(pk: DrivePk, now: number): void {
    const drive = this.#tables.drives.byPk(pk, now);
    if (drive === null) throw notFound("drive");
    this.#quota.requireRoom(drive, now);
    this.#quota.requireFewFiles(drive, now);
  }
}
