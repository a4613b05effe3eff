import { setImmediate as nextTurn } from "node:timers/promises";

/** The most files that a search with words finds; with filters alone, those of the first pages. */
const FILES = 2500;
/** How many files are enough after so many rows of work. */
export const ENOUGH = 100;
const ROWS = 15_000;
/** The most rows, even if few files are found. */
const MOST_ROWS = 300_000;
/** The most files that a filter may select for a search to look at only these. */
const FEW = 1000;
/** The same for a search with filters alone, if few of the files that were updated last pass them. */
const SELECTED = 20_000;
/** The most files of each kind that may rank before others, and the rows for each kind. */
const BETTER_FILES = 250;
const BETTER_ROWS = 4000;
/** The most files for each word, where no file has all words, and the rows for them, and again to compare them. */
const RELAXED_FILES = 1000;
const RELAXED_ROWS = 150_000;
/** The most files that are compared by their meaning, those that were updated last, and the most passages of them. */
const COMPARED_FILES = 10_000;
const COMPARED_PASSAGES = 50_000;
/** The smallest share of these numbers for one drive, however many drives are searched. */
const LEAST_SHARE = 1 / 20;

export type Bounds = ReturnType<typeof boundsOf>;

/** The bounds for each drive. All pages have the same, and other people's files change nothing. */
export function boundsOf(drives: number) {
  const share = Math.max(1 / drives, LEAST_SHARE);
  return {
    files: Math.ceil(FILES * share),
    rows: Math.ceil(ROWS * share),
    mostRows: Math.ceil(MOST_ROWS * share),
    few: FEW,
    selected: Math.ceil(SELECTED * share),
    betterFiles: Math.ceil(BETTER_FILES * share),
    betterRows: Math.ceil(BETTER_ROWS * share),
    comparedFiles: Math.ceil(COMPARED_FILES * share),
    comparedPassages: Math.ceil(COMPARED_PASSAGES * share),
    relaxedFiles: Math.ceil(RELAXED_FILES * share),
    relaxedRows: Math.ceil(RELAXED_ROWS * share),
  };
}

/** Whether the search of a drive may stop before its most rows. @param rows the rows of work for it */
export function isEnough(bounds: Bounds, files: number, rows: number): boolean {
  return files >= bounds.files || (files >= ENOUGH && rows >= bounds.rows);
}

/** The cost of starting a statement, and of opening each list of the index after its first, in rows. */
const ROWS_A_STATEMENT = 10;
const ROWS_A_LIST = 8;
/** Of how many lists a statement may give the next row at the cost of one more row. */
const LISTS_A_ROW = 256;
/** How long a search runs before others get a turn, in milliseconds. */
const TURN_MS = 10;

export class Overrun extends Error {}

export class Work {
  /** The rows read so far, and the cost of the statements in rows. */
  rows = 0;
  /** Up to how many it may go on. */
  #most = Number.POSITIVE_INFINITY;
  readonly #deadline: number;
  readonly #late: number;
  readonly #proceeds: () => void;
  #turnEnd = performance.now() + TURN_MS;

  /** @param budget milliseconds, at most @param proceeds is called after every statement */
  constructor(budget: number, proceeds: () => void) {
    this.#deadline = performance.now() + budget;
    this.#late = this.#deadline - budget / 2;
    this.#proceeds = proceeds;
    proceeds();
  }

  /** Whether half of the time is over: what an answer can do without is left out then. */
  get isLate(): boolean {
    return performance.now() > this.#late;
  }

  allow(rows: number): void {
    this.#most = this.rows + rows;
  }

  /** Whether all that was allowed is done. Then lists end, wherever they are. */
  get isSpent(): boolean {
    return this.rows >= this.#most;
  }

  /** Counts a statement: how many rows it read, and how many lists of the index it combined. */
  did(rows: number, lists = 1): void {
    this.rows += ROWS_A_STATEMENT + openingCost(lists) + rows * (1 + lists / LISTS_A_ROW);
    this.#proceeds();
  }

  /** Lets other searches run if it is their turn. Throws Overrun when the budget is spent. */
  async next(): Promise<void> {
    const now = performance.now();
    if (now > this.#deadline) throw new Overrun("a search took too long");
    if (now < this.#turnEnd) return;
    await nextTurn();
    this.#turnEnd = performance.now() + TURN_MS;
  }
}

/** The cost of opening lists of the index in one statement, in rows. */
export function openingCost(lists: number): number {
  return ROWS_A_LIST * (lists - 1);
}
