import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { codeOf, CofferError } from "../domain/errors.ts";

/** What a server opens itself when all of it is at work: the database, the search index, and its threads. */
const OWN = 48;

/** With fewer connections than this a server is of no use. */
const CONNECTIONS = 32;

/** How many descriptors are reserved for files, out of reach of connections. */
const RESERVE = 64;

/** With fewer free ones, descriptors are short. */
const SPARE = 16;

/** How many descriptors are needed. Of those of a server, a quarter is the reserve; a command copies several files at once. */
export const NEEDED = { server: Math.ceil(((OWN + SPARE + CONNECTIONS) * 4) / 3), command: 64 } as const;

/** A server with too few would be ready and answer nobody. Throws an Error that tells the operator what to do. */
export function requireOpenFiles(needed: number): void {
  const limit = openFilesLimit();
  if (limit >= needed) return;
  throw new Error(
    `Coffer needs at least ${needed} open files, and may have ${limit}. Raise the limit, with ulimit -n in a shell or ` +
      "LimitNOFILE= in a systemd unit, then start again.",
  );
}

/** Throws UNAVAILABLE if a thread might find no descriptors: the runtime would end the process. */
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

export function areDescriptorsShort(): boolean {
  return nextDescriptors(SPARE).length < SPARE;
}

/** Once connections have taken all others, these are released for the files of running requests. */
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

/** The numbers that the next descriptors will have: the lowest free ones. */
export function nextDescriptors(count: number): readonly number[] {
  const opened = openUpTo(count);
  close(opened);
  return opened;
}

function openUpTo(count: number): number[] {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync("/dev/null", "r"));
  } catch (error) {
    if (!isOutOfDescriptors(error)) throw error;
  }
  return opened;
}

function isOutOfDescriptors(error: unknown): boolean {
  const code = codeOf(error);
  return code === "EMFILE" || code === "ENFILE";
}

function close(descriptors: readonly number[]): void {
  for (const descriptor of descriptors) closeSync(descriptor);
}

/** The limit, which the runtime has raised already; Infinity but on Linux. Throws if none is left to read it with. */
export function openFilesLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    // Not Linux.
    return Number.POSITIVE_INFINITY;
  }
}

/** The directory whose names are the numbers of the open descriptors. */
export const DESCRIPTORS = process.platform === "darwin" ? "/dev/fd" : "/proc/self/fd";

/** The open descriptors; null where the system does not tell, or none is left to ask it with. */
export function openDescriptors(): readonly number[] | null {
  try {
    return readdirSync(DESCRIPTORS).map(Number);
  } catch {
    return null;
  }
}
