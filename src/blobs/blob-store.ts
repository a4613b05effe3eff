import { renameSync } from "node:fs";
import { readdir, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { ByteRange } from "../domain/byte-range.ts";
import { type Digest, parseDigest } from "../domain/digest.ts";
import { BlobWriter } from "./blob-writer.ts";
import { Pins } from "./pins.ts";
import { RecentContents } from "./recent-contents.ts";
import { hasCode } from "./system-error.ts";
import { SHARD_COUNT, Volume, type VolumeOptions } from "./volume.ts";

/** A content found in the store, for telling which ones no row names. */
export interface ListedBlob {
  readonly digest: Digest;
  /** When the content was written; milliseconds since the epoch, by the file system's clock. */
  readonly modifiedAt: number;
}

/**
 * Contents on disk, each once, under the SHA-256 of its bytes. The store knows nothing of rows: who
 * deletes the last row that names a content asks for its removal, and a sweep finds what a crash left.
 */
export class BlobStore {
  /** `list` takes the numbers below this one. */
  readonly shardCount = SHARD_COUNT;
  readonly #volume: Volume;
  readonly #pins = new Pins();
  readonly #recent = new RecentContents();

  private constructor(volume: Volume) {
    this.#volume = volume;
  }

  /**
   * Opens the store in its two directories and makes them if need be. Only whoever holds the data
   * directory's lock may: the temporary files of a store that is open elsewhere would be swept.
   */
  static async open(options: VolumeOptions): Promise<BlobStore> {
    return new BlobStore(await Volume.open(options));
  }

  /** Starts a content. STORAGE_FULL when the disk is at its reserve. */
  async create(): Promise<BlobWriter> {
    await this.#volume.requireSpace();
    return new BlobWriter(this.#volume, this.#pins);
  }

  /**
   * A content, or a range of it, whose bytes are read only as they are sent or streamed. They are not
   * pinned: whoever removes contents leaves one alone for a while after its last row went, as the sweep
   * does, and a file that is being read is there to its end. Rejects when the content is missing or
   * does not hold the range, which is damage and not the caller's mistake.
   */
  async read(digest: Digest, range?: ByteRange): Promise<Blob> {
    const path = this.#volume.blobPath(digest);
    const { size } = await present(digest, stat(path));
    const { start, end } = range ?? { start: 0, end: size };
    requireRange(start, end, size);
    return Bun.file(path).slice(start, end);
  }

  /** A whole content in memory, for those small enough. What was read lately is there at once. */
  readAll(digest: Digest): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    return this.#recent.get(digest) ?? this.#readAll(digest);
  }

  async #readAll(digest: Digest): Promise<Uint8Array<ArrayBuffer>> {
    const content = await present(digest, readFile(this.#volume.blobPath(digest)));
    this.#recent.add(digest, content);
    return content;
  }

  /**
   * Removes a content; true once it is gone, also when it was not there. False, and nothing is
   * done, while it is pinned. This is decided before the first await: look in the same synchronous
   * step whether a row names the content, and no upload can come in between.
   */
  async remove(digest: Digest): Promise<boolean> {
    if (this.#pins.has(digest)) return false;
    const doomed = this.#volume.newTempPath();
    try {
      // Renamed first, because nobody may match it any more and to unlink gigabytes takes time.
      renameSync(this.#volume.blobPath(digest), doomed);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return true;
      throw error;
    }
    await unlink(doomed);
    return true;
  }

  /** The contents of one of the `shardCount` parts that the store falls into, in no order. */
  async list(shard: number): Promise<ListedBlob[]> {
    const directory = this.#volume.shardPath(shard);
    const blobs: ListedBlob[] = [];
    for (const name of await readdir(directory)) {
      const digest = parseDigest(name);
      if (digest === null || this.#volume.blobPath(digest) !== join(directory, name)) continue;
      try {
        blobs.push({ digest, modifiedAt: Math.floor((await stat(join(directory, name))).mtimeMs) });
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
      }
    }
    return blobs;
  }

  /** Throws STORAGE_FULL when the disk is at its reserve; for what takes room elsewhere on it. */
  requireSpace(): Promise<void> {
    return this.#volume.requireSpace();
  }

  /** Whether the disk is near its reserve: less than twice that is free. */
  isShortOfSpace(): Promise<boolean> {
    return this.#volume.isShortOfSpace();
  }

  /** Whether the disk had no room for a content since this was last asked. */
  takeRefusal(): boolean {
    return this.#volume.takeRefusal();
  }

  /** Bytes that the file system still has for this process, the reserve included. */
  freeBytes(): Promise<number> {
    return this.#volume.freeBytes();
  }
}

/** Waits for something done with a content's file; that it is not there is damage. */
async function present<T>(digest: Digest, attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (cause) {
    if (!hasCode(cause, "ENOENT")) throw cause;
    throw new Error(`the content ${digest} is missing from the store`, { cause });
  }
}

function requireRange(start: number, end: number, size: number): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || start > end || end > size) {
    throw new RangeError(`a content of ${size} bytes does not hold the bytes ${start} to ${end}`);
  }
}
