import { existsSync, mkdirSync, statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { storageFull } from "./system-error.ts";

/** Bytes. With less free, the disk counts as full, even with a reserve of 0. */
const LEAST_FREE = 1024 * 1024;

/** The free space on the disk of the blobs, and what of it is promised to uploads. */
export class DiskSpace {
  readonly #tmpDir: string;
  readonly #reserve: number;
  #hasRefused = false;
  /** What was promised and is not written yet. */
  readonly #promised = { bytes: 0 };

  /**
   * @param tmpDir on the disk
   * @param reserve bytes to leave free
   */
  constructor(tmpDir: string, reserve: number) {
    this.#tmpDir = tmpDir;
    this.#reserve = reserve;
  }

  /** Bytes that an unprivileged process can still write, including the reserve. */
  async freeBytes(): Promise<number> {
    this.#keepTmp();
    const { bavail, frsize } = await statfs(this.#tmpDir);
    return bavail * frsize;
  }

  /** Whether the reserve is free, and 1 MiB at least. */
  async hasSpace(): Promise<boolean> {
    return (await this.freeBytes()) >= Math.max(this.#reserve, LEAST_FREE);
  }

  /** How many bytes more should be free, which is twice the reserve; 0 or less if there are enough. */
  async shortage(): Promise<number> {
    return 2 * this.#reserve - (await this.freeBytes());
  }

  /**
   * Throws STORAGE_FULL when less than the reserve is free, beside what others were promised.
   *
   * @param own whoever asks
   * @param more bytes that must be free as well
   */
  requireFree(own: SpacePromise | null = null, more = 0): void {
    this.#keepTmp();
    // At once, since every upload asks: a turn of the thread pool takes many times as long as the call.
    const { bavail, frsize } = statfsSync(this.#tmpDir);
    const others = this.#promised.bytes - (own?.left ?? 0);
    if (bavail * frsize - others - more < this.#reserve) throw storageFull();
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

  /** Programs that clean up directories of this name may have removed it. */
  #keepTmp(): void {
    if (!existsSync(this.#tmpDir)) mkdirSync(this.#tmpDir, { mode: 0o700 });
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
