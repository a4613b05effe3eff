import { setImmediate as nextTurn } from "node:timers/promises";

/** The cost of starting a statement, in rows. */
const ROWS_A_STATEMENT = 10;
/** How long a search runs before others get a turn, in milliseconds. */
const TURN_MS = 10;

/** A search took longer than its budget. */
export class Overrun extends Error {}

/** The work of one search so far, and its turns on the thread. */
export class Work {
  /** The rows read so far, and the cost of the statements in rows. */
  rows = 0;
  readonly #deadline: number;
  readonly #proceeds: () => void;
  #turnEnd = performance.now() + TURN_MS;

  /**
   * @param budget the most time it may take, in milliseconds
   * @param proceeds is called after every statement
   */
  constructor(budget: number, proceeds: () => void) {
    this.#deadline = performance.now() + budget;
    this.#proceeds = proceeds;
    proceeds();
  }

  /** Counts a statement and its rows. */
  did(rows: number): void {
    this.rows += rows + ROWS_A_STATEMENT;
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
