import { statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { storageFull } from "./system-error.ts";
import { keepDirectory } from "./temp-file.ts";

/** Bytes. With less free, the disk counts as full, even with a reserve of 0. */
const LEAST_FREE = 1024 * 1024;
/** Bytes. With this much to spare, what is free is not asked again at once: nothing fills it so soon. */
const AMPLE = 1024 * 1024 * 1024;
const ASKED_MS = 100;

/** The free space on a disk of blobs, and what of it is promised to uploads. */
export class DiskSpace {
  readonly #tmpDir: string;
  readonly #reserve: number;
  #hasRefused = false;
  /** What was promised and is not written yet. */
  readonly #promised = { bytes: 0 };
  /** What was free when that was asked a moment ago; 0 otherwise. */
  #lately = 0;

  /** @param tmpDir a directory on the disk @param reserve bytes to leave free */
  constructor(tmpDir: string, reserve: number) {
    this.#tmpDir = tmpDir;
    this.#reserve = reserve;
  }

  /** Bytes that an unprivileged process can still write, including the reserve. */
  async freeBytes(): Promise<number> {
    keepDirectory(this.#tmpDir);
    const { bavail, frsize } = await statfs(this.#tmpDir);
    return bavail * frsize;
  }

  /** The whole disk, and what of it is free, in bytes. */
  async figures(): Promise<{ readonly total: number; readonly free: number }> {
    keepDirectory(this.#tmpDir);
    const { blocks, bavail, frsize } = await statfs(this.#tmpDir);
    return { total: blocks * frsize, free: bavail * frsize };
  }

  /** Whether the reserve is free, and 1 MiB at least. */
  async hasSpace(): Promise<boolean> {
    return (await this.freeBytes()) >= Math.max(this.#reserve, LEAST_FREE);
  }

  /** How many bytes more should be free, which is twice the reserve; 0 or less if there are enough. */
  async shortage(): Promise<number> {
    return 2 * this.#reserve - (await this.freeBytes());
  }

  /** How many bytes are free beyond the reserve and what is promised; less than 0 if there are too few. */
  left(): number {
    return this.#freeNow() - this.#reserve - this.#promised.bytes;
  }

  /** Throws STORAGE_FULL if the reserve and `more` bytes are not free beside what all but `own` were promised. */
  requireFree(own: SpacePromise | null = null, more = 0): void {
    const needed = this.#promised.bytes - (own?.left ?? 0) + more + this.#reserve;
    if (this.#lately - needed >= AMPLE) return;
    const free = this.#freeNow();
    if (free < needed) throw storageFull();
    if (free - needed < AMPLE) return;
    if (this.#lately === 0) setTimeout(() => (this.#lately = 0), ASKED_MS).unref();
    this.#lately = free;
  }

  #freeNow(): number {
    keepDirectory(this.#tmpDir);
    // Not in the thread pool: a turn of that takes many times as long as the call.
    const { bavail, frsize } = statfsSync(this.#tmpDir);
    return bavail * frsize;
  }

  /** Promises space for a blob. Throws STORAGE_FULL when less than the reserve would be free with it. */
  promise(bytes: number): SpacePromise {
    this.requireFree(null, bytes);
    return new SpacePromise(this.#promised, bytes);
  }

  /** Records that a write failed for lack of space, whatever `freeBytes` says. */
  noteNoSpace(): void {
    this.#hasRefused = true;
  }

  /** Whether that was recorded since the last call. */
  takeNoSpace(): boolean {
    const hasRefused = this.#hasRefused;
    this.#hasRefused = false;
    return hasRefused;
  }
}

/** Space on the disk that is promised to one blob, and not written yet. */
export class SpacePromise {
  readonly #all: { bytes: number };
  #left: number;

  /** @param all the sum of all promises */
  constructor(all: { bytes: number }, bytes: number) {
    this.#all = all;
    this.#left = bytes;
    all.bytes += bytes;
  }

  /** Bytes. */
  get left(): number {
    return this.#left;
  }

  /** Some of it is written: from then on the file system counts it. */
  keep(bytes: number): void {
    const kept = Math.min(bytes, this.#left);
    this.#left -= kept;
    this.#all.bytes -= kept;
  }

  /** The content is written or dropped. */
  end(): void {
    this.keep(this.#left);
  }
}
