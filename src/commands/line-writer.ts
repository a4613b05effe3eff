/** How much unread text is kept, in characters. */
const WAITING_LIMIT = 1024 * 1024;

/** Writes text to a stream. Calls `done`, perhaps at once, when the system has accepted or refused all of it. */
export type WriteText = (text: string, done: (error?: Error | null) => void) => void;

/**
 * Writes lines to a stream in few calls: lines of one turn of the event loop are written together. Only one call runs
 * at a time, so lines are never mixed. A stream that accepts nothing is not an error: lines wait, or are dropped
 * after `dropBeyondLimit`.
 */
export class LineWriter {
  readonly #write: WriteText;
  #waiting = "";
  #waitingLines = 0;
  /** Lines dropped since the last report that was written. */
  #dropped = 0;
  #reportDropped: ((lines: number) => void) | null = null;
  #isReporting = false;
  /** What is being written, if anything, and how many lines are lost if that fails. */
  #batch: { readonly text: string; readonly lines: number } | null = null;
  #hasFailed = false;
  #isScheduled = false;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(write: WriteText) {
    this.#write = write;
  }

  /**
   * From now on keeps at most 1 MiB of unread lines; drops and counts the rest. When the reader reads again,
   * `report` is called with their number. The line that it adds comes after those that were kept.
   */
  dropBeyondLimit(report: (lines: number) => void): void {
    this.#reportDropped = report;
  }

  /** Adds a line, given without its line break. */
  add(line: string): void {
    if (!this.#hasRoomFor(line)) {
      this.#dropped++;
    } else {
      this.#waiting += `${line}\n`;
      if (!this.#isReporting) this.#waitingLines++;
    }
    // A report is written with the lines that it follows. If it set off a write of its own, a closed stream would be
    // tried forever: each failure is reported.
    if (this.#isReporting || this.#isScheduled || this.#batch !== null) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  #hasRoomFor(line: string): boolean {
    if (this.#reportDropped === null || this.#isReporting) return true;
    // One gap only: the report follows the last line before it.
    if (this.#dropped > 0) return false;
    if (this.#waiting.length + line.length >= WAITING_LIMIT) this.flush();
    return (this.#batch?.text.length ?? 0) + this.#waiting.length + line.length < WAITING_LIMIT;
  }

  /** Writes the waiting lines; if a write is running, they follow it. */
  flush(): void {
    if (this.#batch !== null) return;
    this.#report();
    if (this.#waiting === "") return;
    // A failed write may have been partial: start on a new line.
    const text = this.#hasFailed ? `\n${this.#waiting}` : this.#waiting;
    const lines = this.#waitingLines;
    this.#waiting = "";
    this.#waitingLines = 0;
    this.#batch = { text, lines };
    this.#write(text, (error) => this.#end(lines, error ?? null));
  }

  /** Resolves when nothing is being written and nothing waits. */
  async idle(): Promise<void> {
    this.flush();
    if (this.#batch === null) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #end(lines: number, error: Error | null): void {
    this.#batch = null;
    this.#hasFailed = error !== null;
    if (error !== null) this.#dropped += lines;
    // After a failure only a new line tries again, or a closed stream would be tried forever.
    if (this.#waiting !== "" || (error === null && this.#hasToReport)) this.flush();
    if (this.#batch === null) {
      this.#idle?.resolve();
      this.#idle = null;
    }
  }

  get #hasToReport(): boolean {
    return this.#dropped > 0 && this.#reportDropped !== null;
  }

  /** Adds the report to the waiting lines. It counts as the dropped lines that it tells of. */
  #report(): void {
    if (!this.#hasToReport) return;
    this.#isReporting = true;
    this.#reportDropped?.(this.#dropped);
    this.#isReporting = false;
    this.#waitingLines += this.#dropped;
    this.#dropped = 0;
  }
}
