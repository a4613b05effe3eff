import { lstatSync } from "node:fs";
import { lstat, mkdir, utimes } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Digest } from "../../domain/contents/content.ts";
import type { SteadyClock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import { namesOf } from "../blob-directory.ts";
import { type BlobFacts, contentPath } from "../blob-file.ts";
import { DiskSpace } from "../disk-space.ts";
import { hasCode } from "../system-error.ts";
import { newTempPath, TEMP_NAME } from "../temp-file.ts";
import { isWhole, moveFile, removeFile } from "./cached-file.ts";
import { FileIndex, MARK_SECONDS, type Use } from "./file-index.ts";
import { BLOCK_BYTES, blocksOf, type Place, Room } from "./room.ts";
import { Spool } from "./spool.ts";

/** For how long a file stays after it was given out: it is opened only when its first bytes are sent. In seconds. */
const HELD_SECONDS = 30;
/** After how long files are written again once that has failed. In seconds. */
const REST_SECONDS = 10;

export interface CachedFilesOptions {
  /** The cache's alone. It may be removed at any time; what is in it and not of the cache stays. */
  readonly directory: string;
  /** How much of the disk its files may take. */
  readonly maxBytes: number;
  /** Bytes of the file system to leave free. */
  readonly diskReserve: number;
  readonly clock: SteadyClock;
  readonly log: Log;
}

/** The files of a cache: `ab/<digest>`, those that were not used for longest go first. Nothing is synced. */
export class CachedFiles {
  /** Ends once what was there at the start is counted. Until then nothing more is kept. Never rejects. */
  readonly counted: Promise<void>;
  readonly #options: CachedFilesOptions;
  readonly #index = new FileIndex();
  readonly #room: Room;
  readonly #space: DiskSpace;
  #state: "counting" | "open" | "closed" = "counting";
  /** Until when nothing is written, in seconds that have elapsed. */
  #restsUntil = 0;

  private constructor(options: CachedFilesOptions) {
    this.#options = options;
    const { directory, maxBytes, diskReserve } = options;
    this.#space = new DiskSpace(directory, diskReserve);
    this.#room = new Room({ most: Math.floor(maxBytes / BLOCK_BYTES), evict: () => this.#evict() });
    this.counted = this.#count();
  }

  /** Makes the directory. Throws Error where it is a link, which is not followed, and errors of system calls. */
  static async open(options: CachedFilesOptions): Promise<CachedFiles> {
    await mkdir(options.directory, { recursive: true, mode: 0o700 });
    if (!(await lstat(options.directory)).isDirectory()) {
      throw new Error(`${options.directory} is a symbolic link. Name the directory itself.`);
    }
    return new CachedFiles(options);
  }

  /** `bytes` with what is being written. */
  get figures(): { readonly bytes: number; readonly count: number } {
    return { bytes: this.#room.taken * BLOCK_BYTES, count: this.#index.count };
  }

  has(digest: Digest): boolean {
    return this.#index.has(digest);
  }

  /** The path of a file that is there with its size, and stays for a while; null if there is none. */
  async find(content: BlobFacts): Promise<string | null> {
    const { digest, size } = content;
    const marked = this.#index.markedAt(digest);
    if (marked === null && this.#state !== "counting") return null;
    const path = this.#pathOf(digest);
    if (!isWhole(path, content)) {
      await this.drop(digest);
      return null;
    }
    const { now, elapsed } = this.#times();
    const isMarked = marked !== null && Math.abs(now - marked) < MARK_SECONDS;
    this.#add(digest, size, { heldUntil: elapsed + HELD_SECONDS, markedAt: isMarked ? marked : now });
    // Without its mark a file goes earlier, after the next start.
    if (!isMarked) utimes(path, now, now).catch(() => {});
    return path;
  }

  /** A place for a content that is about to be written; null if it will not be kept. */
  place(bytes: number): Place | null {
    if (this.#state !== "open" || this.#times().elapsed < this.#restsUntil) return null;
    return this.#room.place(bytes);
  }

  /** A file for a content. Null if none can be written, which is logged. */
  async newSpool(): Promise<Spool | null> {
    const { directory } = this.#options;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      return await Spool.create(newTempPath(directory));
    } catch (error) {
      this.#rest(error);
      return null;
    }
  }

  /** Appends to a file, in its place. False if there is no room, or it cannot be written, which is logged. */
  async append(spool: Spool, place: Place, piece: Uint8Array): Promise<boolean> {
    try {
      this.#space.requireFree(null, piece.length);
      if (!(await place.take(piece.length))) return false;
      await spool.append(piece);
      return true;
    } catch (error) {
      this.#rest(error);
      return false;
    }
  }

  /** Gives a whole file its name, and ends its place. What fails is logged. */
  async keep({ digest, size }: BlobFacts, spool: Spool, place: Place): Promise<void> {
    const { now } = this.#times();
    await this.#keepAt(digest, async (path) => {
      await spool.moveTo(path, now);
      place.end();
      this.#add(digest, size, { heldUntil: 0, markedAt: now });
    });
  }

  /** Ends the use of a file by who made it. It is removed, unless it has its name. */
  async discard(spool: Spool): Promise<void> {
    await spool.remove().catch((error: unknown) => this.#rest(error));
    spool.release();
  }

  /** Takes over a file that holds a content: nothing is at `from` afterwards. What fails is logged. */
  async adopt(content: BlobFacts, from: string): Promise<void> {
    const { digest, size } = content;
    const place = this.has(digest) ? null : this.place(size);
    const { now } = this.#times();
    try {
      if (place === null || !(await place.take(size)) || !isWhole(from, content)) return;
      await this.#keepAt(digest, async (path) => {
        await utimes(from, now, now);
        await moveFile(from, path, newTempPath(this.#options.directory));
        place.end();
        this.#add(digest, size, { heldUntil: 0, markedAt: now });
      });
    } catch (error) {
      this.#rest(error);
    } finally {
      place?.end();
      await removeFile(from).catch((error: unknown) => this.#rest(error));
    }
  }

  /** Removes a content that turned out to be damaged here. What fails is logged. */
  async drop(digest: Digest): Promise<void> {
    await this.remove(digest).catch((error: unknown) => this.#rest(error));
  }

  /** Removes a content. Throws errors of system calls: then it still counts. */
  async remove(digest: Digest): Promise<void> {
    const blocks = this.#index.remove(digest) ?? 0;
    await removeFile(this.#pathOf(digest));
    this.#room.free(blocks);
  }

  /** Removes all contents, also those that were given out just now. */
  async clear(): Promise<void> {
    await this.counted;
    for (let digest = this.#index.oldest(Infinity); digest !== null; digest = this.#index.oldest(Infinity)) {
      await this.remove(digest);
    }
  }

  /** Keeps nothing more. */
  async close(): Promise<void> {
    this.#state = "closed";
    await this.counted;
  }

  #pathOf(digest: Digest): string {
    return contentPath(this.#options.directory, digest);
  }

  #add(digest: Digest, size: number, use: Use): void {
    const before = this.#index.blocks;
    this.#index.add(digest, blocksOf(size), use);
    this.#room.count(this.#index.blocks - before);
  }

  /** Calls `name` with the path of a content, where only files of the cache are in its way. What fails is logged. */
  async #keepAt(digest: Digest, name: (path: string) => Promise<void>): Promise<void> {
    const path = this.#pathOf(digest);
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if (!lstatSync(dirname(path)).isDirectory()) return;
      if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) return;
      await name(path);
    } catch (error) {
      this.#rest(error);
    }
  }

  async #count(): Promise<void> {
    try {
      const found = namesOf(this.#options.directory);
      for await (const { path, digest, size, modifiedAt } of found) {
        if (this.#state === "closed") return;
        if (digest !== null && size !== null) this.#addFound(digest, size, modifiedAt);
        // Of a crash.
        else if (TEMP_NAME.test(basename(path))) await removeFile(path);
      }
      for (const _ of this.#index.order()) await nextTurn();
      // There may be less room than before.
      await this.#room.take(0);
      if (this.#state === "counting") this.#state = "open";
    } catch (error) {
      this.#options.log.warn("contents are not cached before the next start", { error });
    }
  }

  #addFound(digest: Digest, size: number, modifiedAt: number): void {
    const before = this.#index.blocks;
    this.#index.addFound(digest, blocksOf(size), Math.floor(modifiedAt / 1000));
    this.#room.count(this.#index.blocks - before);
  }

  async #evict(): Promise<boolean> {
    const digest = this.#index.oldest(this.#times().elapsed);
    if (digest !== null) await this.remove(digest);
    return digest !== null;
  }

  #rest(error: unknown): void {
    // The directory was removed just now: the next time it is made again.
    if (hasCode(error, "ENOENT")) return;
    const { elapsed } = this.#times();
    if (elapsed >= this.#restsUntil) {
      this.#options.log.warn("contents are not cached for a while", { error });
    }
    this.#restsUntil = elapsed + REST_SECONDS;
  }

  /** Both in seconds. */
  #times(): { readonly now: number; readonly elapsed: number } {
    const { clock } = this.#options;
    return { now: Math.floor(clock.now() / 1000), elapsed: Math.floor(clock.elapsed() / 1000) };
  }
}
