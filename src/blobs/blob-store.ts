import { lstatSync, renameSync } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { ByteRange } from "../domain/byte-range.ts";
import { type Digest, parseDigest } from "../domain/digest.ts";
import type { StoreId } from "../domain/id.ts";
import { BlobWriter } from "./blob-writer.ts";
import { type Content, readContent, requireFile } from "./content-file.ts";
import { Pins } from "./pins.ts";
import { RECENT_BYTES, RecentContents } from "./recent-contents.ts";
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

  /** Writes an identity beside the contents, durably, for `readIdentity`. */
  mark(id: StoreId): Promise<void> {
    return this.#volume.writeIdentity(id);
  }

  /** Starts a content. STORAGE_FULL when the disk is at its reserve. */
  async create(): Promise<BlobWriter> {
    await this.#volume.requireSpace();
    return new BlobWriter(this.#volume, this.#pins);
  }

  /**
   * A content, or a range of it. A small one is read and checked now; of a larger one only the size is checked,
   * and its bytes are read as they are sent or streamed. They are not pinned: whoever removes contents leaves
   * one alone for a while after its last row went, as the sweep does, and a file that is being read is there to
   * its end.
   *
   * @throws DamagedContent
   * @throws RangeError for a range that the content does not hold
   */
  async read(content: Content, range?: ByteRange): Promise<Blob> {
    const { start, end } = range ?? { start: 0, end: content.size };
    requireRange(start, end, content.size);
    const path = this.#volume.blobPath(content.digest);
    if (content.size <= RECENT_BYTES) {
      const bytes = this.#recent.get(content) ?? (await readContent(path, content));
      return new Blob([bytes.subarray(start, end)]);
    }
    await requireFile(path, content);
    return Bun.file(path).slice(start, end);
  }

  /**
   * A whole content in memory, for those small enough. What was read lately is there at once; what comes from
   * the disk is checked byte by byte.
   *
   * @throws DamagedContent
   */
  readAll(content: Content): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    return this.#recent.get(content) ?? this.#readAll(content);
  }

  async #readAll(content: Content): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await readContent(this.#volume.blobPath(content.digest), content);
    this.#recent.add(content.digest, bytes);
    return bytes;
  }

  /**
   * Removes a content; true once it is gone, also when it was not there. False, and nothing is
   * done, while it is pinned. This is decided before the first await: look in the same synchronous
   * step whether a row names the content, and no upload can come in between.
   */
  async remove(digest: Digest): Promise<boolean> {
    if (this.#pins.has(digest)) return false;
    const path = this.#volume.blobPath(digest);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return true;
    if (found.isDirectory()) {
      this.#volume.setAside(digest);
      return true;
    }
    // Renamed first, because nobody may match it any more and to unlink gigabytes takes time.
    const doomed = this.#volume.newTempPath();
    renameSync(path, doomed);
    await unlink(doomed);
    return true;
  }

  /**
   * The contents of one of the `shardCount` parts that the store falls into, in no order. What is under a
   * content's name and is no regular file is left out.
   */
  async list(shard: number): Promise<ListedBlob[]> {
    const directory = this.#volume.shardPath(shard);
    const blobs: ListedBlob[] = [];
    for (const name of await readdir(directory)) {
      const digest = parseDigest(name);
      if (digest === null || this.#volume.blobPath(digest) !== join(directory, name)) continue;
      try {
        const found = await lstat(join(directory, name));
        if (found.isFile()) blobs.push({ digest, modifiedAt: Math.floor(found.mtimeMs) });
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

  /** Whether the disk has room for uploads. */
  hasSpace(): Promise<boolean> {
    return this.#volume.hasSpace();
  }

  /** Bytes that the file system still has for this process, the reserve included. */
  freeBytes(): Promise<number> {
    return this.#volume.freeBytes();
  }
}

function requireRange(start: number, end: number, size: number): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || start > end || end > size) {
    throw new RangeError(`a content of ${size} bytes does not hold the bytes ${start} to ${end}`);
  }
}
