import { mkdir, rm } from "node:fs/promises";
import {
  CHECKED_BYTES,
  type BlobFacts,
  contentPath,
  damageIn,
  DamagedBlob,
  readBeginning,
  requireFile,
} from "../blob-file.ts";
import type { NamedFile } from "../blob-directory.ts";
import type { AwayDisk } from "../blob-place.ts";
import { DiskSpace } from "../disk-space.ts";
import type { BucketPlaces, PlainCredentials, StoredBlobs } from "../stored-blobs.ts";
import { newTempPath } from "../temp-file.ts";
import type { Digest } from "../../domain/contents/content.ts";
import { type SteadyClock, systemClock } from "../../process/clock.ts";
import type { CredentialsSource } from "../../s3/credentials.ts";
import { BucketAccess } from "./bucket-access.ts";
import { BucketBlobs } from "./bucket-blobs.ts";
import { BLOBS, digestOfName, type LeaseId, nameOfLease } from "./bucket-names.ts";
import { ListedSizes } from "./listed-sizes.ts";
import { writeBody } from "./write-body.ts";

/** The blobs in a bucket that this process, or thread, does not serve. It reads copies of the server, but keeps none. */
export class StoredBucket implements StoredBlobs {
  readonly #places: BucketPlaces;
  readonly #access: BucketAccess;
  readonly #blobs: BucketBlobs;
  readonly #space: DiskSpace;

  /** @param clock for tests */
  constructor(places: BucketPlaces, clock: SteadyClock = systemClock) {
    const { s3, store, tmpDir, diskReserve } = places;
    this.#places = places;
    const credentials = hidden(s3.credentials);
    // Nobody else looks here whether it is back.
    this.#access = new BucketAccess({ s3: { ...s3, credentials, clock }, store, looksAtUse: true });
    this.#blobs = new BucketBlobs(this.#access);
    this.#space = new DiskSpace(tmpDir, diskReserve);
  }

  async find<T>(content: BlobFacts, read: (path: string) => Promise<T>): Promise<T> {
    const cached = await this.#cached(content);
    try {
      if (cached !== null) return await read(cached);
    } catch (error) {
      // What is wrong with a copy, or with its having gone, is not wrong with the blob.
      if (!(error instanceof DamagedBlob)) throw error;
    }
    return this.#withFile(this.#blobs.pieces(content), read);
  }

  async beginning(content: BlobFacts, length: number): Promise<Uint8Array> {
    const cached = await this.#cached(content);
    try {
      if (cached !== null) return await readBeginning(cached, content, length);
    } catch (error) {
      if (!(error instanceof DamagedBlob)) throw error;
    }
    if (content.size <= CHECKED_BYTES) return (await this.#blobs.readAll(content)).subarray(0, length);
    const body = await this.#blobs.open(content, { start: 0, end: Math.min(length, content.size) });
    return Buffer.concat(await Array.fromAsync(body));
  }

  requireSize(content: BlobFacts): Promise<void> {
    return this.#blobs.require(content);
  }

  sizesInOrder(): (content: BlobFacts) => Promise<void> {
    const listed = new ListedSizes(this.names());
    return (content) => listed.require(content);
  }

  pieces(content: BlobFacts): AsyncGenerator<Uint8Array> {
    return this.#blobs.pieces(content);
  }

  async rewrite(content: BlobFacts, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#withFile(pieces, (path) => this.#blobs.put(content, Bun.file(path), false));
  }

  async *names(): AsyncGenerator<NamedFile> {
    const { name: root } = this.#access;
    const objects = await this.#access.use(async (bucket) => bucket.list(BLOBS));
    for await (const { name, size, modifiedAt } of objects) {
      yield { path: `${root}/${name}`, digest: digestOfName(name), size, modifiedAt };
    }
  }

  async away(): Promise<AwayDisk[]> {
    const why = await this.#access.whyAway();
    return why === null ? [] : [{ root: this.#access.name, why }];
  }

  /** As people write it. */
  get name(): string {
    return this.#access.name;
  }

  /**
   * Keeps blobs from being removed, whatever the database says of them, until `release`. It is durable then.
   *
   * @param list a file that `writeLeaseList` has made
   * @param sha256 what that returned
   */
  async lease(id: LeaseId, list: string, sha256: Digest): Promise<void> {
    await this.#access.use((bucket) => bucket.put(nameOfLease(id), Bun.file(list), { sha256 }));
  }

  async hasLease(id: LeaseId): Promise<boolean> {
    return (await this.#access.use((bucket) => bucket.head(nameOfLease(id)))) !== null;
  }

  /** Ends a lease, which may be missing. */
  async release(id: LeaseId): Promise<void> {
    await this.#access.use((bucket) => bucket.remove([nameOfLease(id)]));
  }

  /** The path of a copy of the server's; null if there is none. */
  async #cached(content: BlobFacts): Promise<string | null> {
    const { cacheDir } = this.#places;
    if (cacheDir === null) return null;
    const path = contentPath(cacheDir, content.digest);
    return (await damageIn(() => requireFile(path, content))) === null ? path : null;
  }

  async #withFile<T>(pieces: AsyncIterable<Uint8Array>, use: (path: string) => Promise<T>): Promise<T> {
    const { tmpDir } = this.#places;
    await mkdir(tmpDir, { recursive: true, mode: 0o700 });
    const path = newTempPath(tmpDir);
    try {
      await writeBody(path, pieces, this.#space);
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}

function hidden(credentials: PlainCredentials | null): CredentialsSource | null {
  if (credentials?.kind !== "keys") return credentials;
  const { secretAccessKey, sessionToken } = credentials;
  return {
    ...credentials,
    secretAccessKey: { reveal: () => secretAccessKey },
    sessionToken: sessionToken === null ? null : { reveal: () => sessionToken },
  };
}
