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
/** The smallest share of these numbers for one drive, however many drives are searched. */
const LEAST_SHARE = 1 / 20;

/** When the search of one drive stops. */
export type Bounds = ReturnType<typeof boundsOf>;

/**
 * The bounds for each drive. They depend only on the number of drives, so that all pages of an answer come from the
 * same files, and so that other people's files change nothing.
 */
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
  };
}

/**
 * Whether the search of a drive may stop before its most rows.
 *
 * @param files the number of files found in it
 * @param rows the rows of work for it
 */
export function isEnough(bounds: Bounds, files: number, rows: number): boolean {
  return files >= bounds.files || (files >= ENOUGH && rows >= bounds.rows);
}
