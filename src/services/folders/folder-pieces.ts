import type { SubtreeFile } from "../../db/folders/folders.ts";
import type { Stamp } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { notFound, orNotFound } from "../../domain/errors.ts";
import { folderIn, inFolder, parentFolder, relocated } from "../../domain/files/path.ts";
import {
  type FolderRemovalWork,
  type FolderRestoreWork,
  type FolderTransferWork,
  type FolderWork,
  requireShortPaths,
} from "../../domain/folders/folder.ts";
import { PIECE_FILES } from "../../domain/folders/piece.ts";
import type { DrivePk } from "../../domain/id.ts";
import { folderChanged, folderLeft } from "../changes/entries.ts";
import type { Transfer } from "../files/folder-counts.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Phase, Progress, Reached } from "./phases.ts";
import { advance, FOLDERS, PATHS, placesIn, rowByRow, whatIsLeft } from "./phases.ts";
import { SnapshotPieces } from "./snapshot-pieces.ts";

/** Copies, moves, removes and restores folders in pieces. */
export class FolderPieces extends Service<
  Pick<Parts, "tables" | "tree" | "quota" | "retention" | "changes" | "log"> & {
    pieceRows?: number | undefined;
  }
> {
  readonly #snapshots = new SnapshotPieces(this.parts);

  /**
   * Does a piece of a work; see `advance`. The folders' counts are right after each. Keeps nothing in memory: a write
   * that was rolled back can run again. Inside a write. Throws NOT_FOUND for a deleted drive, QUOTA_EXCEEDED,
   * VALIDATION_ERROR.
   */
  step(work: FolderWork, begun: Progress, stamp: Stamp): Reached {
    this.#touch(work, stamp);
    return advance({
      begun,
      rows: this.parts.pieceRows,
      phases: this.phasesOf(work),
      stamp,
      onStall: (rows) =>
        this.parts.log.error("a piece of a folder's change did nothing", { work, begun, rows }),
    });
  }

  #touch(work: FolderWork, { now }: Stamp): void {
    const { from, to } = work;
    // A fork changes nothing in its source, and its drive is not seen yet.
    const drives = work.kind === "fork" ? [from.drive] : [from.drive, to?.drive ?? from.drive];
    for (const drive of new Set(drives)) {
      if (!this.parts.tables.drives.exists(drive, now)) throw notFound("drive");
      if (work.kind !== "fork") this.parts.tables.drives.touch(drive, now);
    }
  }

  /** Ends a work. Only now it is told of: an earlier reader would find half of it. Inside the last write. */
  end(work: FolderWork, stamp: Stamp): void {
    // Who asked for the new drive is told of it.
    if (work.kind === "fork") return;
    const { trash, folders, snapshots } = this.parts.tables;
    const returns = work.kind === "restore" || work.kind === "reinstate";
    const entry = (returns || work.kind === "remove") && work.trash !== null ? trash.facts(work.trash) : null;
    const to = returns || work.kind === "rewind" ? work.from : work.to;
    const fileCount =
      to === null ? (entry?.fileCount ?? null) : folders.existing(to.drive, to.path).fileCount;
    const snapshot = work.kind === "rewind" ? snapshots.byPk(work.snapshot) : null;
    const facts = { fileCount, ref: entry?.id ?? snapshot?.id ?? null, stamp };
    for (const each of folderChanged(work, facts)) this.parts.changes.add(each);
    if (returns) trash.remove(work.trash);
    else if (work.kind === "remove" && work.trash !== null) trash.setState(work.trash, "kept");
  }

  /** What is done at the end of a work that only stops. Inside the last write. */
  stop(work: FolderWork, stamp: Stamp): void {
    if (work.kind === "fork") return;
    this.parts.changes.add(folderLeft(work, stamp));
  }

  phasesOf(work: FolderWork): readonly Phase[] {
    switch (work.kind) {
      case "copy":
        return [this.#checkPaths(work), this.#makeFolders(work), this.#copyFiles(work)];
      case "move":
        return [this.#checkPaths(work), ...this.#movePhases(work)];
      case "return":
        return this.#movePhases(work);
      case "remove":
        return [this.#removeFiles(work), this.#removeFolders(work)];
      case "restore":
      case "reinstate":
        // The folders of the entry go last: until then it can be undone.
        return [
          this.#checkPaths(work),
          this.#makeFolders(work),
          this.#putFilesBack(work),
          this.#removeEntryFolders(work),
        ];
      case "rewind":
        return this.#snapshots.rewind(work);
      case "fork":
        return this.#snapshots.fork(work);
    }
  }

  #movePhases(work: FolderTransferWork): readonly Phase[] {
    return [this.#makeFolders(work), this.#moveFiles(work), this.#removeFolders(work)];
  }

  #checkPaths(work: FolderTransferWork | FolderRestoreWork): Phase {
    const { subtrees, trashContents } = this.parts.tables;
    return (piece, { now }, start) => {
      let after = start;
      while (!piece.isFull) {
        const { longest, last, count } =
          work.to === null
            ? trashContents.paths(work.trash, after, now, PATHS)
            : subtrees.paths(work.from, after, now, PATHS);
        requireShortPaths(work, longest);
        if (count < PATHS) return "done";
        piece.takeReads(count);
        after = last;
      }
      return { after };
    };
  }

  /** Creates missing folders at the destination, parents first. Their counts grow when files come. */
  #makeFolders(work: FolderTransferWork | FolderRestoreWork): Phase {
    const { folders, subtrees, trashContents } = this.parts.tables;
    const { drive, path: base } = work.to ?? work.from;
    return rowByRow<{ readonly path: string; readonly createdAt: number }>(
      (after) =>
        work.to === null
          ? trashContents.folders(work.trash, after, FOLDERS)
          : subtrees.folders(work.from, after, FOLDERS),
      ({ path, createdAt }, piece, { now }) => {
        const target = folderIn(base, work.to === null ? path : path.slice(work.from.path.length));
        if (folders.byPath(drive, target) === null) {
          const parent = folders.existing(drive, parentFolder(target));
          this.parts.tree.makeFolder(drive, parent.pk, target, work.kind === "copy" ? now : createdAt);
        }
        piece.takeFolder();
      },
    );
  }

  /** Copies all files except expired ones, which wait for the sweep. */
  #copyFiles(work: FolderTransferWork): Phase {
    return (piece, stamp, after) => {
      const drive = this.#drive(work.to.drive, stamp);
      const found = this.parts.tables.subtrees.files(work.from, after, stamp.now, PIECE_FILES);
      const taken = piece.takeFiles(found, (file) => ({ ...file, drive: drive.pk }));
      const left = taken.filter(({ hasExpired }) => !hasExpired);
      this.parts.tree.copyAll(drive, this.#transfersOf(work, left), stamp);
      const isLast = found.length < PIECE_FILES && taken.length === found.length;
      return isLast ? "done" : { after: taken.at(-1)?.path ?? after };
    };
  }

  #moveFiles(work: FolderTransferWork): Phase {
    const { tables, tree, quota } = this.parts;
    const { kind, from, to } = work;
    return whatIsLeft({
      read: ({ now }) => tables.subtrees.files(from, null, now, PIECE_FILES),
      measure: (file) => {
        const said = from.drive === to.drive ? 0 : tables.comments.rowsOf(file.pk);
        return { ...file, drive: file.drivePk, said };
      },
      // Tags, and the counts of folders, change at both ends.
      ends: 2,
      expire: (files, stamp) => this.#expire(files, stamp),
      take: (files, stamp) => {
        tree.moveAll(this.#transfersOf(work, files), stamp);
        if (kind === "return" || from.drive === to.drive) return;
        // Other writes may fill a drive of another owner at the same time.
        quota.requireRoomForGift(tables.drives.ownerOf(from.drive), this.#drive(to.drive, stamp), stamp.now);
      },
    });
  }

  #removeFiles({ from, trash }: FolderRemovalWork): Phase {
    const { tables, tree } = this.parts;
    const isTrashed = trash !== null;
    return whatIsLeft({
      read: ({ now }) => tables.subtrees.files(from, null, now, PIECE_FILES),
      measure: (file) => {
        return { ...file, drive: file.drivePk, isTrashed, metadata: isTrashed ? file.metadata : 0 };
      },
      expire: (files, stamp) => this.#expire(files, stamp),
      take: (files, stamp) => {
        if (trash === null) tree.removeAll(files, stamp);
        else tree.trashAll(files, { entry: trash, path: from.path }, stamp);
      },
    });
  }

  /** Puts the files of an entry back. The folders must exist. */
  #putFilesBack({ kind, trash, from }: FolderRestoreWork): Phase {
    const { tables, tree } = this.parts;
    return whatIsLeft({
      read: ({ now }) => tables.trashContents.files(trash, now, PIECE_FILES),
      measure: (file) => ({ ...file, drive: from.drive, isTrashed: true }),
      expire: (files) => {
        for (const { pk } of files) tables.trashContents.remove(pk);
      },
      take: (files, stamp) => {
        const drive = this.#drive(from.drive, stamp);
        const placeOf = placesIn(tables, from.drive);
        const restored = files.map((file) => ({
          file: { ...file, naming: null },
          to: placeOf(inFolder(from.path, file.path)),
        }));
        tree.restoreAll(drive, restored, stamp);
        // What has just been taken away has its room.
        if (kind === "restore") tree.requireRoom(drive, stamp);
      },
    });
  }

  #removeEntryFolders({ trash }: FolderRestoreWork): Phase {
    return (piece) => {
      while (!piece.isFull) {
        const removed = this.parts.tables.trashContents.removeFolders(trash, FOLDERS);
        piece.takeRows(removed);
        if (removed < FOLDERS) return "done";
      }
      return { after: null };
    };
  }

  /** Removes the folders, innermost first, or moves them into the trash. */
  #removeFolders(work: FolderTransferWork | FolderRemovalWork): Phase {
    const { drive, path: base, top } = work.from;
    const entry = work.kind === "remove" ? work.trash : null;
    const { subtrees, trashContents } = this.parts.tables;
    return rowByRow(
      () => subtrees.lastFolders({ drive, path: top }, FOLDERS),
      ({ pk, path, createdAt }, piece) => {
        if (entry !== null && path.startsWith(base)) {
          trashContents.addFolder(entry, { path: path.slice(base.length), createdAt });
        }
        this.parts.tree.removeFolders([pk]);
        piece.takeFolder();
      },
    );
  }

  #expire(files: readonly SubtreeFile[], stamp: Stamp): void {
    const { tables, tree } = this.parts;
    const expired = files.flatMap(({ drivePk, path }) => tables.files.byPath(drivePk, path) ?? []);
    tree.expire(expired, stamp);
  }

  #drive(pk: DrivePk, { now }: Stamp): Drive {
    return orNotFound(this.parts.tables.drives.byPk(pk, now), "drive");
  }

  /** The moves or copies of files. The target folders must exist. */
  #transfersOf({ from, to }: FolderTransferWork, files: readonly SubtreeFile[]): Transfer[] {
    const placeOf = placesIn(this.parts.tables, to.drive);
    return files.map((file) => ({ file, to: placeOf(relocated(file.path, from.path, to.path)) }));
  }
}
