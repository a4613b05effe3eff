import { mkdir, rm } from "node:fs/promises";
import type { ByteRange, Digest } from "../../domain/contents/content.ts";
import type { StoreId } from "../../domain/id.ts";
import { Recent } from "../../domain/recent.ts";
import type { SteadyClock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import type { BlobFacts, DamagedBlob } from "../blob-file.ts";
import type { BlobBody, HeldBlob } from "../blob-body.ts";
import {
  type AwayDisk,
  type BlobRoom,
  type BucketFigures,
  type DiskFigures,
  type EmptiedDisk,
  type ListedBlob,
  noPlaceNow,
  type SentAs,
  type StorePlace,
  unlessUnavailable,
} from "../blob-place.ts";
import { NoRoom } from "../disk-room.ts";
import { BlobCache } from "../cache/blob-cache.ts";
import { keepDirectory, newTempPath, removeTemps } from "../temp-file.ts";
import type { BucketAccess } from "./bucket-access.ts";
import { BucketBlobs } from "./bucket-blobs.ts";
import { BucketLeases } from "./bucket-leases.ts";
import { BucketRoom } from "./bucket-room.ts";
import { BucketSpace } from "./bucket-space.ts";
import { isLinked, writeBody } from "./write-body.ts";

/** An upload that announces more than this is refused at once while the bucket is away. Bytes. */
const SMALL_BYTES = 64 * 1024;
/** Up to this size, in bytes, a content is fetched before it is sent. */
const FETCHED_BYTES = 8 * 1024 * 1024;
/** For how long a removal that failed may still be done by the store, in milliseconds. */
const DOUBTFUL_MS = 60_000;
/** How many of those are remembered. */
const DOUBTFUL = 10_000;

interface BucketPlaceOptions {
  readonly access: BucketAccess;
  /** Whether it is only read and emptied: nothing new goes there. */
  readonly isFormer?: boolean;
  /** For temporary files of this store alone: old ones are deleted at open. */
  readonly tmpDir: string;
  /** For the cache alone, on the file system of `tmpDir`. */
  readonly cacheDir: string;
  /** For copies of leases alone, on the same. */
  readonly leasesDir: string;
  /** How much of the disk the cache may take. */
  readonly cacheBytes: number;
  /** Bytes to leave free on the disk. */
  readonly diskReserve: number;
  readonly clock: SteadyClock;
  readonly log: Log;
}

/** Blobs in a bucket, as objects that are named by their digests, with a cache on the disk. */
export class BucketPlace implements StorePlace {
  readonly shardCount = 256;
  /** A request or more for each. */
  readonly shardsASweep = 1;
  readonly space: BucketSpace;
  readonly leases: BucketLeases;
  readonly #options: BucketPlaceOptions;
  readonly #blobs: BucketBlobs;
  readonly #cache: BlobCache;
  /** When each removal failed. */
  readonly #doubtful = new Recent<Digest, number>(DOUBTFUL);
  readonly #listeners: ((damage: DamagedBlob) => void)[];

  private constructor(
    options: BucketPlaceOptions,
    parts: {
      readonly blobs: BucketBlobs;
      readonly cache: BlobCache;
      readonly listeners: ((damage: DamagedBlob) => void)[];
    },
  ) {
    this.#options = options;
    this.#blobs = parts.blobs;
    this.#cache = parts.cache;
    this.#listeners = parts.listeners;
    const { access, leasesDir: directory, tmpDir, diskReserve } = options;
    this.space = new BucketSpace(tmpDir, diskReserve);
    this.leases = new BucketLeases({ access, directory, tmpDir, space: this.space.disk });
  }

  /** Makes the directories. The caller must hold the data directory's lock. */
  static async open(options: BucketPlaceOptions): Promise<BucketPlace> {
    const { access, tmpDir, cacheDir, cacheBytes, diskReserve, clock, log } = options;
    await mkdir(tmpDir, { recursive: true, mode: 0o700 });
    await removeTemps(tmpDir);
    const blobs = new BucketBlobs(access);
    const listeners: ((damage: DamagedBlob) => void)[] = [];
    const cache = await BlobCache.open({
      directory: cacheDir,
      maxBytes: cacheBytes,
      diskReserve,
      clock,
      log,
      remote: blobs,
      onDamage: ({ digest, problem }) => {
        const damage = blobs.damaged({ digest }, problem);
        for (const listener of listeners) listener(damage);
      },
    });
    return new BucketPlace(options, { blobs, cache, listeners });
  }

  get isReachable(): boolean {
    return this.#options.access.away === null;
  }

  get all() {
    const { access, isFormer = false } = this.#options;
    return [{ root: access.name, isFormer }];
  }

  checksReads(): boolean {
    return true;
  }

  away(): AwayDisk[] {
    const { name, away } = this.#options.access;
    return away === null ? [] : [{ root: name, why: away }];
  }

  async disks(): Promise<DiskFigures[]> {
    const { away } = this.#options.access;
    return this.all.map((bucket) => ({ ...bucket, away, total: null, free: null }));
  }

  bucketFigures(): BucketFigures {
    return { requests: this.#options.access.requests, cache: this.#cache.figures() };
  }

  /** Does not wait for the bucket, which may take long to answer. */
  async look(): Promise<void> {
    const { access, log } = this.#options;
    access.look().catch((error: unknown) => log.error("the bucket could not be looked at", { error }));
  }

  async room(announced: number): Promise<BlobRoom> {
    const { access, tmpDir } = this.#options;
    if (access.away !== null) {
      if (announced > SMALL_BYTES) throw noPlaceNow();
      return new NoRoom();
    }
    const requireSettled = (digest: Digest) => this.#requireSettled(digest);
    const parts = { blobs: this.#blobs, cache: this.#cache, tmpDir, space: this.space.disk, requireSettled };
    return new BucketRoom(parts, announced);
  }

  nameOf(digest: Digest): string {
    return this.#blobs.nameOf(digest);
  }

  /**
   * A content that is not large is fetched before any of it is sent: then all of it is checked, and the response has a
   * length, which the runtime leaves out of one whose body is a stream.
   */
  async part(content: BlobFacts, range: ByteRange): Promise<BlobBody> {
    // Larger ones are not kept.
    const isKept = content.size * 2 <= this.#options.cacheBytes;
    if (content.size > FETCHED_BYTES || !isKept) return this.#cache.read(content, range);
    const whole = await this.#cache.read(content);
    if (whole instanceof Blob) return whole.slice(range.start, range.end);
    for await (const _ of whole);
    return this.#cache.read(content, range);
  }

  addressOf(content: BlobFacts, seconds: number, sentAs: SentAs): Promise<string> | null {
    return this.#cache.has(content.digest) ? null : this.#blobs.addressOf(content, seconds, sentAs);
  }

  async hold(content: BlobFacts): Promise<HeldBlob> {
    const { tmpDir } = this.#options;
    keepDirectory(tmpDir);
    const path = newTempPath(tmpDir);
    try {
      const cached = await this.#cache.find(content);
      // Another name of the same file: the cache may remove its own.
      if (cached === null || !(await isLinked(cached, path))) {
        await writeBody(path, this.#cache.pieces(content), this.space.disk);
      }
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return { blob: Bun.file(path), [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }

  readAll(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
    return this.#cache.readAll(content);
  }

  readBeginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#cache.readBeginning(content, length);
  }

  pieces(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    return this.#cache.pieces(content, pieceBytes);
  }

  examine(content: BlobFacts): AsyncGenerator<Uint8Array> {
    return this.#blobs.pieces(content);
  }

  require(content: BlobFacts): Promise<void> {
    return this.#blobs.require(content);
  }

  /** The bytes that are sent come from a file that keeps its length, or are counted. */
  isCutShort(): boolean {
    return false;
  }

  stateOf(digest: Digest): string | null {
    return this.#blobs.seen(digest) ?? null;
  }

  hasChanged(digest: Digest, state: string | null): boolean {
    const seen = this.#blobs.seen(digest);
    return seen !== undefined && seen !== state;
  }

  onDamage(listener: (damage: DamagedBlob) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * A backup that names the blob has its lease before its end, and until then no row is removed. So the lease of any that
   * was whole when the row went is found here.
   */
  async takeAway(digest: Digest): Promise<(() => Promise<void>) | null> {
    const leased = await this.leases.current();
    if (await leased.has(digest)) return null;
    try {
      await this.#blobs.remove(digest);
    } catch (error) {
      this.#doubtful.set(digest, this.#options.clock.elapsed());
      throw error;
    }
    return () => this.#cache.remove(digest);
  }

  list(shard: number): Promise<ListedBlob[]> {
    return this.#blobs.list(shard);
  }

  removeUnfinished(before: number): Promise<number> {
    return this.#blobs.removeUnfinished(before);
  }

  /** What cannot be reached now is left as it is. */
  async writeIdentity(store: StoreId): Promise<void> {
    const { access, isFormer = false } = this.#options;
    access.belongTo(store);
    if (isFormer) {
      const why = await access.whyAway();
      if (why !== null) access.giveUp(why);
      return;
    }
    const { identity, away } = await access.identity();
    if (away !== null) access.giveUp(away);
    if (away !== null || identity === store) return;
    const written = await access.writeIdentity(store);
    if (written === store) return;
    throw new Error(
      `${access.name} was just given to another store. Choose another bucket, or another prefix, with COFFER_BLOBS.`,
    );
  }

  async writeOwner(): Promise<void> {}

  async dropEmptied(): Promise<readonly EmptiedDisk[]> {
    const { access, isFormer = false } = this.#options;
    if (!isFormer || (await unlessUnavailable(this.#blobs.hasAny())) !== false) return [];
    // An identity that stays, as the bucket has just gone, keeps nobody but other stores from using it.
    const removeMarks = async () => void (await unlessUnavailable(access.removeIdentity()));
    return [{ root: access.name, removeMarks }];
  }

  /** Ends what is being fetched. */
  close(): Promise<void> {
    return this.#cache.close();
  }

  #requireSettled(digest: Digest): void {
    const failedAt = this.#doubtful.get(digest);
    if (failedAt === undefined) return;
    if (this.#options.clock.elapsed() - failedAt < DOUBTFUL_MS) throw noPlaceNow();
    this.#doubtful.delete(digest);
  }
}
