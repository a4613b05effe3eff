import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, statfs, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Digest } from "../domain/digest.ts";
import type { StoreId } from "../domain/id.ts";
import { writeIdentity } from "./identity.ts";
import { syncDirectory } from "./sync-directory.ts";
import { hasCode, isSystemError, storageFull } from "./system-error.ts";

/** Where contents lie and how much of the disk they may take. */
export interface VolumeOptions {
  /** Holds `ab/<64 hex>`, one directory for each of the first two digits. */
  readonly blobsDir: string;
  /** For this store alone: what a crash left in it is removed at open. On the same file system as `blobsDir`. */
  readonly tmpDir: string;
  /** Bytes of the file system to leave free. */
  readonly diskReserve: number;
}

/** The number of shard directories: one for each value of a digest's first two hex digits. */
export const SHARD_COUNT = 256;

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Names of temporary files; those of earlier versions were a bare UUID. */
const TEMP_NAME = new RegExp(`^(?:coffer-${UUID}\\.tmp|${UUID})$`);
/** Bytes. With less the disk counts as full, whatever the reserve is. */
const ALMOST_NOTHING = 1024 * 1024;

/** The directories of a blob store and the room on their disk. */
export class Volume {
  readonly #blobsDir: string;
  readonly #tmpDir: string;
  readonly #diskReserve: number;
  #hasRefused = false;

  private constructor(options: VolumeOptions) {
    this.#blobsDir = options.blobsDir;
    this.#tmpDir = options.tmpDir;
    this.#diskReserve = options.diskReserve;
  }

  /**
   * Makes what is missing and sweeps what a crash left. The shards are made here, durably, so that
   * the write path never has to.
   *
   * @throws Error whose message tells the operator what to do
   */
  static async open(options: VolumeOptions): Promise<Volume> {
    const volume = new Volume(options);
    try {
      await volume.#prepare();
    } catch (error) {
      throw isSystemError(error) ? unusable(options, error) : error;
    }
    return volume;
  }

  shardPath(shard: number): string {
    return join(this.#blobsDir, shard.toString(16).padStart(2, "0"));
  }

  blobPath(digest: Digest): string {
    return join(this.#blobsDir, digest.slice(0, 2), digest);
  }

  /** A path in the temporary directory that nothing has had before. */
  newTempPath(): string {
    return join(this.#tmpDir, `coffer-${crypto.randomUUID()}.tmp`);
  }

  /**
   * Gives a directory that has a content's name another one beside it. It is not ours, so what is in it stays.
   */
  setAside(digest: Digest): void {
    const path = this.blobPath(digest);
    renameSync(path, `${path}.${crypto.randomUUID()}.aside`);
  }

  /** Makes room for a file under a content's name: only a directory there cannot be renamed over. */
  async clearName(digest: Digest): Promise<void> {
    try {
      if ((await lstat(this.blobPath(digest))).isDirectory()) this.setAside(digest);
    } catch (error) {
      // Another upload of the same content has set it aside.
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }

  /** Makes the name of a content that is in place survive a power cut. */
  async syncName(digest: Digest): Promise<void> {
    await syncDirectory(dirname(this.blobPath(digest)));
  }

  /** See `BlobStore.mark`. */
  writeIdentity(id: StoreId): Promise<void> {
    return writeIdentity(this.#blobsDir, this.newTempPath(), id);
  }

  /** Bytes that an unprivileged process could still write, the reserve included. */
  async freeBytes(): Promise<number> {
    const { bavail, frsize } = await statfs(this.#tmpDir);
    return bavail * frsize;
  }

  /** Whether the reserve is free, and with a reserve of 0 a little at least. */
  async hasSpace(): Promise<boolean> {
    return (await this.freeBytes()) >= Math.max(this.#diskReserve, ALMOST_NOTHING);
  }

  /** Throws STORAGE_FULL when less than the reserve is free. */
  async requireSpace(): Promise<void> {
    if ((await this.freeBytes()) < this.#diskReserve) throw storageFull();
  }

  /** Whether less than twice the reserve is free. */
  async isShortOfSpace(): Promise<boolean> {
    return (await this.freeBytes()) < 2 * this.#diskReserve;
  }

  /** Notes that the system had no room for something, however much it says is free. */
  noteRefusal(): void {
    this.#hasRefused = true;
  }

  /** Whether that was noted since this was last asked. */
  takeRefusal(): boolean {
    const hasRefused = this.#hasRefused;
    this.#hasRefused = false;
    return hasRefused;
  }

  async #prepare(): Promise<void> {
    for (const directory of [this.#blobsDir, this.#tmpDir]) {
      requireNoLink(directory);
      await mkdir(directory, { recursive: true, mode: 0o700 });
    }
    await this.#sweep();
    await this.#requireOneFileSystem();
    for (let shard = 0; shard < SHARD_COUNT; shard++) {
      requireNoLink(this.shardPath(shard));
      mkdirSync(this.shardPath(shard), { recursive: true, mode: 0o700 });
    }
    await syncDirectory(this.#blobsDir);
    await syncDirectory(dirname(this.#blobsDir));
  }

  /** Removes what a crash left: regular files with names of ours, and nothing else that may be there. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#tmpDir)) {
      const path = join(this.#tmpDir, name);
      if (TEMP_NAME.test(name) && (await lstat(path)).isFile()) await unlink(path);
    }
  }

  /** A rename is the only way to test this: one device may be mounted twice, and then it fails too. */
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

/** Whoever can place a link in the data directory must not lead writes and removals elsewhere with it. */
function requireNoLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new Error(
    `${path} is a symbolic link, and Coffer follows none below its data directory. Put the directory itself ` +
      "there, or name another data directory with --data-dir or COFFER_DATA_DIR.",
  );
}

function unusable({ blobsDir, tmpDir }: VolumeOptions, cause: Error): Error {
  return new Error(
    `The directories ${blobsDir} and ${tmpDir} cannot be used: ${cause.message}. ` +
      "Give both, with all that is in them, to the user that Coffer runs as, and make room if the disk is full.",
    { cause },
  );
}
