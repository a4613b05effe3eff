import { lstat, mkdir, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { StoreId } from "../domain/id.ts";
import { namesOf, type NamedFile } from "./blob-directory.ts";
import { whyAway } from "./disk-marks.ts";
import {
  type BlobFacts,
  contentPath,
  OpenBlob,
  readBeginning,
  requireFile,
  setDirectoryAside,
} from "./blob-file.ts";
import type { AwayDisk } from "./blob-place.ts";
import { type DiskPaths, diskAt } from "./disk-paths.ts";
import { type BlobSource, findBlob } from "./find-blob.ts";
import type { StoredBlobs } from "./stored-blobs.ts";
import { ifPresent } from "./system-error.ts";
import { newTempPath, syncDirectory, TempFile } from "./temp-file.ts";

/** Where the blobs of a store are; as such it can be posted to a thread. */
export interface BlobPlaces {
  /** The roots of its disks, in the order in which they are looked at. */
  readonly disks: readonly string[];
  /** Those of them that get nothing new. */
  readonly former?: readonly string[];
  /** Its identity, which each disk has; null if that does not matter. */
  readonly store: StoreId | null;
}

/** How many bytes of a blob are read at once. */
const PIECE_BYTES = 1024 * 1024;

/**
 * The blobs of a store that this process, or thread, does not serve. Another one may be using them. Reads throw
 * DamagedBlob, and UnavailableBlob while a disk is away that may have the blob.
 */
export class BlobDirectories implements StoredBlobs {
  readonly #disks: readonly DiskPaths[];
  readonly #former: readonly string[];
  readonly #store: StoreId | null;
  readonly #sources: readonly BlobSource[];

  constructor({ disks, former = [], store }: BlobPlaces) {
    this.#disks = disks.map(diskAt);
    this.#former = former;
    this.#store = store;
    this.#sources = this.#disks.map(({ blobsDir }) => ({
      blobsDir,
      isAway: false,
      isPresent: async () => (await this.#whyAway(blobsDir)) === null,
    }));
  }

  /** What `read` gives for the file of a blob. It must throw DamagedBlob, first of all, for one that is missing. */
  find<T>({ digest }: BlobFacts, read: (path: string) => Promise<T>): Promise<T> {
    return findBlob(this.#sources, digest, read);
  }

  beginning(content: BlobFacts, length: number): Promise<Uint8Array> {
    return this.find(content, (path) => readBeginning(path, content, length));
  }

  /** Checks that a blob is there with its size. */
  async requireSize(content: BlobFacts): Promise<void> {
    await this.find(content, (path) => requireFile(path, content));
  }

  sizesInOrder(): (content: BlobFacts) => Promise<void> {
    return (content) => this.requireSize(content);
  }

  /** Reads a blob in pieces; each overwrites the one before. It is checked after the last. */
  async *pieces(content: BlobFacts): AsyncGenerator<Uint8Array> {
    await using file = await this.find(content, (path) => OpenBlob.at(path, content));
    yield* file.pieces(PIECE_BYTES);
  }

  /** Replaces a blob where it is, and syncs it; one that is missing, or on a former disk, goes where most is free. Changes nothing if `pieces` throws. */
  async rewrite(content: BlobFacts, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { blobsDir, tmpDir } = (await this.#holderOf(content)) ?? (await this.#freest());
    const path = contentPath(blobsDir, content.digest);
    // A damaged disk may have lost directories as well.
    for (const directory of [tmpDir, dirname(path)]) await mkdir(directory, { recursive: true, mode: 0o700 });
    await TempFile.write(newTempPath(tmpDir), pieces, async (draft) => {
      setDirectoryAside(path);
      await draft.moveTo(path, content.size);
    });
    await syncDirectory(dirname(path));
  }

  /** Everything in the directories that can be used, in no order. What goes meanwhile is left out. */
  async *names(): AsyncGenerator<NamedFile> {
    for (const { blobsDir } of await this.#present()) yield* namesOf(blobsDir);
  }

  /** The disks that cannot be used now, and why. */
  async away(): Promise<AwayDisk[]> {
    const all = this.#disks.map(async ({ root, blobsDir }) => ({ root, why: await this.#whyAway(blobsDir) }));
    return (await Promise.all(all)).flatMap(({ root, why }) => (why === null ? [] : [{ root, why }]));
  }

  async #present(): Promise<DiskPaths[]> {
    const away = (await this.away()).map(({ root }) => root);
    return this.#disks.filter(({ root }) => !away.includes(root));
  }

  async #holderOf({ digest }: BlobFacts): Promise<DiskPaths | null> {
    for (const disk of this.#inUse(this.#disks)) {
      if ((await ifPresent(lstat(contentPath(disk.blobsDir, digest)))) !== null) return disk;
    }
    return null;
  }

  async #freest(): Promise<DiskPaths> {
    const sizes = this.#inUse(await this.#present()).map(async (disk) => {
      const { bavail, bsize } = await statfs(disk.blobsDir);
      return { disk, free: bavail * bsize };
    });
    const [most] = (await Promise.all(sizes)).toSorted((a, b) => b.free - a.free);
    if (most === undefined) throw new Error("no disk of the store can be reached");
    return most.disk;
  }

  #inUse(disks: readonly DiskPaths[]): DiskPaths[] {
    return disks.filter(({ root }) => !this.#former.includes(root));
  }

  #whyAway(blobsDir: string): Promise<string | null> {
    return this.#store === null ? Promise.resolve(null) : whyAway(blobsDir, this.#store);
  }
}
