import { firstAfter, isWithin, type PathRange, rangeFrom, rangeOf } from "../../db/files/files.ts";
import type { LostFile, PresentFile } from "../../db/snapshots/snapshot-differences.ts";
import type { SnapshotScope } from "../../db/snapshots/snapshot-lists.ts";
import type { Stamp } from "../../domain/changes/change.ts";
import { asFilePath, type FilePath, parentFolder, ROOT } from "../../domain/files/path.ts";
import type { FolderForkWork, FolderRewindWork, Tally } from "../../domain/folders/folder.ts";
import { type Piece, PIECE_FILES } from "../../domain/folders/piece.ts";
import { type DrivePk, type FileId, newId } from "../../domain/id.ts";
import type { Past } from "../files/folder-counts.ts";
import { KeptFiles } from "../history/kept-files.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { FOLDERS, PATHS, type Phase, placesIn, rowByRow, stepByStep } from "./phases.ts";

interface Going {
  readonly piece: Piece;
  readonly stamp: Stamp;
  readonly tally: Tally;
}

/** The phases of works that put what a snapshot has into a folder (rewinds), or into a new drive (forks). */
export class SnapshotPieces extends Service<Pick<Parts, "tables" | "tree" | "quota" | "retention">> {
  readonly #kept = new KeptFiles(this.parts);

  /** Fills a new drive, which nobody sees yet. The files get new ids, and have no past. */
  fork(work: FolderForkWork): readonly Phase[] {
    return [this.#makeAllFolders(work), this.#makeAllFiles(work)];
  }

  /**
   * Brings folders back to what a snapshot has. All that is removed here is in the newest snapshot, which was taken
   * right before, and none is taken until the end. So what has changed since was put back by this, and each phase can
   * begin again.
   *
   * Files are put back before others are taken away: a work that is cut in the middle hides none. Only a file whose
   * path is a folder now must wait until that is gone.
   */
  rewind(work: FolderRewindWork): readonly Phase[] {
    return [
      this.#makeFolders(work),
      this.#putFilesBack(work),
      this.#removeFiles(work),
      this.#removeFolders(work),
      this.#putFilesBack(work),
    ];
  }

  #makeAllFolders(work: FolderForkWork): Phase {
    const { tables, tree } = this.parts;
    const { drive } = work.to;
    return stepByStep(ROOT, (range, piece, stamp) => {
      const { rows, rest } = tables.snapshotLists.folders(this.#scopeOf(work, stamp), range, FOLDERS);
      for (const { path, createdAt } of rows) {
        if (path === ROOT) continue;
        tree.makeFolder(drive, tables.folders.existing(drive, parentFolder(path)).pk, path, createdAt);
        piece.takeFolder();
      }
      piece.takeReads(PATHS / 5);
      return rest;
    });
  }

  #makeAllFiles(work: FolderForkWork): Phase {
    const { tables, tree, quota } = this.parts;
    const { drive } = work.to;
    return stepByStep(ROOT, (range, piece, stamp) => {
      const { rows, rest } = tables.pastFiles.all(this.#scopeOf(work, stamp), range, PIECE_FILES);
      const taken = piece.takeFiles(rows, ({ path, tagCount: tags, metadata }) => {
        return { drive, path, tags, metadata: Buffer.byteLength(metadata) };
      });
      const placeOf = placesIn(tables, drive);
      const files = taken.map((file) => ({
        file: { ...file, id: newId<FileId>(stamp.now), version: 1 },
        to: placeOf(file.path),
      }));
      tree.putBack(files, stamp);
      const fork = tables.drives.unborn(drive);
      if (fork !== null) quota.requireRecordRoom(fork);
      piece.takeReads(PATHS / 5);
      return after(taken.length, rows, range, rest);
    });
  }

  /** Makes the folders that are missing, parents first. A file in the place of one gives way. */
  #makeFolders(work: FolderRewindWork): Phase {
    const { tables, tree } = this.parts;
    const { drive, path: folder } = work.from;
    return stepByStep(folder, (range, piece, stamp) => {
      const scope = this.#scopeOf(work, stamp);
      const { rows, rest } = tables.snapshotLists.folders(scope, range, FOLDERS);
      for (const { path, createdAt } of rows) {
        if (piece.isFull) return rangeFrom(range, path);
        const present = tables.folders.byPath(drive, path);
        if (present === null) {
          if (path !== ROOT) this.#removeAt(scope, asFilePath(path), { piece, stamp, tally: work.tally });
          tree.makeFolder(drive, tables.folders.existing(drive, parentFolder(path)).pk, path, createdAt);
        } else if (present.createdAt !== createdAt) tables.folders.setCreatedAt(present.pk, createdAt);
        piece.takeFolder();
      }
      piece.takeReads(PATHS);
      return rest;
    });
  }

  /** Puts back the files that have changed since the snapshot, each in the place of what is there now. */
  #putFilesBack(work: FolderRewindWork): Phase {
    const { tally, from } = work;
    const { drive } = from;
    return stepByStep(from.path, (range, piece, stamp) => {
      const scope = this.#scopeOf(work, stamp);
      const { rows, rest } = this.parts.tables.pastFiles.lost(scope, range, PIECE_FILES);
      piece.takeReads(PATHS);
      const taken: LostFile[] = [];
      for (const file of rows) {
        if (piece.isFull && taken.length > 0) break;
        const { path, tagCount: tags, metadata } = file;
        piece.takeFile({ drive, path, tags, metadata: Buffer.byteLength(metadata), isHeld: true });
        this.#removeAt(scope, path, { piece, stamp, tally });
        // One that has been moved within the folder since goes back to where it was.
        const moved = this.parts.tables.files.byId(file.id);
        if (moved?.drivePk === drive && moved.path !== path && isWithin(rangeOf(from.path), moved.path))
          this.#removeAt(scope, moved.path, { piece, stamp, tally });
        taken.push(file);
      }
      this.parts.tree.putBack(this.#placed(drive, taken, stamp), stamp);
      tally.restored += taken.length;
      return after(taken.length, rows, range, rest);
    });
  }

  /** Removes the files that the snapshot does not have. */
  #removeFiles(work: FolderRewindWork): Phase {
    let limit = PIECE_FILES;
    return stepByStep(work.from.path, (range, piece, stamp) => {
      const found = this.parts.tables.pastFiles.present(this.#scopeOf(work, stamp), range, limit);
      const gone: PresentFile[] = [];
      let rest = range;
      for (const file of found) {
        if (piece.isFull) break;
        if (file.isTouched === 1) {
          takePresent(piece, file);
          gone.push(file);
        } else piece.takeReads(1);
        rest = rangeFrom(rest, firstAfter(file.path));
      }
      this.#remove(gone, stamp, work.tally);
      const last = found.at(-1);
      const isAllDone = last === undefined || rest.from === firstAfter(last.path);
      if (found.length < limit && isAllDone) return null;
      // Many that stay are passed over in large steps; what goes fills the piece after a few.
      limit = gone.length === 0 ? PATHS : PIECE_FILES;
      return rest;
    });
  }

  /** Removes the folders that the snapshot does not have, innermost first. */
  #removeFolders(work: FolderRewindWork): Phase {
    const { from, to } = rangeOf(work.from.path);
    return rowByRow(
      (before, stamp) => {
        const range = { from, to: before ?? to };
        return this.parts.tables.pastFiles.presentFolders(this.#scopeOf(work, stamp), range, FOLDERS);
      },
      ({ pk, isKept }, piece) => {
        if (isKept === 1) return piece.takeReads(1);
        this.parts.tree.removeFolders([pk]);
        piece.takeFolder();
      },
    );
  }

  /** Removes the file at a path, which is not as in the snapshot, if there is one. */
  #removeAt(scope: SnapshotScope, path: FilePath, { piece, stamp, tally }: Going): void {
    const [file] = this.parts.tables.pastFiles.present(scope, { from: path, to: firstAfter(path) }, 1);
    if (file === undefined) return;
    takePresent(piece, file);
    this.#remove([file], stamp, tally);
  }

  /** Removes files that are not as in the snapshot. Where it has another content of one, this one is kept. */
  #remove(files: readonly PresentFile[], stamp: Stamp, tally: Tally): void {
    for (const file of files) if (file.isReplaced === 1) this.#kept.keepContent(file, stamp);
    this.parts.tree.removeAll(files, stamp);
    tally.removed += files.length;
  }

  #placed(drive: DrivePk, files: readonly LostFile[], stamp: Stamp): Past[] {
    const placeOf = placesIn(this.parts.tables, drive);
    return files.map((file) => {
      const id = this.#claimed(drive, file, stamp);
      const version = id === file.id ? Math.max(file.version, this.parts.tables.fileVersions.nextOf(id)) : 1;
      return { file: { ...file, id, version }, to: placeOf(file.path) };
    });
  }

  /** The id of a file that is put back: its own, or a new one where that is in use. Takes it out of the trash. */
  #claimed(drive: DrivePk, file: LostFile, stamp: Stamp): FileId {
    const { files, trash, trashContents, fileVersions } = this.parts.tables;
    if (files.byId(file.id) !== null) return newId<FileId>(stamp.now);
    const trashed = trashContents.placeOf(file.id);
    if (trashed === null) return file.id;
    if (trashed.drive !== drive) return newId<FileId>(stamp.now);
    if (trashed.blob !== file.blob) fileVersions.keepTrashed(trashed.pk, stamp);
    trashContents.remove(trashed.pk);
    trash.endIfEmpty(trashed.entry);
    return file.id;
  }

  #scopeOf({ from, snapshot }: FolderForkWork | FolderRewindWork, { now }: Stamp): SnapshotScope {
    return { drive: from.drive, at: this.parts.tables.snapshots.numberOf(snapshot), now };
  }
}

/** What is left of a range after the first of the rows that were read in it. @param rest what is left after all */
function after(
  taken: number,
  rows: readonly { readonly path: string }[],
  range: PathRange,
  rest: PathRange | null,
): PathRange | null {
  const next = rows[taken];
  return next === undefined ? rest : { from: next.path, to: range.to };
}

function takePresent(piece: Piece, file: PresentFile): void {
  piece.takeFile({ ...file, drive: file.drivePk, metadata: 0, isTrashed: true, isHeld: true });
}
