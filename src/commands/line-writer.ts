/** How much text may wait for a reader who does not read, in characters. */
const WAITING_LIMIT = 1024 * 1024;

/**
 * Writes text to a stream, and calls `done` once the system has all of it or refused it: at once where
 * that is known at once.
 */
export type WriteText = (text: string, done: (error?: Error | null) => void) => void;

/**
 * Writes lines to a stream in few calls: those of one turn of the event loop go out together. One call
 * runs at a time, so that a line is written whole before the next one begins. A stream that takes nothing
 * any more is no failure: its lines wait, or are dropped once `dropBeyondLimit` was called.
 */
export class LineWriter {
  readonly #write: WriteText;
  #waiting = "";
  #waitingLines = 0;
  /** Lines dropped since the last report that arrived. */
  #dropped = 0;
  #reportDropped: ((lines: number) => void) | null = null;
  #isReporting = false;
  /** What is being written; null while nothing is. */
  #batch: Batch | null = null;
  #hasFailed = false;
  #isScheduled = false;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(write: WriteText) {
    this.#write = write;
  }

  /**
   * From now on no more than 1 MiB waits for the reader. Lines beyond that are dropped and counted.
   * `report` is called with their number when the reader takes lines again; the line that it adds follows
   * those that were still kept.
   */
  dropBeyondLimit(report: (lines: number) => void): void {
    this.#reportDropped = report;
  }

  /** Takes a line without its line break. */
  add(line: string): void {
    if (!this.#hasRoomFor(line)) {
      this.#dropped++;
    } else {
      this.#waiting += `${line}\n`;
      if (!this.#isReporting) this.#waitingLines++;
    }
    if (this.#isScheduled || this.#batch !== null) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  #hasRoomFor(line: string): boolean {
    if (this.#reportDropped === null || this.#isReporting) return true;
    // What was dropped stays together: the report follows the last line before the gap.
    if (this.#dropped > 0) return false;
    if (this.#waiting.length + line.length >= WAITING_LIMIT) this.flush();
    return (this.#batch?.text.length ?? 0) + this.#waiting.length + line.length < WAITING_LIMIT;
  }

  /** Writes out what waits, unless something is being written already: the rest follows by itself then. */
  flush(): void {
    if (this.#batch !== null) return;
    const reported = this.#report();
    if (this.#waiting === "") return;
    // What failed may have been half written: the next line begins on a line of its own.
    const text = this.#hasFailed ? `\n${this.#waiting}` : this.#waiting;
    const batch = { text, lines: this.#waitingLines, reported };
    this.#waiting = "";
    this.#waitingLines = 0;
    this.#batch = batch;
    this.#write(text, (error) => this.#end(batch, error ?? null));
  }

  /** Resolves when nothing is being written and nothing waits. */
  async idle(): Promise<void> {
    this.flush();
    if (this.#batch === null) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #end(batch: Batch, error: Error | null): void {
    this.#batch = null;
    this.#hasFailed = error !== null;
    if (error !== null) this.#dropped += batch.lines + batch.reported;
    // After a failure only the next line tries again, or a stream that is closed would be tried for ever.
    if (this.#waiting !== "" || (error === null && this.#hasToReport)) this.flush();
    if (this.#batch === null) {
      this.#idle?.resolve();
      this.#idle = null;
    }
  }

  get #hasToReport(): boolean {
    return this.#dropped > 0 && this.#reportDropped !== null;
  }

  /** Adds the report to what waits; the number of lines that it reports. */
  #report(): number {
    if (!this.#hasToReport) return 0;
    const reported = this.#dropped;
    this.#isReporting = true;
    this.#reportDropped?.(reported);
    this.#isReporting = false;
    this.#dropped = 0;
    return reported;
  }
}

/** Lines that are written in one call. */
interface Batch {
  readonly text: string;
  /** How many of its lines are not reports. */
  readonly lines: number;
  /** How many dropped lines its report tells of. */
  readonly reported: number;
}
