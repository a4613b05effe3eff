import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, realpath, rm, statfs, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Digest, parseDigest } from "../../domain/contents/content.ts";
import type { StoreId } from "../../domain/id.ts";
import { type BlobFacts, contentPath, readPieces, setDirectoryAside } from "../blob-file.ts";
import { readIdentity, readOwner, whyAway, writeIdentity, writeOwner } from "../disk-marks.ts";
import { type DiskPaths, diskAt } from "../disk-paths.ts";
import { hasCode, ifPresent } from "../system-error.ts";
import {
  keepDirectory,
  MIGRATION_TEMP_NAME,
  newMigrationTempPath,
  syncDirectory,
  TempFile,
} from "../temp-file.ts";
import type { MigrationPlace, PlacedBlob } from "./migration-place.ts";

/** How many bytes of a blob are read at once. */
const PIECE_BYTES = 1024 * 1024;

interface MigrationDiskParts {
  readonly root: string;
  /** The identity of the store. */
  readonly store: StoreId;
  /** Bytes that are to stay free. */
  readonly diskReserve: number;
}

/** A disk that blobs are moved from, or to. A server may use it. */
export class MigrationDisk implements MigrationPlace {
  readonly name: string;
  readonly #paths: DiskPaths;
  readonly #store: StoreId;
  readonly #reserve: number;
  /** The shards whose names are known to survive a power cut. */
  readonly #shards = new Set<string>();

  constructor({ root, store, diskReserve }: MigrationDiskParts) {
    this.name = root;
    this.#paths = diskAt(root);
    this.#store = store;
    this.#reserve = diskReserve;
  }

  /** Makes a new disk ready. @param dataDir the data directory that will use it, which may be the disk itself */
  async claim(dataDir: string): Promise<void> {
    const { root, blobsDir, tmpDir } = this.#paths;
    const owner = await realpath(dataDir);
    for (const directory of [blobsDir, tmpDir]) keepDirectory(directory);
    await syncDirectory(root);
    if ((await realpath(root)) !== owner && (await readOwner(blobsDir)) !== owner)
      await writeOwner(blobsDir, newMigrationTempPath(tmpDir), owner);
    if ((await readIdentity(blobsDir)) !== this.#store)
      await writeIdentity(blobsDir, newMigrationTempPath(tmpDir), this.#store);
  }

  /** Removes the temporary files of a migration that was killed. None may be running. */
  async clear(): Promise<void> {
    const { tmpDir } = this.#paths;
    for (const name of (await ifPresent(readdir(tmpDir))) ?? []) {
      if (MIGRATION_TEMP_NAME.test(name)) await ifPresent(unlink(join(tmpDir, name)));
    }
  }

  /** Whether another disk is the same directory, whatever both are called and however they are mounted. */
  async isSameAs(other: MigrationDisk): Promise<boolean> {
    const path = newMigrationTempPath(this.#paths.tmpDir);
    await writeFile(path, "", { mode: 0o600 });
    try {
      return existsSync(join(other.#paths.tmpDir, path.slice(this.#paths.tmpDir.length)));
    } finally {
      await rm(path, { force: true });
    }
  }

  whyAway(): Promise<string | null> {
    return whyAway(this.#paths.blobsDir, this.#store);
  }

  async list(shard: number): Promise<PlacedBlob[]> {
    const { blobsDir } = this.#paths;
    const directory = this.#shardAt(shard);
    const blobs: PlacedBlob[] = [];
    for (const name of (await ifPresent(readdir(directory))) ?? []) {
      const digest = parseDigest(name);
      const path = join(directory, name);
      if (digest === null || contentPath(blobsDir, digest) !== path) continue;
      const found = await ifPresent(lstat(path));
      if (found?.isFile() === true) blobs.push({ digest, size: found.size, modifiedAt: found.mtimeMs });
    }
    return blobs;
  }

  async sizeOf(digest: Digest): Promise<number | null> {
    const found = await ifPresent(lstat(this.#pathOf(digest)));
    return found?.isFile() === true ? found.size : null;
  }

  pieces(content: BlobFacts): AsyncIterable<Uint8Array> {
    return readPieces(this.#pathOf(content.digest), content, PIECE_BYTES);
  }

  /** In the order of `DiskRoom.keep`, so that no crash leaves a name without its content. */
  async put({ digest, size, modifiedAt }: PlacedBlob, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { blobsDir, tmpDir } = this.#paths;
    const path = this.#pathOf(digest);
    const shard = dirname(path);
    // Fails, and makes nothing on the mount point, if the disk is not mounted any more.
    await makeInside(shard);
    if (!this.#shards.has(shard)) await syncDirectory(blobsDir);
    this.#shards.add(shard);
    keepDirectory(tmpDir);
    await TempFile.write(newMigrationTempPath(tmpDir), pieces, async (draft) => {
      setDirectoryAside(path);
      await draft.date(modifiedAt);
      await draft.moveTo(path, size);
    });
    await syncDirectory(shard);
  }

  /** A killed migration, or a server, may have given a blob its name and not synced that. */
  async settle(shard: number): Promise<void> {
    await ifPresent(syncDirectory(this.#shardAt(shard)));
    await syncDirectory(this.#paths.blobsDir);
  }

  async leased(): Promise<null> {
    return null;
  }

  async remove(digest: Digest): Promise<void> {
    await ifPresent(unlink(this.#pathOf(digest)));
  }

  async room(): Promise<number> {
    const { bavail, frsize } = await statfs(this.#paths.root);
    return bavail * frsize - this.#reserve;
  }

  /** May not exist. */
  #shardAt(shard: number): string {
    return join(this.#paths.blobsDir, shard.toString(16).padStart(2, "0"));
  }

  #pathOf(digest: Digest): string {
    return contentPath(this.#paths.blobsDir, digest);
  }
}

/** Makes a directory, unless it exists, in one that must be there. */
async function makeInside(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
