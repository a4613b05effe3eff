import type { Statement } from "bun:sqlite";
import type { FilePk } from "../../domain/id.ts";
import type { Work } from "./work.ts";

/** Higher than every file handle; its product with the number of slices still fits a SQLite integer. */
export const ABOVE_ALL = 2 ** 47;

/** Rows of the first statement: at least as many as a text has slices. */
const FIRST_ROWS = 32;
/** The rows that a statement should give after a jump, and the most that it should give. */
const FEWEST_ROWS = 8;
const MOST_ROWS = 1024;
/** The most that a range of handles may grow from one statement to the next. */
const GROWTH = 4;

/** A file in a list. */
export interface Place {
  readonly file: FilePk;
}

/** A file that matches: the slice of its text, or null for its names. */
export interface Posting extends Place {
  readonly slice: number | null;
}

/** Files in the order of a search: highest handle first. */
export interface Descending<Found extends Place> {
  /** The next file at or below a handle; null if there is none. The handle must not rise from call to call. */
  seek(atMost: number): Found | null;
}

/** The statements that read the matches of an expression. */
export interface PostingsStatements {
  /** The highest at or below a handle: expression, handle, number of rows. */
  readonly first: Statement<Posting, [string, number, number]>;
  /** All in a range of handles, lowest first: expression, lowest, highest. */
  readonly range: Statement<Posting, [string, number, number]>;
}

/**
 * The files of one full-text expression. It reads only as much as needed: few rows after a jump, and more if file after
 * file is needed. FTS5 quickly finds the start of an ascending list, but not of a descending one. So except for the
 * first rows, it reads ranges of handles, wider ones if there are few rows in them.
 */
export class Postings implements Descending<Posting> {
  readonly #statements: PostingsStatements;
  readonly #expression: string;
  readonly #work: Work;
  readonly #lists: number;
  #rows: readonly Posting[] = [];
  #at = 0;
  /** Everything down to this handle was read. */
  #floor = ABOVE_ALL;
  #wanted = 0;
  /** The number of handles in the last range. */
  #span = 0;

  /** @param lists how many lists of the index the expression combines; each statement opens all of them */
  constructor(statements: PostingsStatements, expression: string, lists: number, work: Work) {
    this.#statements = statements;
    this.#expression = expression;
    this.#work = work;
    this.#lists = lists;
  }

  seek(atMost: number): Posting | null {
    for (;;) {
      for (let row = this.#rows[this.#at]; row !== undefined; row = this.#rows[++this.#at]) {
        if (row.file > atMost) continue;
        // The slices of a text are in descending order; the first is wanted.
        while (this.#rows[this.#at + 1]?.file === row.file) row = this.#rows[++this.#at] ?? row;
        return row;
      }
      if (this.#floor <= 0) return null;
      if (this.#floor === ABOVE_ALL) this.#readFirst(atMost);
      else this.#readRange(Math.min(atMost, this.#floor - 1));
      this.#work.did(this.#rows.length);
      this.#at = 0;
    }
  }

  #readFirst(atMost: number): void {
    this.#wanted = Math.max(FIRST_ROWS, this.#lists);
    this.#rows = this.#statements.first.all(this.#expression, atMost, this.#wanted);
    const [first, last] = [this.#rows[0], this.#rows.at(-1)];
    const isAll = first === undefined || last === undefined || this.#rows.length < this.#wanted;
    this.#floor = isAll ? 0 : last.file;
    this.#span = isAll ? 0 : first.file - last.file + 1;
  }

  #readRange(highest: number): void {
    const isNear = this.#floor - highest <= this.#span;
    const wanted = isNear ? Math.min(2 * this.#wanted, MOST_ROWS) : FEWEST_ROWS;
    this.#wanted = Math.max(wanted, this.#lists);
    const span = (this.#wanted * this.#span) / Math.max(this.#rows.length, 1);
    this.#span = Math.ceil(Math.min(span, GROWTH * this.#span));
    this.#floor = Math.max(highest - this.#span + 1, 0);
    this.#rows = this.#statements.range.all(this.#expression, this.#floor, highest).toReversed();
  }
}

/** Files that are known already. */
export class Few implements Descending<Place> {
  readonly #files: readonly FilePk[];
  #at = 0;

  constructor(files: readonly FilePk[]) {
    this.#files = files.toSorted((a, b) => b - a);
  }

  seek(atMost: number): Place | null {
    for (let file = this.#files[this.#at]; file !== undefined; file = this.#files[++this.#at]) {
      if (file <= atMost) return { file };
    }
    return null;
  }
}
