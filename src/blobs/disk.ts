import { existsSync, lstatSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Digest, parseDigest } from "../domain/contents/content.ts";
import { messageOf } from "../domain/errors.ts";
import type { StoreId } from "../domain/id.ts";
import { contentPath, setDirectoryAside } from "./blob-file.ts";
import { hasBlobs, SHARD } from "./blob-directory.ts";
import { readIdentity, readOwner, removeMarks, whyAway, writeIdentity, writeOwner } from "./disk-marks.ts";
import type { ListedBlob } from "./blob-place.ts";
import type { DiskPaths } from "./disk-paths.ts";
import { DiskSpace } from "./disk-space.ts";
import { asRefusal, hasCode, ifPresent, isSystemError } from "./system-error.ts";
import { keepDirectory, newTempPath, removeTemps, syncDirectory, tryWrite } from "./temp-file.ts";

interface DiskParts extends DiskPaths {
  /** Bytes of the file system to leave free. */
  readonly diskReserve: number;
  /** Whether it is known to be away. */
  readonly isAway: boolean;
  /** Whether it is only read and emptied. */
  readonly isFormer: boolean;
  /** The identity of the store; null if it has none yet. */
  readonly store: string | null;
}

/** A directory with blobs and room for new ones. It may go away, as its mount does, and come back. */
export class Disk {
  readonly root: string;
  readonly blobsDir: string;
  /** Whether it gets no new blobs, and holds some that are to be moved. */
  readonly isFormer: boolean;
  readonly space: DiskSpace;
  readonly #tmpDir: string;
  /** By path: each resolves once the shard exists and its name survives a power cut. */
  readonly #shards = new Map<string, Promise<void>>();
  /** The identity that is beside the blobs; null if there is none. */
  #identity: string | null;
  #isPrepared = false;
  #isDoubted = false;
  /** Why it cannot be used now; null if it can. */
  #away: string | null;

  private constructor(parts: DiskParts) {
    this.root = parts.root;
    this.blobsDir = parts.blobsDir;
    this.isFormer = parts.isFormer;
    this.#tmpDir = parts.tmpDir;
    this.#identity = parts.store;
    this.#away = parts.isAway ? "it was not there at the start" : null;
    this.space = new DiskSpace(parts.tmpDir, parts.diskReserve);
  }

  /** Makes the two directories, unless it is away, and deletes temporary files of a crash. An Error says what to do. */
  static async open(parts: DiskParts): Promise<Disk> {
    const disk = new Disk(parts);
    if (parts.isAway) {
      await disk.look();
      return disk;
    }
    disk.#identity = await disk.#explaining(readIdentity(parts.blobsDir));
    await disk.#explaining(disk.#prepare());
    return disk;
  }

  /** Why it cannot be used now, to follow its name; null if it can. As of the last look. */
  get away(): string | null {
    return this.#away;
  }

  /** A read has failed: the next looks are closer, until one finds that it works. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** Looks whether it is there, and makes it ready when it comes. Returns whether that has changed. */
  async look(): Promise<boolean> {
    const was = this.#away;
    this.#away = await this.#whyAway();
    return (was === null) !== (this.#away === null);
  }

  /** May not exist. */
  shardPath(shard: number): string {
    return join(this.blobsDir, shard.toString(16).padStart(2, "0"));
  }

  blobPath(digest: Digest): string {
    return contentPath(this.blobsDir, digest);
  }

  /** Makes a blob's directory. Its name survives a power cut before this resolves: else the blob could be lost. */
  async makeShard(digest: Digest): Promise<void> {
    const path = dirname(this.blobPath(digest));
    const known = this.#shards.get(path);
    await (known ?? this.#newShard(path));
    // It may have been removed since: blobs that come again must find a place.
    if (known !== undefined && !existsSync(path)) await this.#newShard(path);
  }

  newTempPath(): string {
    keepDirectory(this.#tmpDir);
    return newTempPath(this.#tmpDir);
  }

  /** Writes the store's identity next to the blobs and syncs it, unless it is there. */
  async writeIdentity(id: StoreId): Promise<void> {
    if (this.#identity === id) return;
    await writeIdentity(this.blobsDir, this.newTempPath(), id);
    this.#identity = id;
  }

  /** Writes which data directory uses it, and syncs that, unless it is there. */
  async writeOwner(dataDir: string): Promise<void> {
    if ((await readOwner(this.blobsDir)) !== dataDir)
      await writeOwner(this.blobsDir, this.newTempPath(), dataDir);
  }

  /** Removes both: it belongs to no store any more. */
  removeMarks(): Promise<void> {
    return removeMarks(this.blobsDir);
  }

  /** Whether it is there, and holds no blob. */
  async isEmpty(): Promise<boolean> {
    if (await hasBlobs(this.blobsDir)) return false;
    // One that has gone holds none either.
    return (await whyAway(this.blobsDir, this.#identity)) === null;
  }

  /** Frees a blob's name. Returns where its file is now: unlinking gigabytes takes time. Null if none was there. */
  async moveAway(digest: Digest): Promise<string | null> {
    const path = this.blobPath(digest);
    const found = await ifPresent(lstat(path));
    if (found === null) return null;
    if (found.isDirectory()) {
      setDirectoryAside(path);
      return null;
    }
    const away = this.newTempPath();
    await rename(path, away);
    return away;
  }

  /** Removes a blob. It may be missing. */
  async remove(digest: Digest): Promise<void> {
    const away = await this.moveAway(digest);
    if (away !== null) await unlink(away);
  }

  /** The blobs of one shard, in no order. Leaves out what has a blob's name but is not a regular file. */
  async list(shard: number): Promise<ListedBlob[]> {
    const directory = this.shardPath(shard);
    const blobs: ListedBlob[] = [];
    for (const name of (await ifPresent(readdir(directory))) ?? []) {
      const digest = parseDigest(name);
      if (digest === null || this.blobPath(digest) !== join(directory, name)) continue;
      const found = await ifPresent(lstat(join(directory, name)));
      if (found?.isFile() === true) blobs.push({ digest, modifiedAt: Math.floor(found.mtimeMs) });
    }
    return blobs;
  }

  async #whyAway(): Promise<string | null> {
    const why = await whyAway(this.blobsDir, this.#identity);
    if (why !== null) return why;
    try {
      if (!this.#isPrepared) await this.#prepare();
      if (this.#isDoubted) await this.#requireWorking();
      this.#isDoubted = false;
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #requireWorking(): Promise<void> {
    try {
      await tryWrite(this.newTempPath());
    } catch (error) {
      // A full disk works.
      if (asRefusal(error) === error) throw error;
    }
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
    if ((await readIdentity(this.blobsDir)) !== this.#identity) {
      throw new Error(`${this.blobsDir} was removed, moved or replaced while it was in use`);
    }
    await mkdir(path, { recursive: true, mode: 0o700 });
    await syncDirectory(this.blobsDir);
  }

  async #explaining<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      if (!isSystemError(cause)) throw cause;
      throw new Error(
        `The directories ${this.blobsDir} and ${this.#tmpDir} cannot be used: ${cause.message}. They and all ` +
          "files in them must belong to the user that Coffer runs as. If the disk is full, free some space.",
        { cause },
      );
    }
  }

  async #prepare(): Promise<void> {
    for (const directory of [this.blobsDir, this.#tmpDir]) {
      requireNoLink(directory);
      await mkdir(directory, { recursive: true, mode: 0o700 });
    }
    await removeTemps(this.#tmpDir);
    if (!this.isFormer) await this.#requireOneFileSystem();
    for (const entry of await readdir(this.blobsDir, { withFileTypes: true })) {
      if (!SHARD.test(entry.name)) continue;
      const path = join(this.blobsDir, entry.name);
      if (!entry.isDirectory()) {
        requireNoLink(path);
        // Fails for a file. Some file systems do not tell what a name is until asked.
        await mkdir(path, { recursive: true });
      }
      this.#shards.set(path, Promise.resolve());
    }
    await syncDirectory(this.blobsDir);
    await syncDirectory(dirname(this.blobsDir));
    this.#isPrepared = true;
  }

  /** Tested by a rename: it also fails between two mounts of one device. */
  async #requireOneFileSystem(): Promise<void> {
    const from = this.newTempPath();
    const to = join(this.blobsDir, ".rename-test");
    await writeFile(from, "");
    try {
      await rename(from, to);
    } catch (cause) {
      if (!hasCode(cause, "EXDEV")) throw cause;
      throw new Error(
        `Cannot move files from ${this.#tmpDir} to ${this.blobsDir}: both must be on one file system.`,
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
