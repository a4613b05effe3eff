import type { SubtreeFile } from "../../db/folders/subtrees.ts";
import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/changes/actor.ts";
import { notFound } from "../../domain/errors.ts";
import { requireShortPaths } from "../../domain/folders/folder-transfer.ts";
import type {
  FolderRemovalWork,
  FolderTransferWork,
  FolderWork,
  WorkPlace,
} from "../../domain/folders/folder-work.ts";
import { parentFolder, relocated } from "../../domain/files/path.ts";
import { type Piece, PIECE_FILES } from "../../domain/folders/piece.ts";
import type { Log } from "../../process/log.ts";
import type { Retention } from "../../domain/history/retention.ts";
import type { Changes } from "../changes/changes.ts";
import { folderChanged, folderLeft } from "../changes/entries.ts";
import { ForkPieces } from "./fork-pieces.ts";
import { FOLDERS, foldersIn, PATHS, type Phase } from "./phases.ts";
import type { Transfer } from "../files/placed-files.ts";
import type { Quota } from "../quota.ts";
import { RestorePieces } from "./restore-pieces.ts";
import { RewindPieces } from "./rewind-pieces.ts";
import { advance, type Position, type Progress, type Reached } from "./progress.ts";
import type { Tree } from "../files/tree.ts";

/** Copies, moves, removes and restores folders in pieces. */
export class FolderPieces {
  readonly #parts;
  readonly #restores: RestorePieces;
  readonly #rewinds: RewindPieces;
  readonly #forks: ForkPieces;
  readonly #rows: number | undefined;

  constructor(parts: {
    tables: Tables;
    tree: Tree;
    quota: Quota;
    retention: Retention;
    changes: Changes;
    log: Log;
    pieceRows?: number | undefined;
  }) {
    this.#parts = parts;
    this.#restores = new RestorePieces(parts);
    this.#rewinds = new RewindPieces(parts);
    this.#forks = new ForkPieces(parts);
    this.#rows = parts.pieceRows;
  }

  /**
   * Does as much of a work as fits into a piece; see `advance`. The counts of the folders are correct after each piece.
   * Keeps nothing in memory, so a write that was rolled back can run again. Inside a write.
   *
   * @throws CofferError NOT_FOUND if a drive was deleted, QUOTA_EXCEEDED, VALIDATION_ERROR for a path that would be too
   *   long
   */
  step(work: FolderWork, begun: Progress, stamp: Stamp): Reached {
    this.#touch(work, stamp);
    return advance({
      begun,
      rows: this.#rows,
      does: (piece) => this.#step(work, begun, piece, stamp),
      onStall: (rows) =>
        this.#parts.log.error("a piece of a folder's change did nothing", { work, begun, rows }),
    });
  }

  #touch(work: FolderWork, { now }: Stamp): void {
    const { from, to } = work;
    // A fork changes nothing in its source, and its drive is not seen yet.
    const drives = work.kind === "fork" ? [from.drive] : [from.drive, to?.drive ?? from.drive];
    for (const drive of new Set(drives)) {
      if (!this.#parts.tables.drives.exists(drive, now)) throw notFound("drive");
      if (work.kind !== "fork") this.#parts.tables.drives.touch(drive, now);
    }
  }

  #step(work: FolderWork, { phase: done, after }: Position, piece: Piece, stamp: Stamp): Position | null {
    let last = after;
    for (const [index, phase] of this.#phasesOf(work).entries()) {
      if (index < done) continue;
      const reached = phase(piece, stamp, last);
      if (reached !== "done") return { phase: index, after: reached.after };
      last = null;
    }
    return null;
  }

  /**
   * What is done at the end of a work, when it is not on record any more. Only now it is told of: a reader who came
   * earlier would find half of it. Inside the last write.
   */
  end(work: FolderWork, stamp: Stamp): void {
    // Who asked for the new drive is told of it.
    if (work.kind === "fork") return;
    const { trash, folders, snapshots } = this.#parts.tables;
    const returns = work.kind === "restore" || work.kind === "reinstate";
    const entry = (returns || work.kind === "remove") && work.trash !== null ? trash.facts(work.trash) : null;
    const to = returns || work.kind === "rewind" ? work.from : work.to;
    const fileCount =
      to === null ? (entry?.fileCount ?? null) : folders.existing(to.drive, to.path).fileCount;
    const snapshot = work.kind === "rewind" ? snapshots.byPk(work.snapshot) : null;
    const facts = { fileCount, ref: entry?.id ?? snapshot?.id ?? null, stamp };
    for (const each of folderChanged(work, facts)) this.#parts.changes.add(each);
    if (returns) trash.remove(work.trash);
    else if (work.kind === "remove" && work.trash !== null) trash.setState(work.trash, "kept");
  }

  /** What is done at the end of a work that only stops. Inside the last write. */
  stop(work: FolderWork, stamp: Stamp): void {
    if (work.kind === "fork") return;
    this.#parts.changes.add(folderLeft(work, stamp));
  }

  phaseCount(work: FolderWork): number {
    return this.#phasesOf(work).length;
  }

  #phasesOf(work: FolderWork): readonly Phase[] {
    switch (work.kind) {
      case "copy":
        return [this.#checkPaths(work), this.#makeFolders(work), this.#copyFiles(work)];
      case "move":
        return [this.#checkPaths(work), ...this.#movePhases(work)];
      case "return":
        return this.#movePhases(work);
      case "remove":
        return [this.#removeFiles(work), this.#removeFolders(work.from, work)];
      case "restore":
      case "reinstate":
        return this.#restores.phasesOf(work);
      case "rewind":
        return this.#rewinds.phasesOf(work);
      case "fork":
        return this.#forks.phasesOf(work);
    }
  }

  #movePhases(work: FolderTransferWork): readonly Phase[] {
    return [this.#makeFolders(work), this.#moveFiles(work), this.#removeFolders(work.from, null)];
  }

  #checkPaths({ from, to }: FolderTransferWork): Phase {
    return (piece, { now }, start) => {
      let after = start;
      while (!piece.isFull) {
        const { longest, last, count } = this.#parts.tables.subtrees.paths(from, after, now, PATHS);
        requireShortPaths(longest, from.path, to.path);
        if (count < PATHS) return "done";
        piece.takeReads(count);
        after = last;
      }
      return { after };
    };
  }

  /** Creates missing folders at the destination. Their counts grow when files are added. */
  #makeFolders({ kind, from, to }: FolderTransferWork): Phase {
    const { folders, subtrees } = this.#parts.tables;
    return (piece, { now }, start) => {
      let after = start;
      for (;;) {
        const found = subtrees.folders(from, after, FOLDERS);
        for (const { path, createdAt } of found) {
          if (piece.isFull) return { after };
          const target = relocated(path, from.path, to.path);
          if (folders.byPath(to.drive, target) === null) {
            const parent = folders.existing(to.drive, parentFolder(target));
            this.#parts.tree.makeFolder(to.drive, parent.pk, target, kind === "copy" ? now : createdAt);
          }
          piece.takeFolder();
          after = path;
        }
        if (found.length < FOLDERS) return "done";
      }
    };
  }

  /** Copies all files except expired ones, which wait for the sweep. */
  #copyFiles(work: FolderTransferWork): Phase {
    const { from, to } = work;
    return (piece, stamp, after) => {
      const drive = this.#parts.tables.drives.byPk(to.drive, stamp.now);
      if (drive === null) throw notFound("drive");
      const found = this.#parts.tables.subtrees.files(from, after, stamp.now, PIECE_FILES);
      const taken = piece.takeFiles(found, (file) => ({ ...file, drive: to.drive }));
      this.#parts.tree.copyAll(drive, this.#transfersOf(work, taken), stamp);
      const isLast = found.length < PIECE_FILES && taken.length === found.length;
      return isLast ? "done" : { after: taken.at(-1)?.path ?? after };
    };
  }

  /** Moves the files that are left, and removes expired ones. */
  #moveFiles(work: FolderTransferWork): Phase {
    return (piece, stamp) => {
      const found = this.#parts.tables.subtrees.files(work.from, null, stamp.now, PIECE_FILES);
      // Tags, and the counts of folders, change at both ends.
      const taken = piece.takeFiles(found, (file) => ({ ...file, drive: file.drivePk }), 2);
      this.#expire(taken, stamp);
      this.#parts.tree.moveAll(this.#transfersOf(work, taken), stamp);
      if (work.kind === "move") this.#requireRoom(work, stamp);
      return found.length < PIECE_FILES && !piece.isFull ? "done" : { after: null };
    };
  }

  /** Removes those of some files that have expired. */
  #expire(files: readonly SubtreeFile[], stamp: Stamp): void {
    const expired = files.filter(({ hasExpired }) => hasExpired);
    this.#parts.tree.expire(
      expired.flatMap(({ drivePk, path }) => this.#parts.tables.files.byPath(drivePk, path) ?? []),
      stamp,
    );
  }

  /** Throws QUOTA_EXCEEDED if a drive of another owner is full. Other writes may fill it at the same time. */
  #requireRoom({ from, to }: FolderTransferWork, { now }: Stamp): void {
    if (from.drive === to.drive) return;
    const { drives } = this.#parts.tables;
    const drive = drives.byPk(to.drive, now);
    if (drive === null) throw notFound("drive");
    this.#parts.quota.requireRoomForGift(drives.ownerOf(from.drive), drive, now);
  }

  /** Removes the files that are left, or moves them into the trash. */
  #removeFiles({ from, trash }: FolderRemovalWork): Phase {
    const isTrashed = trash !== null;
    return (piece, stamp) => {
      const found = this.#parts.tables.subtrees.files(from, null, stamp.now, PIECE_FILES);
      const taken = piece.takeFiles(found, (file) => ({
        ...file,
        drive: file.drivePk,
        isTrashed,
        metadata: isTrashed ? file.metadata : 0,
      }));
      this.#expire(taken, stamp);
      const left = taken.filter(({ hasExpired }) => !hasExpired);
      if (trash === null) this.#parts.tree.removeAll(left, stamp);
      else this.#parts.tree.trashAll(left, { entry: trash, path: from.path }, stamp);
      return found.length < PIECE_FILES && !piece.isFull ? "done" : { after: null };
    };
  }

  /** The moves or copies of files that have not expired. The target folders must exist. */
  #transfersOf({ from, to }: FolderTransferWork, files: readonly SubtreeFile[]): Transfer[] {
    const folderOf = foldersIn(this.#parts.tables, to.drive);
    return files
      .filter(({ hasExpired }) => !hasExpired)
      .map((file) => {
        const path = relocated(file.path, from.path, to.path);
        return { file, to: { drive: to.drive, folder: folderOf(parentFolder(path)), path } };
      });
  }

  /** Removes folders, innermost first, or moves them into the trash. */
  #removeFolders({ drive, path: base, top }: WorkPlace, removal: FolderRemovalWork | null): Phase {
    const entry = removal?.trash ?? null;
    const { subtrees, trashContents } = this.#parts.tables;
    return (piece) => {
      for (;;) {
        const found = subtrees.lastFolders({ drive, path: top }, FOLDERS);
        for (const { pk, path, createdAt } of found) {
          if (piece.isFull) return { after: null };
          if (entry !== null && path.startsWith(base)) {
            trashContents.addFolder(entry, { path: path.slice(base.length), createdAt });
          }
          this.#parts.tree.removeFolders([pk]);
          piece.takeFolder();
        }
        if (found.length < FOLDERS) return "done";
      }
    };
  }
}
