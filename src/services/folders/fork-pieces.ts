import { type PathRange, rangeOf } from "../../db/files/path-range.ts";
import type { PastFile } from "../../db/snapshots/past-files.ts";
import type { Step } from "../../db/snapshots/snapshot-walk.ts";
import type { Tables } from "../../db/tables.ts";
import type { FolderFacts } from "../../domain/folders/folder.ts";
import type { FolderForkWork } from "../../domain/folders/folder-work.ts";
import { type FileId, newId } from "../../domain/id.ts";
import { parentFolder, ROOT } from "../../domain/files/path.ts";
import { PIECE_FILES } from "../../domain/folders/piece.ts";
import { FOLDERS, foldersIn, PATHS, type Phase } from "./phases.ts";
import type { Quota } from "../quota.ts";
import type { Tree } from "../files/tree.ts";

/** Fills a new drive, which nobody sees yet, with what a snapshot of another has, in pieces. */
export class ForkPieces {
  readonly #parts;

  constructor(parts: { tables: Tables; tree: Tree; quota: Quota }) {
    this.#parts = parts;
  }

  /** The phases of a fork; see `FolderPieces.step`. */
  phasesOf(work: FolderForkWork): readonly Phase[] {
    return [this.#makeFolders(work), this.#makeFiles(work)];
  }

  #makeFolders({ from, to, snapshot }: FolderForkWork): Phase {
    return this.#walk<FolderFacts>((piece, { now }, range) => {
      const scope = { drive: from.drive, at: this.#parts.tables.snapshots.numberOf(snapshot), now };
      const step = this.#parts.tables.snapshotLists.folders(scope, range, FOLDERS);
      for (const { path, createdAt } of step.rows) {
        if (path === ROOT) continue;
        const parent = this.#parts.tables.folders.existing(to.drive, parentFolder(path));
        this.#parts.tree.makeFolder(to.drive, parent.pk, path, createdAt);
        piece.takeFolder();
      }
      return step;
    });
  }

  /** Makes the files, with new ids and without a past. */
  #makeFiles({ from, to, snapshot }: FolderForkWork): Phase {
    return this.#walk<PastFile>((piece, stamp, range) => {
      const scope = {
        drive: from.drive,
        at: this.#parts.tables.snapshots.numberOf(snapshot),
        now: stamp.now,
      };
      const step = this.#parts.tables.pastFiles.all(scope, range, PIECE_FILES);
      const rows = piece.takeFiles(step.rows, (file) => ({
        drive: to.drive,
        path: file.path,
        tags: file.tagCount,
        metadata: Buffer.byteLength(file.metadata),
      }));
      const folderOf = foldersIn(this.#parts.tables, to.drive);
      const files = rows.map((file) => ({
        file: { ...file, id: newId<FileId>(stamp.now), version: 1 },
        to: { drive: to.drive, folder: folderOf(parentFolder(file.path)), path: file.path },
      }));
      this.#parts.tree.putBack(files, stamp);
      const drive = this.#parts.tables.drives.unborn(to.drive);
      if (drive !== null) this.#parts.quota.requireRecordRoom(drive);
      const next = step.rows[rows.length];
      return { rows, rest: next === undefined ? step.rest : { from: next.path, to: range.to } };
    });
  }

  /** A phase that does a step after another. It goes on at the start of the range that is left. */
  #walk<Row>(
    does: (piece: Parameters<Phase>[0], stamp: Parameters<Phase>[1], range: PathRange) => Step<Row>,
  ): Phase {
    return (piece, stamp, start) => {
      const whole = rangeOf(ROOT);
      let range: PathRange | null = start === null ? whole : { from: start, to: whole.to };
      while (range !== null) {
        if (piece.isFull) return { after: range.from };
        ({ rest: range } = does(piece, stamp, range));
        piece.takeReads(PATHS / 5);
      }
      return "done";
    };
  }
}
