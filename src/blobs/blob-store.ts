import { renameSync } from "node:fs";
import { type FileHandle, open, readdir, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type Digest, parseDigest } from "../domain/digest.ts";
import { BlobWriter } from "./blob-writer.ts";
import { contentStream } from "./content-stream.ts";
import { Pins } from "./pins.ts";
import { hasCode } from "./system-error.ts";
import { SHARD_COUNT, Volume, type VolumeOptions } from "./volume.ts";

/** The bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

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
   * A content, or a range of it, as a stream that reads only as fast as it is read. It is safe from
   * removal from the moment of the call, so a row looked up in the same synchronous step is enough.
   * Read the stream to its end or cancel it, or its file stays open. Throws when the content is
   * missing or does not hold the range, which is damage and not the caller's mistake.
   */
  read(digest: Digest, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    return this.#pinned(digest, async (path) => {
      const file = await open(path, "r");
      try {
        const { start, end } = await checkedRange(file, range);
        return contentStream(file, start, end);
      } catch (error) {
        await file.close();
        throw error;
      }
    });
  }

  /** A whole content in memory, for those small enough: cheaper than a stream, and as safe as `read`. */
  readAll(digest: Digest): Promise<Uint8Array<ArrayBuffer>> {
    return this.#pinned(digest, (path) => readFile(path));
  }

  /**
   * Removes a content; true once it is gone, also when it was not there. False, and nothing is
   * done, while it is pinned. This is decided before the first await: look in the same synchronous
   * step whether a row names the content, and no upload or reader can come in between.
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

  /** Bytes that the file system still has for this process, the reserve included. */
  freeBytes(): Promise<number> {
    return this.#volume.freeBytes();
  }

  /** Keeps a content from removal until `use` is done with its path. */
  async #pinned<T>(digest: Digest, use: (path: string) => Promise<T>): Promise<T> {
    const unpin = this.#pins.pin(digest);
    try {
      return await use(this.#volume.blobPath(digest));
    } catch (cause) {
      if (hasCode(cause, "ENOENT"))
        throw new Error(`the content ${digest} is missing from the store`, { cause });
      throw cause;
    } finally {
      unpin();
    }
  }
}

async function checkedRange(file: FileHandle, range: ByteRange | undefined): Promise<ByteRange> {
  const { size } = await file.stat();
  const { start, end } = range ?? { start: 0, end: size };
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || start > end || end > size) {
    throw new RangeError(`a content of ${size} bytes does not hold the bytes ${start} to ${end}`);
  }
  return { start, end };
}
