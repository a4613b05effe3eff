import type { File } from "../files/file.ts";
import { utf8Length } from "../contents/texts/text.ts";

/** About how many rows one piece of a large change writes: some milliseconds of work. A file may exceed it. */
export const PIECE_ROWS = 500;
/** Rows per file: its own, its drive's, its content's counts, their owner's, its jobs and entries of the index. */
const FILE_ROWS = 8;
/** Rows more where it goes to the trash or comes from there: its row there, its entry's, and what its drive keeps. */
const TRASH_ROWS = 6;
/** Rows more where a snapshot has it: its row there, what its drive keeps, and its era. */
const HELD_ROWS = 5;
/** Rows for each folder whose counts change where snapshots may have it: its own, its row there, and its era. */
const HELD_FOLDER_ROWS = 3;
/** Rows per folder: its own, its drive's, and the count in its parent. */
const FOLDER_ROWS = 3;
/** How many rows that are only read cost as much as one that is written. */
const READS_PER_ROW = 4;
/** Bytes of metadata that cost as much to write as a row. */
const METADATA_ROW = 4096;

export const PIECE_FILES = Math.ceil(PIECE_ROWS / FILE_ROWS);

export interface PieceFile {
  /** Key of the drive. Files that follow each other cost less if they share drive and folders. */
  readonly drive: number;
  readonly path: string;
  /** How many; each is a row. */
  readonly tags: number;
  /** Bytes; 0 if metadata is not written. */
  readonly metadata: number;
  readonly isTrashed?: boolean;
  readonly isHeld?: boolean;
  /** Rows of what was said of it, which go along into another drive. */
  readonly said?: number;
}

/** The cost of removing a file; its metadata is not written. */
export function goingFile({ drivePk, path, tags }: File): PieceFile {
  return { drive: drivePk, path, tags: tags.length, metadata: 0 };
}

export function trashedFile({ drivePk, path, tags, metadata }: File): PieceFile {
  const bytes = utf8Length(JSON.stringify(metadata));
  return { drive: drivePk, path, tags: tags.length, metadata: bytes, isTrashed: true };
}

/** Measures one transaction of a large change, in rows: a file may have 64 tags and 500 folders above it. */
export class Piece {
  readonly #limit;
  #rows = 0;
  #taken = 0;
  #files = 0;
  #last: PieceFile | null = null;

  /** @param limit rows; a piece of any size takes at least one file or folder */
  constructor(limit: number = PIECE_ROWS) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#rows >= this.#limit;
  }

  /** How many files, folders and rows it has changed; 0 if it has only read. */
  get taken(): number {
    return this.#taken;
  }

  get files(): number {
    return this.#files;
  }

  /** Adds a file. `ends` is 2 if it both leaves one place and arrives at another. */
  takeFile(file: PieceFile, ends: 1 | 2 = 1): void {
    const { drive, path, tags, metadata, isTrashed = false, isHeld = false, said = 0 } = file;
    // The folders above the first file change in every piece, however small it is: only those that are held count.
    const first = isHeld ? "" : path;
    const other = this.#last === null ? first : this.#last.drive === drive ? this.#last.path : "";
    const folders = slashesAfter(path, sharedLength(other, path));
    this.#rows += FILE_ROWS + (isTrashed ? TRASH_ROWS : 0) + (isHeld ? HELD_ROWS : 0) + said;
    this.#rows +=
      Math.floor(metadata / METADATA_ROW) + ends * (tags + folders * (isHeld ? HELD_FOLDER_ROWS : 1));
    this.#last = file;
    this.#taken += 1;
    this.#files += 1;
  }

  /** Adds files in order until the piece is full. Returns those that were added. */
  takeFiles<T>(files: readonly T[], measure: (file: T) => PieceFile, ends: 1 | 2 = 1): T[] {
    const taken: T[] = [];
    for (const file of files) {
      if (this.isFull) break;
      this.takeFile(measure(file), ends);
      taken.push(file);
    }
    return taken;
  }

  takeFolder(): void {
    this.#rows += FOLDER_ROWS;
    this.#taken += 1;
  }

  takeRows(rows: number): void {
    this.#rows += rows;
    this.#taken += rows;
  }

  takeReads(rows: number): void {
    this.#rows += rows / READS_PER_ROW;
  }
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** How many slashes follow a position: one for each folder that ends there. */
function slashesAfter(path: string, position: number): number {
  let slashes = 0;
  for (let at = path.indexOf("/", position); at !== -1; at = path.indexOf("/", at + 1)) slashes += 1;
  return slashes;
}
