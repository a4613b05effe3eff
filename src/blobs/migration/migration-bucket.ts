import { readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "../../domain/contents/content.ts";
import type { StoreId } from "../../domain/id.ts";
import type { BlobFacts } from "../blob-file.ts";
import type { LeasedBlobs } from "../blob-place.ts";
import type { BucketAccess } from "../bucket/bucket-access.ts";
import { BucketBlobs } from "../bucket/bucket-blobs.ts";
import { BucketLeases } from "../bucket/bucket-leases.ts";
import { digestOfName, prefixOfShard } from "../bucket/bucket-names.ts";
import { writeBody } from "../bucket/write-body.ts";
import { DiskSpace } from "../disk-space.ts";
import { ifPresent } from "../system-error.ts";
import { keepDirectory, MIGRATION_TEMP_NAME, newMigrationTempPath } from "../temp-file.ts";
import type { MigrationPlace, PlacedBlob } from "./migration-place.ts";

interface MigrationBucketParts {
  readonly access: BucketAccess;
  readonly store: StoreId;
  /** For the temporary files of contents that are sent. */
  readonly tmpDir: string;
  /** For copies of leases. */
  readonly leasesDir: string;
  /** Bytes that are to stay free there. */
  readonly diskReserve: number;
}

/** The sizes of a shard's blobs, which is listed once. */
interface ListedShard {
  readonly shard: number;
  readonly sizes: Promise<Map<Digest, number>>;
}

/** A bucket that blobs are moved from, or to. */
export class MigrationBucket implements MigrationPlace {
  readonly name: string;
  readonly #parts: MigrationBucketParts;
  readonly #blobs: BucketBlobs;
  readonly #space: DiskSpace;
  readonly #leases: BucketLeases;
  /** The one that was asked for last: places are gone through shard by shard. */
  #listed: ListedShard | null = null;

  constructor(parts: MigrationBucketParts) {
    this.name = parts.access.name;
    this.#parts = parts;
    this.#blobs = new BucketBlobs(parts.access);
    const { access, leasesDir: directory, tmpDir, diskReserve } = parts;
    this.#space = new DiskSpace(tmpDir, diskReserve);
    this.#leases = new BucketLeases({ access, directory, tmpDir, space: this.#space });
  }

  /** Gives it the identity of the store, unless it has one. Throws Error if that is another one. */
  async claim(): Promise<void> {
    const { access, store } = this.#parts;
    if ((await access.writeIdentity(store)) !== store)
      throw new Error(
        `${this.name} was just given to another store. Choose another bucket, or another prefix.`,
      );
  }

  /** Removes the temporary files of a migration that was killed. None may be running. */
  async clear(): Promise<void> {
    const { tmpDir } = this.#parts;
    for (const name of (await ifPresent(readdir(tmpDir))) ?? []) {
      if (MIGRATION_TEMP_NAME.test(name)) await ifPresent(unlink(join(tmpDir, name)));
    }
  }

  whyAway(): Promise<string | null> {
    return this.#parts.access.whyAway();
  }

  list(shard: number): Promise<PlacedBlob[]> {
    return this.#parts.access.use(async (bucket) => {
      const blobs: PlacedBlob[] = [];
      for await (const { name, size, modifiedAt } of bucket.list(prefixOfShard(shard))) {
        const digest = digestOfName(name);
        if (digest !== null) blobs.push({ digest, size, modifiedAt });
      }
      return blobs;
    });
  }

  async sizeOf(digest: Digest): Promise<number | null> {
    return (await this.#sizesOf(digest)).get(digest) ?? null;
  }

  pieces(content: BlobFacts): AsyncIterable<Uint8Array> {
    return this.#blobs.pieces(content);
  }

  /** By way of a file: what turns out wrong at its end is not sent at all. */
  async put(blob: PlacedBlob, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { tmpDir } = this.#parts;
    keepDirectory(tmpDir);
    const path = newMigrationTempPath(tmpDir);
    try {
      await writeBody(path, pieces, this.#space);
      await this.#blobs.put(blob, Bun.file(path), false);
    } finally {
      await rm(path, { force: true });
    }
    await this.#blobs.require(blob);
    (await this.#sizesOf(blob.digest)).set(blob.digest, blob.size);
  }

  /** What has its name is durable. */
  async settle(): Promise<void> {}

  leased(): Promise<LeasedBlobs> {
    return this.#leases.current();
  }

  async remove(digest: Digest): Promise<void> {
    await this.#blobs.remove(digest);
    (await this.#sizesOf(digest)).delete(digest);
  }

  async room(): Promise<number> {
    return Number.POSITIVE_INFINITY;
  }

  #sizesOf(digest: Digest): Promise<Map<Digest, number>> {
    const shard = Number.parseInt(digest.slice(0, 2), 16);
    if (this.#listed?.shard !== shard) {
      const sizes = this.list(shard).then(
        (blobs) => new Map(blobs.map(({ digest: of, size }) => [of, size])),
      );
      this.#listed = { shard, sizes };
    }
    return this.#listed.sizes;
  }
}
