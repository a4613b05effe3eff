import { constants, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { once } from "../domain/once.ts";

/** How long a reader of standard output that reads nothing may delay the exit, in milliseconds. */
const LAST_LINES_MS = 1000;
/** How often progress is shown, in milliseconds. */
const PROGRESS_MS = 200;
/** How long to wait before writing again to a terminal that accepts nothing, in milliseconds. */
const RETRY_MS = 20;

const STDOUT = 1;
const STDERR = 2;

/** What a command writes to. */
export type Terminal = ReturnType<typeof processTerminal>;

export function processTerminal() {
  const [isTerminal, showsProgress] = [isTerminalAt(STDOUT), isTerminalAt(STDERR)];
  const output = once(() => sinkWriter(STDOUT));
  const lines = new LineWriter((isTerminal ? ttyWriter(STDOUT) : null) ?? output());
  const errors = new LineWriter((showsProgress ? ttyWriter(STDERR) : null) ?? sinkWriter(STDERR));
  let dropsLines = false;
  let progressAt = -Infinity;
  const clearProgress = () => {
    if (progressAt !== -Infinity) process.stderr.write("\r\u001b[2K");
    progressAt = -Infinity;
  };
  process.on("exit", () => lines.flush());
  return {
    /** Whether standard output is a terminal. */
    isTerminal,
    out: (line: string): void => {
      clearProgress();
      lines.add(line);
    },
    err: (line: string): void => {
      clearProgress();
      errors.add(line);
      errors.flush();
    },
    /** Shows how far work has come, in place of what was shown before; only if standard error is a terminal. */
    progress: (text: string): void => {
      if (!showsProgress || performance.now() - progressAt < PROGRESS_MS) return;
      progressAt = performance.now();
      process.stderr.write(`\r\u001b[2K${text}`);
    },
    /**
     * From now on drops lines to standard output once 1 MiB of them is unread. When lines are read again, `report` is
     * called with the number of dropped lines, and may write a line about them.
     */
    dropUnread: (report: (lines: number) => void): void => {
      dropsLines = true;
      lines.dropBeyondLimit(report);
    },
    /** Writes bytes to standard output, and resolves when the reader has taken them. Not together with `out`. */
    outBytes: (bytes: Uint8Array): Promise<void> => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      output()(bytes, (error) => (error instanceof Error ? reject(error) : resolve()));
      return promise;
    },
    /** Resolves when all lines are written, or cannot be; after `dropUnread` within a second if nobody reads. */
    finish: async (): Promise<void> => {
      const written = Promise.all([lines.idle(), errors.idle()]);
      await (dropsLines ? Promise.race([written, Bun.sleep(LAST_LINES_MS)]) : written);
    },
  };
}

/** Whether a terminal is behind standard output or standard error. */
function isTerminalAt(descriptor: typeof STDOUT | typeof STDERR): boolean {
  // Only for a device Node's stream is asked, which takes several milliseconds to make.
  if (!isDevice(descriptor)) return false;
  const stream = descriptor === STDOUT ? process.stdout : process.stderr;
  // A terminal that is gone is not our error; without a listener it would end the process.
  stream.on("error", () => {});
  return stream.isTTY;
}

/** Whether a device other than the null device is behind a descriptor. */
function isDevice(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isCharacterDevice() && found.rdev !== statSync("/dev/null").rdev;
  } catch {
    // It is closed.
    return false;
  }
}

/**
 * Writes to a file, a pipe or a socket without blocking, through the runtime's sink that is below `process.stdout`:
 * Node's streams above it take milliseconds of a start. Calls `done` as `WriteText` does.
 */
function sinkWriter(descriptor: number) {
  const sink = Bun.file(descriptor).writer();
  return (data: string | Uint8Array, done: (error?: Error | null) => void): void => {
    try {
      const written = sink.write(data);
      // If the flush throws, its error is told, and nobody waits for this.
      if (typeof written !== "number") written.catch(() => {});
      // None if the system has taken all of it.
      const waiting = [written, sink.flush()].filter((result) => typeof result !== "number");
      if (waiting.length === 0) done();
      else Promise.all(waiting).then(() => done(), done);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

/**
 * Writes to the terminal behind a descriptor without blocking. The runtime's own writes block while a terminal is
 * paused with Ctrl-S, and so does the whole server. Null if the terminal cannot be opened again; on Linux it can.
 */
function ttyWriter(descriptor: number): WriteText | null {
  const tty = openAgain(descriptor);
  if (tty === null) return null;
  return (text, done) => {
    const bytes = Buffer.from(text);
    let at = 0;
    const proceed = (): void => {
      try {
        while (at < bytes.length) at += writeSync(tty, bytes, at);
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        if ("code" in failure && failure.code === "EAGAIN") setTimeout(proceed, RETRY_MS);
        else done(failure);
        return;
      }
      done();
    };
    proceed();
  };
}

/** Opens the terminal again: O_NONBLOCK on the shared descriptor would affect every process at this terminal. */
function openAgain(descriptor: number): number | null {
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Not Linux, or the terminal belongs to another user.
    return null;
  }
}

/** How much unread text is kept, in characters. */
const WAITING_LIMIT = 1024 * 1024;

/** Writes text to a stream. Calls `done`, perhaps at once, when the system has accepted or refused all of it. */
type WriteText = (text: string, done: (error?: Error | null) => void) => void;

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
