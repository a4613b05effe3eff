import type { File } from "./file.ts";

/** The most rows that one piece of a large change takes, give or take a file and the folders above: some milliseconds' worth. */
const PIECE_ROWS = 1000;
/** What comes or goes with a file: its row, its content's count and whose that is, its jobs for the index, its entries there. */
const FILE_ROWS = 7;
/** What comes or goes with a folder: its row, and its parent's count of folders. */
const FOLDER_ROWS = 2;
/** Bytes of metadata that cost as much as a row. */
const METADATA_ROW = 4096;

/** How many files one piece takes at the very most. */
export const PIECE_FILES = Math.ceil(PIECE_ROWS / FILE_ROWS);

/** A file as far as it matters how much is written with it. */
export interface PieceFile {
  /** Handles and paths of files that follow each other cost less where they stand in the same folders. */
  readonly drive: number;
  readonly path: string;
  /** How many; each has an entry of its own. */
  readonly tags: number;
  /** Bytes; 0 where it is not written. */
  readonly metadata: number;
}

/** What it costs to remove a file: its metadata is not written. */
export function goingFile({ drivePk, path, tags }: File): PieceFile {
  return { drive: drivePk, path, tags: tags.length, metadata: 0 };
}

/**
 * Measures one piece of a large change: the part of it that goes into one transaction, on which all other
 * requests wait. It counts the rows that are written, and not files alone: one file may have 64 tags and stand
 * in 500 folders, each of which counts it.
 */
export class Piece {
  #rows = 0;
  #last: PieceFile | null = null;

  /** Whether nothing more should go in. */
  get isFull(): boolean {
    return this.#rows >= PIECE_ROWS;
  }

  /** Takes a file. `ends` is 2 where it both goes from one place and comes to another. */
  takeFile(file: PieceFile, ends: 1 | 2 = 1): void {
    const { drive, path, tags, metadata } = file;
    // The folders above the first file are counted in every piece, however small it is.
    const other = this.#last === null ? path : this.#last.drive === drive ? this.#last.path : "";
    const folders = slashesAfter(path, sharedLength(other, path));
    this.#rows += FILE_ROWS + Math.floor(metadata / METADATA_ROW) + ends * (tags + folders);
    this.#last = file;
  }

  /** Takes files as `takeFile` does, from the first on, until it is full; those that it took. */
  takeFiles<T>(files: readonly T[], measure: (file: T) => PieceFile, ends: 1 | 2 = 1): T[] {
    const taken: T[] = [];
    for (const file of files) {
      if (this.isFull) break;
      this.takeFile(measure(file), ends);
      taken.push(file);
    }
    return taken;
  }

  /** Takes a folder. */
  takeFolder(): void {
    this.#rows += FOLDER_ROWS;
  }

  /** Takes rows that are written, or looked at where that costs as much. */
  takeRows(rows: number): void {
    this.#rows += rows;
  }
}

/** How many characters two texts have in common at their start. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** How many folders of a path end after a position. */
function slashesAfter(path: string, position: number): number {
  let slashes = 0;
  for (let at = path.indexOf("/", position); at !== -1; at = path.indexOf("/", at + 1)) slashes += 1;
  return slashes;
}
