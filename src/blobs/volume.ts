import { existsSync, lstatSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Digest } from "../domain/contents/content.ts";
import type { StoreId } from "../domain/id.ts";
import { contentPath } from "./blob-file.ts";
import { readIdentity, SHARD, writeIdentity } from "./blob-directory.ts";
import { hasCode, isSystemError } from "./system-error.ts";
import { keepDirectory, newTempPath, syncDirectory, TEMP_NAME } from "./temp-file.ts";

/** Where blobs are stored, and how much disk space stays free. */
export interface VolumeOptions {
  /** Holds `ab/<64 hex>`: one directory, a shard, for each value of the first two digits that there is a blob of. */
  readonly blobsDir: string;
  /** Temporary files of this store alone: old ones are deleted at open. On the file system of `blobsDir`. */
  readonly tmpDir: string;
  /** Bytes of the file system to leave free. */
  readonly diskReserve: number;
}

/** The directories of a blob store. */
export class Volume {
  readonly #blobsDir: string;
  readonly #tmpDir: string;
  /** By path: each resolves once the shard exists and its name survives a power cut. */
  readonly #shards = new Map<string, Promise<void>>();
  /** The identity that is beside the blobs; null if there is none. */
  #identity: string | null = null;

  private constructor(options: VolumeOptions) {
    this.#blobsDir = options.blobsDir;
    this.#tmpDir = options.tmpDir;
  }

  /** Makes the two directories, and deletes temporary files of a crash. The message of an Error says what to do. */
  static async open(options: VolumeOptions): Promise<Volume> {
    const volume = new Volume(options);
    try {
      await volume.#prepare();
    } catch (cause) {
      if (!isSystemError(cause)) throw cause;
      throw new Error(
        `The directories ${options.blobsDir} and ${options.tmpDir} cannot be used: ${cause.message}. They and all ` +
          "files in them must belong to the user that Coffer runs as. If the disk is full, free some space.",
        { cause },
      );
    }
    return volume;
  }

  /** May not exist. */
  shardPath(shard: number): string {
    return join(this.#blobsDir, shard.toString(16).padStart(2, "0"));
  }

  blobPath(digest: Digest): string {
    return contentPath(this.#blobsDir, digest);
  }

  /** Makes a blob's directory. Its name survives a power cut before this resolves: else the blob could be lost. */
  async makeShard(digest: Digest): Promise<void> {
    const path = dirname(this.blobPath(digest));
    const known = this.#shards.get(path);
    await (known ?? this.#newShard(path));
    // It may have been removed since: blobs that come again must find a place.
    if (known !== undefined && !existsSync(path)) await this.#newShard(path);
  }

  #newShard(path: string): Promise<void> {
    const made = this.#createShard(path);
    this.#shards.set(path, made);
    // The next upload tries again.
    made.catch(() => this.#shards.delete(path));
    return made;
  }

  async #createShard(path: string): Promise<void> {
    requireNoLink(path);
    // Without its disk, the mount point of the blobs is an empty directory.
    if ((await readIdentity(this.#blobsDir)) !== this.#identity) {
      throw new Error(`${this.#blobsDir} was removed, moved or replaced while it was in use`);
    }
    await mkdir(path, { recursive: true, mode: 0o700 });
    await syncDirectory(this.#blobsDir);
  }

  newTempPath(): string {
    keepDirectory(this.#tmpDir);
    return newTempPath(this.#tmpDir);
  }

  /** Writes the store's identity next to the blobs and syncs it; `readIdentity` reads it. */
  async writeIdentity(id: StoreId): Promise<void> {
    await writeIdentity(this.#blobsDir, this.newTempPath(), id);
    this.#identity = id;
  }

  async #prepare(): Promise<void> {
    for (const directory of [this.#blobsDir, this.#tmpDir]) {
      requireNoLink(directory);
      await mkdir(directory, { recursive: true, mode: 0o700 });
    }
    this.#identity = await readIdentity(this.#blobsDir);
    // Temporary files of a crash: only regular files with our names.
    for (const name of await readdir(this.#tmpDir)) {
      const path = join(this.#tmpDir, name);
      if (TEMP_NAME.test(name) && (await lstat(path)).isFile()) await unlink(path);
    }
    await this.#requireOneFileSystem();
    for (const entry of await readdir(this.#blobsDir, { withFileTypes: true })) {
      if (!SHARD.test(entry.name)) continue;
      const path = join(this.#blobsDir, entry.name);
      if (!entry.isDirectory()) {
        requireNoLink(path);
        // Fails for a file. Some file systems do not tell what a name is until asked.
        await mkdir(path, { recursive: true });
      }
      this.#shards.set(path, Promise.resolve());
    }
    await syncDirectory(this.#blobsDir);
    await syncDirectory(dirname(this.#blobsDir));
  }

  /** Tested by a rename: it also fails between two mounts of one device. */
  async #requireOneFileSystem(): Promise<void> {
    const from = this.newTempPath();
    const to = join(this.#blobsDir, ".rename-test");
    await writeFile(from, "");
    try {
      await rename(from, to);
    } catch (cause) {
      if (!hasCode(cause, "EXDEV")) throw cause;
      throw new Error(
        `Cannot move files from ${this.#tmpDir} to ${this.#blobsDir}: both must be on one file system.`,
        { cause },
      );
    }
    await rm(to);
  }
}

/** Refuses a symbolic link: through it, writes and removals would reach other directories. */
function requireNoLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new Error(
    `${path} is a symbolic link. Coffer does not follow links inside its data directory. Move the directory ` +
      "itself there, or choose another data directory with --data-dir or COFFER_DATA_DIR.",
  );
}
