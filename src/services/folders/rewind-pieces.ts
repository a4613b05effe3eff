import type { LostFile, PresentFile } from "../../db/past-files.ts";
import { firstAfter, type PathRange, rangeFrom, rangeOf } from "../../db/path-range.ts";
import type { SnapshotScope } from "../../db/snapshot-lists.ts";
import type { Step } from "../../db/snapshot-walk.ts";
import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/actor.ts";
import type { FolderFacts } from "../../domain/folders/folder.ts";
import type { FolderRewindWork } from "../../domain/folders/folder-work.ts";
import { type DrivePk, type FileId, newId, type SnapshotPk } from "../../domain/id.ts";
import { parentFolder } from "../../domain/path.ts";
import { PIECE_FILES } from "../../domain/folders/piece.ts";
import type { Retention } from "../../domain/retention.ts";
import { KeptFiles } from "../history/kept-files.ts";
import { FOLDERS, foldersIn, PATHS, type Phase } from "./phases.ts";
import type { Past } from "../placed-files.ts";
import type { Tree } from "../tree.ts";

/**
 * Brings folders back to what a snapshot has, in pieces. The newest snapshot of the drive was taken right before: it
 * has all that is removed here. None is taken until the work ends. So what has changed since that one was put back by
 * the work itself, and each phase can begin again.
 */
export class RewindPieces {
  readonly #tables: Tables;
  readonly #tree: Tree;
  readonly #kept: KeptFiles;

  constructor(parts: { tables: Tables; tree: Tree; retention: Retention }) {
    this.#tables = parts.tables;
    this.#tree = parts.tree;
    this.#kept = new KeptFiles(parts);
  }

  /** The phases of a rewind; see `FolderPieces.step`. */
  phasesOf(work: FolderRewindWork): readonly Phase[] {
    return [
      this.#removeFiles(work),
      this.#removeFolders(work),
      this.#makeFolders(work),
      this.#putFilesBack(work),
    ];
  }

  /** Removes the files that have changed since the snapshot. Where it has another content of one, this one is kept. */
  #removeFiles({ from, snapshot, tally }: FolderRewindWork): Phase {
    return (piece, stamp, start) => {
      const scope = this.#scopeOf(from.drive, snapshot, stamp);
      let after = start;
      while (!piece.isFull) {
        const found = this.#tables.pastFiles.present(
          scope,
          rangeAfter(rangeOf(from.path), after),
          PATHS.read,
        );
        const gone: PresentFile[] = [];
        for (const file of found) {
          if (piece.isFull) break;
          if (file.isTouched === 1) {
            piece.takeFile({ ...file, drive: from.drive, metadata: 0, isTrashed: true, isHeld: true });
            gone.push(file);
          } else piece.takeRows(1 / PATHS.perRow);
          after = file.path;
        }
        for (const file of gone) if (file.isReplaced === 1) this.#kept.keepContent(file, stamp);
        this.#tree.removeAll(gone, stamp);
        tally.removed += gone.length;
        if (found.length < PATHS.read && (found.at(-1)?.path ?? after) === after) return "done";
      }
      return { after };
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
        const found = this.#tables.pastFiles.presentFolders(scope, range, FOLDERS);
        for (const { pk, path, isKept } of found) {
          if (piece.isFull) return { after: before };
          if (isKept === 0) {
            this.#tree.removeFolders([pk]);
            piece.takeFolder();
          } else piece.takeRows(1 / PATHS.perRow);
          before = path;
        }
        if (found.length < FOLDERS) return "done";
      }
    };
  }

  /** Makes the folders that are missing, parents first. */
  #makeFolders({ from, snapshot }: FolderRewindWork): Phase {
    const { folders, snapshotLists } = this.#tables;
    return (piece, stamp, start) => {
      const scope = this.#scopeOf(from.drive, snapshot, stamp);
      let range: PathRange | null = rangeAfter(rangeOf(from.path), start);
      let after = start;
      while (range !== null) {
        const { rows, rest }: Step<FolderFacts> = snapshotLists.folders(scope, range, FOLDERS);
        for (const { path, createdAt } of rows) {
          if (piece.isFull) return { after };
          const present = folders.byPath(from.drive, path);
          if (present === null) {
            const parent = folders.existing(from.drive, parentFolder(path));
            this.#tree.makeFolder(from.drive, parent.pk, path, createdAt);
          } else if (present.createdAt !== createdAt) folders.setCreatedAt(present.pk, createdAt);
          piece.takeFolder();
          after = path;
        }
        piece.takeRows(PATHS.read / PATHS.perRow);
        range = rest;
      }
      return "done";
    };
  }

  /** Puts back the files that have changed since the snapshot. */
  #putFilesBack({ from, snapshot, tally }: FolderRewindWork): Phase {
    return (piece, stamp, start) => {
      const scope = this.#scopeOf(from.drive, snapshot, stamp);
      const whole = rangeOf(from.path);
      let range: PathRange | null = start === null ? whole : { from: start, to: whole.to };
      while (range !== null) {
        if (piece.isFull) return { after: range.from };
        const { rows, rest }: Step<LostFile> = this.#tables.pastFiles.lost(scope, range, PIECE_FILES);
        piece.takeRows(PATHS.read / PATHS.perRow);
        const taken = piece.takeFiles(rows, (file) => ({
          drive: from.drive,
          path: file.path,
          tags: file.tagCount,
          metadata: Buffer.byteLength(file.metadata),
          isHeld: true,
        }));
        this.#tree.putBack(this.#placed(from.drive, taken, stamp), stamp);
        tally.restored += taken.length;
        const next = rows[taken.length];
        range = next === undefined ? rest : { from: next.path, to: whole.to };
      }
      return "done";
    };
  }

  #placed(drive: DrivePk, files: readonly LostFile[], stamp: Stamp): Past[] {
    const folderOf = foldersIn(this.#tables, drive);
    return files.map((file) => {
      const id = this.#claimed(drive, file, stamp);
      const version = id === file.id ? Math.max(file.version, this.#tables.fileVersions.nextOf(id)) : 1;
      const to = { drive, folder: folderOf(parentFolder(file.path)), path: file.path };
      return { file: { ...file, id, version }, to };
    });
  }

  /** The id of a file that is put back: its own, or a new one where that is in use. Takes it out of the trash. */
  #claimed(drive: DrivePk, file: LostFile, stamp: Stamp): FileId {
    const { files, trash, trashContents, fileVersions } = this.#tables;
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
    return { drive, at: this.#tables.snapshots.numberOf(pk), now };
  }
}

function rangeAfter(range: PathRange, after: string | null): PathRange {
  return after === null ? range : rangeFrom(range, firstAfter(after));
}
