import { closeSync, openSync, readFileSync } from "node:fs";
import { CofferError } from "./domain/errors.ts";

/** How many descriptors are kept for files, so that connections alone cannot use them all up. */
const RESERVE = 64;

/** How many must be free for things to go on as usual. */
const SPARE = 16;

/**
 * Refuses what must not be tried with hardly any descriptor left: without those it needs for a new thread, the
 * runtime ends the process.
 *
 * @throws CofferError UNAVAILABLE
 */
export function requireDescriptors(): void {
  if (areDescriptorsShort()) throw tooManyOpen();
}

/** The refusal for want of file descriptors. It passes once connections have gone. */
export function tooManyOpen(): CofferError {
  return new CofferError(
    "UNAVAILABLE",
    "The server has too many files and connections open. Try again soon.",
  );
}

/** Whether this process has hardly any file descriptor left. */
export function areDescriptorsShort(): boolean {
  const opened = openUpTo(SPARE);
  close(opened);
  return opened.length < SPARE;
}

/**
 * Descriptors that connections cannot take. They are released for the files of requests that are under way,
 * once connections have taken all others.
 */
export class DescriptorReserve {
  readonly #size = Math.min(RESERVE, Math.floor(openFilesLimit() / 4));
  #held: number[] = [];

  constructor() {
    this.take();
  }

  /** Takes the reserve. False, and it takes none, where hardly any would be left besides. */
  take(): boolean {
    this.#held.push(...openUpTo(this.#size - this.#held.length));
    const isWhole = this.#held.length === this.#size && !areDescriptorsShort();
    if (!isWhole) this.release();
    return isWhole;
  }

  /** Gives the reserve to whoever opens something next. */
  release(): void {
    close(this.#held);
    this.#held = [];
  }
}

/** So many new descriptors of nothing, or fewer where there are no more. */
function openUpTo(count: number): number[] {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync("/dev/null", "r"));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code !== "EMFILE" && code !== "ENFILE") throw error;
  }
  return opened;
}

function close(descriptors: readonly number[]): void {
  for (const descriptor of descriptors) closeSync(descriptor);
}

/**
 * The most that may be open at once, to which the runtime has raised its own limit. Linux only; else
 * Infinity.
 */
export function openFilesLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // There is no such file on this system.
    return Number.POSITIVE_INFINITY;
  }
}
