import { lstatSync } from "node:fs";
import { lstat, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type ByteRange, type Digest, parseDigest } from "../domain/contents/content.ts";
import type { StoreId } from "../domain/id.ts";
import { Recent } from "../domain/recent.ts";
import { BlobWriter, Pins } from "./blob-writer.ts";
import {
  CHECKED_BYTES,
  type BlobFacts,
  DamagedBlob,
  type KnownDamage,
  readBeginning,
  readBlob,
  readPieces,
  requireBytes,
  requireFile,
  setDirectoryAside,
  stateAt,
  stateOfBytes,
} from "./blob-file.ts";
import { DiskSpace } from "./disk-space.ts";
import { Volume, type VolumeOptions } from "./volume.ts";
import { ifPresent } from "./system-error.ts";

/** How much of what was read last is kept in memory. */
const RECENT_BYTES = 8 * 1024 * 1024;

/** A blob in the store, as `list` finds it; for finding orphans. */
export interface ListedBlob {
  readonly digest: Digest;
  /** When the content was written; milliseconds since the epoch, by the file system's clock. */
  readonly modifiedAt: number;
}

/** Blobs that are kept beside the rows that name them. */
export interface SmallBlobs {
  /** Blobs up to this size, in bytes, are kept there. */
  readonly smallBytes: number;
  /** The bytes under a digest; null where there are none. Whether they are whole is for the reader to check. */
  get(digest: Digest): Uint8Array<ArrayBuffer> | null;
}

interface BlobStoreOptions extends VolumeOptions {
  readonly small: SmallBlobs;
  readonly damaged: KnownDamage;
}

/**
 * Blobs on disk, each stored once under the SHA-256 of its bytes. The store does not know the database:
 * after deleting the last row of a blob, the caller removes it here. A sweep finds orphans of a crash.
 */
export class BlobStore {
  /** `list` takes shards from 0 to this number, exclusive. */
  readonly shardCount = 256;
  readonly space: DiskSpace;
  readonly #volume: Volume;
  readonly #options: BlobStoreOptions;
  readonly #pins = new Pins();
  /**
   * The small blobs that were read last, checked; larger ones need few disk reads for many bytes. Each is a Blob: the
   * runtime sends its bytes from where they are, but copies an array for each response.
   */
  readonly #recent = new Recent<Digest, Blob>(RECENT_BYTES, ({ size }) => size);

  private constructor(volume: Volume, options: BlobStoreOptions) {
    this.#volume = volume;
    this.#options = options;
    this.space = new DiskSpace(options);
  }

  /**
   * Opens the store and creates its two directories if they are missing. The caller must hold the data
   * directory's lock: this deletes temporary files, even those of a store that is open elsewhere.
   */
  static async open(options: BlobStoreOptions): Promise<BlobStore> {
    return new BlobStore(await Volume.open(options), options);
  }

  /** Writes the store's identity next to the blobs and syncs it; `readIdentity` reads it. */
  writeIdentity(id: StoreId): Promise<void> {
    return this.#volume.writeIdentity(id);
  }

  /**
   * Starts a blob of `announced` bytes, 0 if that is not known. Throws STORAGE_FULL when the disk is at its reserve, or
   * would be with this blob and what others were promised.
   */
  async create(announced = 0): Promise<BlobWriter> {
    const { small, damaged } = this.#options;
    return new BlobWriter({
      volume: this.#volume,
      space: this.space,
      pins: this.#pins,
      smallBytes: small.smallBytes,
      damaged,
      promise: this.space.promise(announced),
    });
  }

  /**
   * A blob, or a range of it, to be sent. A small one is read and checked now, and kept for the next; at once if it is
   * no file. Of a larger one only the size is checked now, and its bytes are read while they are sent. Nothing is
   * pinned: the sweep waits a while after the last row of a blob is deleted, and an open file stays readable. Throws
   * DamagedBlob, and RangeError for a range that the content does not hold.
   */
  read(content: BlobFacts, range: ByteRange = { start: 0, end: content.size }): Blob | Promise<Blob> {
    requireRange(range, content.size);
    this.#refuseDamaged(content);
    if (content.size > CHECKED_BYTES) {
      return this.requireFile(content).then(() =>
        Bun.file(this.#pathOf(content)).slice(range.start, range.end),
      );
    }
    const recent = this.#recent.get(content.digest);
    if (recent?.size === content.size) return partOf(recent, range);
    const keep = (bytes: Uint8Array<ArrayBuffer>) => {
      const blob = new Blob([bytes]);
      this.#recent.set(content.digest, blob);
      return partOf(blob, range);
    };
    const found = this.#readAll(content);
    return found instanceof Promise ? found.then(keep) : keep(found);
  }

  /**
   * A whole blob in memory; for small blobs, at once if it is no file. All of it is checked. For readers that need it
   * once: it puts nothing into the cache. Throws DamagedBlob.
   */
  readAll(content: BlobFacts): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    this.#refuseDamaged(content);
    return this.#readAll(content);
  }

  /** The first bytes of a blob, at most `length`. It puts nothing into the cache. Throws DamagedBlob. */
  async readBeginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>> {
    this.#refuseDamaged(content);
    const bytes = this.#readSmall(content);
    if (bytes !== null) return bytes.subarray(0, length);
    return readBeginning(this.#pathOf(content), content, length);
  }

  #readAll(content: BlobFacts): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    return this.#readSmall(content) ?? readBlob(this.#pathOf(content), content);
  }

  #pathOf({ digest }: Pick<BlobFacts, "digest">): string {
    return this.#volume.blobPath(digest);
  }

  /** Reads a blob from the disk in pieces, whatever is known of it. Checked after the last. Throws DamagedBlob. */
  async *pieces(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    const bytes = this.#readSmall(content);
    if (bytes === null) yield* readPieces(this.#pathOf(content), content, pieceBytes);
    else yield bytes;
  }

  /** Checks that the file of a blob is there, and has its size. Throws DamagedBlob. */
  async requireFile(content: BlobFacts): Promise<void> {
    await requireFile(this.#pathOf(content), content);
  }

  /** Whether the file of a blob is shorter than the content. What is gone is not: it may still be open. */
  isCutShort({ digest, size }: BlobFacts): boolean {
    const found = lstatSync(this.#volume.blobPath(digest), { throwIfNoEntry: false });
    return found !== undefined && found.size < size;
  }

  /** The state of a blob, as `DamagedBlob.state`. */
  stateOf(digest: Digest): string | null {
    const bytes = this.#options.small.get(digest);
    return bytes === null ? stateAt(this.#volume.blobPath(digest)) : stateOfBytes(bytes);
  }

  #refuseDamaged({ digest }: BlobFacts): void {
    const problem = this.#options.damaged.problemOf(digest);
    if (problem !== null) throw new DamagedBlob(this.#volume.blobPath(digest), digest, problem);
  }

  /** Null where it is none of the small blobs. Throws DamagedBlob. */
  #readSmall(content: BlobFacts): Uint8Array<ArrayBuffer> | null {
    if (content.size > this.#options.small.smallBytes) return null;
    const bytes = this.#options.small.get(content.digest);
    if (bytes === null) return null;
    requireBytes(`the content ${content.digest} in the database`, bytes, content);
    return bytes;
  }

  /**
   * Removes a blob. Returns true once it is gone, also if it was not there; false, and keeps it, while it
   * is pinned. The pin is checked before the first await: if the caller checks in the same synchronous step that
   * no row names the content, no upload can come in between. Later ones wait until it is gone.
   */
  async remove(digest: Digest): Promise<boolean> {
    let away: string | null = null;
    const isRemoved = await this.#pins.unlessPinned(digest, async () => {
      away = await this.#moveAway(digest);
    });
    if (away !== null) await unlink(away);
    return isRemoved;
  }

  /** Frees a blob's name. Returns where its file is now: unlinking gigabytes takes time. Null if none was there. */
  async #moveAway(digest: Digest): Promise<string | null> {
    const path = this.#volume.blobPath(digest);
    const found = await ifPresent(lstat(path));
    if (found === null) return null;
    if (found.isDirectory()) {
      setDirectoryAside(path);
      return null;
    }
    const away = this.#volume.newTempPath();
    await rename(path, away);
    return away;
  }

  /** The blobs of one shard, in no order. Leaves out what has a blob's name but is not a regular file. */
  async list(shard: number): Promise<ListedBlob[]> {
    const directory = this.#volume.shardPath(shard);
    const blobs: ListedBlob[] = [];
    for (const name of (await ifPresent(readdir(directory))) ?? []) {
      const digest = parseDigest(name);
      if (digest === null || this.#volume.blobPath(digest) !== join(directory, name)) continue;
      const found = await ifPresent(lstat(join(directory, name)));
      if (found?.isFile() === true) blobs.push({ digest, modifiedAt: Math.floor(found.mtimeMs) });
    }
    return blobs;
  }
}

/** A range of a blob in memory, which is not copied. */
function partOf(content: Blob, { start, end }: ByteRange): Blob {
  return start === 0 && end === content.size ? content : content.slice(start, end);
}

function requireRange({ start, end }: ByteRange, size: number): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || start > end || end > size) {
    throw new RangeError(`the bytes ${start} to ${end} are outside a content of ${size} bytes`);
  }
}
