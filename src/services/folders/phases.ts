import type { FilePlace } from "../../db/files/files.ts";
import { type PathRange, rangeFrom, rangeOf } from "../../db/files/files.ts";
import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/changes/change.ts";
import { type FilePath, type FolderPath, parentFolder } from "../../domain/files/path.ts";
import { Piece, PIECE_FILES, PIECE_ROWS, type PieceFile } from "../../domain/folders/piece.ts";
import type { DrivePk, FolderPk } from "../../domain/id.ts";

/** How many folders one query reads. */
export const FOLDERS = 200;
/** How many paths one query reads. */
export const PATHS = 500;

/** How far a work is. Valid only when its write is durable; if the write fails, continue from the previous one. */
export interface Progress {
  /** How many of the work's phases are done. */
  readonly phase: number;
  /** The position that the phase has reached; null at its start, and in phases that start with whatever is left. */
  readonly after: string | null;
  /** How many files were written or removed so far. */
  readonly files: number;
}

type Position = Pick<Progress, "phase" | "after">;

/** What a piece has come to; null at the end. */
export type Reached = Pick<Progress, "files"> & { readonly progress: Progress | null };

/** The start of every work, even if parts of it are already done. */
export const START: Progress = { phase: 0, after: null, files: 0 };

/** How much larger pieces are, one after another, as long as none of them gets further. */
const LARGER = [1, 10, 1000];

/**
 * Does as much as fits into a piece, from a position on. Returns the position reached, "done" at the end, or null in a
 * phase that begins with whatever is left.
 */
export type Phase = (
  piece: Piece,
  stamp: Stamp,
  after: string | null,
) => { readonly after: string | null } | "done";

/**
 * Does a piece of a work, of so many `rows`. One that gets no further changed nothing and would be done for ever: after
 * `onStall` a larger one is tried at once. Inside a write. Throws Error if none gets further.
 */
export function advance({
  begun,
  phases,
  stamp,
  rows: size = PIECE_ROWS,
  onStall,
}: {
  begun: Progress;
  phases: readonly Phase[];
  stamp: Stamp;
  rows?: number | undefined;
  onStall: (rows: number) => void;
}): Reached {
  for (const larger of LARGER) {
    const rows = size * larger;
    const piece = new Piece(rows);
    const reached = through(phases, piece, stamp, begun);
    const files = begun.files + piece.files;
    if (reached === null) return { progress: null, files };
    // Where there is no position, what was done is no more among what is left.
    const isFurther = reached.after === null ? piece.taken > 0 : reached.after !== begun.after;
    if (isFurther || reached.phase !== begun.phase) return { progress: { ...reached, files }, files };
    onStall(rows);
  }
  throw new Error("a change of a folder cannot go on");
}

/** Does phases until the piece is full. Returns the position that it has reached; null at the end. */
function through(phases: readonly Phase[], piece: Piece, stamp: Stamp, begun: Position): Position | null {
  let after = begun.after;
  for (const [index, phase] of phases.entries()) {
    if (index < begun.phase) continue;
    const reached = phase(piece, stamp, after);
    if (reached !== "done") return { phase: index, after: reached.after };
    after = null;
  }
  return null;
}

/** A phase that takes rows one by one. @param read reads up to `FOLDERS` rows after a path */
export function rowByRow<Row extends { readonly path: string }>(
  read: (after: string | null, stamp: Stamp) => readonly Row[],
  take: (row: Row, piece: Piece, stamp: Stamp) => void,
): Phase {
  return (piece, stamp, start) => {
    let after = start;
    for (;;) {
      const found = read(after, stamp);
      for (const row of found) {
        if (piece.isFull) return { after };
        take(row, piece, stamp);
        after = row.path;
      }
      if (found.length < FOLDERS) return "done";
    }
  };
}

/** A phase that goes through a folder. @param step does some of a range, and returns what is left; null at the end */
export function stepByStep(
  folder: FolderPath,
  step: (range: PathRange, piece: Piece, stamp: Stamp) => PathRange | null,
): Phase {
  return (piece, stamp, start) => {
    const whole = rangeOf(folder);
    let range: PathRange | null = start === null ? whole : rangeFrom(whole, start);
    while (range !== null) {
      if (piece.isFull) return { after: range.from };
      range = step(range, piece, stamp);
    }
    return "done";
  };
}

/** A phase that takes files away, and begins each time with those that are left. */
export function whatIsLeft<File extends { readonly hasExpired: boolean }>(parts: {
  /** Reads up to `PIECE_FILES`. */
  read: (stamp: Stamp) => readonly File[];
  /** What each costs. */
  measure: (file: File) => PieceFile;
  /** See `Piece.takeFile`. */
  ends?: 1 | 2;
  expire: (files: readonly File[], stamp: Stamp) => void;
  /** Does those that have not expired. */
  take: (files: readonly File[], stamp: Stamp) => void;
}): Phase {
  return (piece, stamp) => {
    const found = parts.read(stamp);
    const taken = piece.takeFiles(found, parts.measure, parts.ends);
    const { expired = [], left = [] } = Object.groupBy(taken, ({ hasExpired }) =>
      hasExpired ? "expired" : "left",
    );
    parts.expire(expired, stamp);
    parts.take(left, stamp);
    return found.length < PIECE_FILES && !piece.isFull ? "done" : { after: null };
  };
}

/** Finds the places for files of a drive, whose folders exist. */
export function placesIn({ folders }: Tables, drive: DrivePk): (path: FilePath) => FilePlace {
  // Neighbouring files are mostly in the same folder.
  let last: { readonly path: FolderPath; readonly pk: FolderPk } | null = null;
  return (path) => {
    const folder = parentFolder(path);
    if (last?.path !== folder) last = { path: folder, pk: folders.existing(drive, folder).pk };
    return { drive, folder: last.pk, path };
  };
}
