import type { LostFile, PresentFile } from "../../db/snapshots/past-files.ts";
import { firstAfter, isWithin, type PathRange, rangeFrom, rangeOf } from "../../db/files/path-range.ts";
import type { SnapshotScope } from "../../db/snapshots/snapshot-lists.ts";
import type { Step } from "../../db/snapshots/snapshot-walk.ts";
import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/changes/actor.ts";
import type { FolderFacts } from "../../domain/folders/folder.ts";
import type { FolderRewindWork, Tally } from "../../domain/folders/folder-work.ts";
import { type DrivePk, type FileId, newId, type SnapshotPk } from "../../domain/id.ts";
import { asFilePath, type FilePath, parentFolder, ROOT } from "../../domain/files/path.ts";
import { type Piece, PIECE_FILES } from "../../domain/folders/piece.ts";
import type { Retention } from "../../domain/history/retention.ts";
import { KeptFiles } from "../history/kept-files.ts";
import { FOLDERS, foldersIn, PATHS, type Phase } from "./phases.ts";
import type { Past } from "../files/placed-files.ts";
import type { Tree } from "../files/tree.ts";

/** What the removal of a file counts into. */
interface Going {
  readonly piece: Piece;
  readonly stamp: Stamp;
  readonly tally: Tally;
}

/**
 * Brings folders back to what a snapshot has, in pieces. The newest snapshot of the drive was taken right before: it
 * has all that is removed here. None is taken until the work ends. So what has changed since that one was put back by
 * the work itself, and each phase can begin again.
 */
export class RewindPieces {
  readonly #parts;
  readonly #kept: KeptFiles;

  constructor(parts: { tables: Tables; tree: Tree; retention: Retention }) {
    this.#parts = parts;
    this.#kept = new KeptFiles(parts);
  }

  /**
   * The phases of a rewind; see `FolderPieces.step`. Files are put back before others are taken away: a work that is cut
   * in the middle hides none. Only a file whose path is a folder now must wait until that is gone.
   */
  phasesOf(work: FolderRewindWork): readonly Phase[] {
    return [
      this.#makeFolders(work),
      this.#putFilesBack(work),
      this.#removeFiles(work),
      this.#removeFolders(work),
      this.#putFilesBack(work),
    ];
  }

  /** Makes the folders that are missing, parents first. A file in the place of one gives way. */
  #makeFolders({ from, snapshot, tally }: FolderRewindWork): Phase {
    const { folders, snapshotLists } = this.#parts.tables;
    return (piece, stamp, start) => {
      const scope = this.#scopeOf(from.drive, snapshot, stamp);
      let range: PathRange | null = rangeAt(rangeOf(from.path), start);
      while (range !== null) {
        if (piece.isFull) return { after: range.from };
        const { rows, rest }: Step<FolderFacts> = snapshotLists.folders(scope, range, FOLDERS);
        for (const { path, createdAt } of rows) {
          if (piece.isFull) return { after: path };
          const present = folders.byPath(from.drive, path);
          if (present === null) {
            if (path !== ROOT) this.#removeAt(scope, asFilePath(path), { piece, stamp, tally });
            const parent = folders.existing(from.drive, parentFolder(path));
            this.#parts.tree.makeFolder(from.drive, parent.pk, path, createdAt);
          } else if (present.createdAt !== createdAt) folders.setCreatedAt(present.pk, createdAt);
          piece.takeFolder();
        }
        piece.takeReads(PATHS);
        range = rest;
      }
      return "done";
    };
  }

  /** Puts back the files that have changed since the snapshot, each in the place of what is there now. */
  #putFilesBack({ from, snapshot, tally }: FolderRewindWork): Phase {
    const { drive } = from;
    return (piece, stamp, start) => {
      const scope = this.#scopeOf(drive, snapshot, stamp);
      const whole = rangeOf(from.path);
      let range: PathRange | null = rangeAt(whole, start);
      while (range !== null) {
        if (piece.isFull) return { after: range.from };
        const { rows, rest }: Step<LostFile> = this.#parts.tables.pastFiles.lost(scope, range, PIECE_FILES);
        piece.takeReads(PATHS);
        const taken: LostFile[] = [];
        for (const file of rows) {
          if (piece.isFull && taken.length > 0) break;
          const { path, tagCount: tags, metadata } = file;
          piece.takeFile({ drive, path, tags, metadata: Buffer.byteLength(metadata), isHeld: true });
          this.#removeAt(scope, path, { piece, stamp, tally });
          this.#removeElsewhere(scope, file, whole, { piece, stamp, tally });
          taken.push(file);
        }
        this.#parts.tree.putBack(this.#placed(drive, taken, stamp), stamp);
        tally.restored += taken.length;
        const next = rows[taken.length];
        range = next === undefined ? rest : { from: next.path, to: whole.to };
      }
      return "done";
    };
  }

  /** Removes the files that the snapshot does not have. */
  #removeFiles({ from, snapshot, tally }: FolderRewindWork): Phase {
    return (piece, stamp, start) => {
      const scope = this.#scopeOf(from.drive, snapshot, stamp);
      let range = rangeAt(rangeOf(from.path), start);
      let limit = PIECE_FILES;
      while (!piece.isFull) {
        const found = this.#parts.tables.pastFiles.present(scope, range, limit);
        const gone: PresentFile[] = [];
        for (const file of found) {
          if (piece.isFull) break;
          if (file.isTouched === 1) {
            takePresent(piece, file);
            gone.push(file);
          } else piece.takeReads(1);
          range = rangeAt(range, firstAfter(file.path));
        }
        this.#remove(gone, stamp, tally);
        const last = found.at(-1);
        const isAllDone = last === undefined || range.from === firstAfter(last.path);
        if (found.length < limit && isAllDone) return "done";
        // Many that stay are passed over in large steps; what goes fills the piece after a few.
        limit = gone.length === 0 ? PATHS : PIECE_FILES;
      }
      return { after: range.from };
    };
  }

  /** Removes the folders that the snapshot does not have, innermost first. */
  #removeFolders({ from, snapshot }: FolderRewindWork): Phase {
    return (piece, stamp, start) => {
      const scope = this.#scopeOf(from.drive, snapshot, stamp);
      const whole = rangeOf(from.path);
      let before = start;
      for (;;) {
        const range = before === null ? whole : { from: whole.from, to: before };
        const found = this.#parts.tables.pastFiles.presentFolders(scope, range, FOLDERS);
        for (const { pk, path, isKept } of found) {
          if (piece.isFull) return { after: before };
          if (isKept === 0) {
            this.#parts.tree.removeFolders([pk]);
            piece.takeFolder();
          } else piece.takeReads(1);
          before = path;
        }
        if (found.length < FOLDERS) return "done";
      }
    };
  }

  /** Removes the file at a path, which is not as in the snapshot, if there is one. */
  #removeAt(scope: SnapshotScope, path: FilePath, { piece, stamp, tally }: Going): void {
    const [file] = this.#parts.tables.pastFiles.present(scope, { from: path, to: firstAfter(path) }, 1);
    if (file === undefined) return;
    takePresent(piece, file);
    this.#remove([file], stamp, tally);
  }

  /** Removes a file that has been moved within the folder since: it goes back to where it was. */
  #removeElsewhere(
    scope: SnapshotScope,
    { id, path }: LostFile,
    { from, to }: PathRange,
    going: Going,
  ): void {
    const present = this.#parts.tables.files.byId(id);
    if (present === null || present.drivePk !== scope.drive || present.path === path) return;
    if (isWithin({ from, to }, present.path)) this.#removeAt(scope, present.path, going);
  }

  /** Removes files that are not as in the snapshot. Where it has another content of one, this one is kept. */
  #remove(files: readonly PresentFile[], stamp: Stamp, tally: Tally): void {
    for (const file of files) if (file.isReplaced === 1) this.#kept.keepContent(file, stamp);
    this.#parts.tree.removeAll(files, stamp);
    tally.removed += files.length;
  }

  #placed(drive: DrivePk, files: readonly LostFile[], stamp: Stamp): Past[] {
    const folderOf = foldersIn(this.#parts.tables, drive);
    return files.map((file) => {
      const id = this.#claimed(drive, file, stamp);
      const version = id === file.id ? Math.max(file.version, this.#parts.tables.fileVersions.nextOf(id)) : 1;
      const to = { drive, folder: folderOf(parentFolder(file.path)), path: file.path };
      return { file: { ...file, id, version }, to };
    });
  }

  /** The id of a file that is put back: its own, or a new one where that is in use. Takes it out of the trash. */
  #claimed(drive: DrivePk, file: LostFile, stamp: Stamp): FileId {
    const { files, trash, trashContents, fileVersions } = this.#parts.tables;
    if (files.byId(file.id) !== null) return newId<FileId>(stamp.now);
    const trashed = trashContents.placeOf(file.id);
    if (trashed === null) return file.id;
    if (trashed.drive !== drive) return newId<FileId>(stamp.now);
    if (trashed.blob !== file.blob) fileVersions.keepTrashed(trashed.pk, stamp);
    trashContents.remove(trashed.pk);
    trash.endIfEmpty(trashed.entry);
    return file.id;
  }

  #scopeOf(drive: DrivePk, pk: SnapshotPk, { now }: Stamp): SnapshotScope {
    return { drive, at: this.#parts.tables.snapshots.numberOf(pk), now };
  }
}

function takePresent(piece: Piece, file: PresentFile): void {
  piece.takeFile({ ...file, drive: file.drivePk, metadata: 0, isTrashed: true, isHeld: true });
}

/** The part of a range from where a phase goes on. */
function rangeAt(range: PathRange, start: string | null): PathRange {
  return start === null ? range : rangeFrom(range, start);
}
