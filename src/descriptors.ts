import { closeSync, openSync, readFileSync } from "node:fs";
import { CofferError } from "./domain/errors.ts";

/** How many descriptors are reserved for files, out of reach of connections. */
const RESERVE = 64;

/** With fewer free ones, descriptors are short. */
const SPARE = 16;

/**
 * Refuses work that needs a new thread while descriptors are short: if the runtime cannot open those for a thread,
 * it ends the process.
 *
 * @throws CofferError UNAVAILABLE
 */
export function requireDescriptors(): void {
  if (areDescriptorsShort()) throw tooManyOpen();
}

/** The error for too few file descriptors. It passes once connections have closed. */
export function tooManyOpen(): CofferError {
  return new CofferError(
    "UNAVAILABLE",
    "The server has too many files and connections open. Try again soon.",
  );
}

/** Whether this process has few file descriptors left. */
export function areDescriptorsShort(): boolean {
  const opened = openUpTo(SPARE);
  close(opened);
  return opened.length < SPARE;
}

/**
 * Descriptors that connections cannot take. Once connections have taken all others, these are released for the
 * files of running requests.
 */
export class DescriptorReserve {
  readonly #size = Math.min(RESERVE, Math.floor(openFilesLimit() / 4));
  #held: number[] = [];

  constructor() {
    this.take();
  }

  /** Takes the reserve. Returns false, and takes nothing, if few others would be left. */
  take(): boolean {
    this.#held.push(...openUpTo(this.#size - this.#held.length));
    const isWhole = this.#held.length === this.#size && !areDescriptorsShort();
    if (!isWhole) this.release();
    return isWhole;
  }

  /** Releases the reserve: whatever opens something next gets it. */
  release(): void {
    close(this.#held);
    this.#held = [];
  }
}

/** Opens `/dev/null` this many times, or fewer if the limit is reached. */
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
 * The limit of open descriptors, which the runtime has already raised for itself. Linux only; elsewhere Infinity.
 */
export function openFilesLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Not Linux.
    return Number.POSITIVE_INFINITY;
  }
}
