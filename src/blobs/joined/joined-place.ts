import type { ByteRange, Digest } from "../../domain/contents/content.ts";
import type { StoreId } from "../../domain/id.ts";
import type { Histogram } from "../../process/histogram.ts";
import type { BlobBody, HeldBlob } from "../blob-body.ts";
import type { BlobFacts, DamagedBlob } from "../blob-file.ts";
import {
  type AwayDisk,
  type BlobLeases,
  type BlobRoom,
  type BlobSpace,
  type BucketFigures,
  type DiskFigures,
  type EmptiedDisk,
  type ListedBlob,
  type SentAs,
  type StorePlace,
  unlessUnavailable,
} from "../blob-place.ts";
import { findPlaced, piecesFrom } from "./find-placed.ts";
import { JoinedRoom } from "./joined-room.ts";

const NO_LEASES: BlobLeases = {
  current: async () => ({ has: async () => false }),
  async *unleased() {},
};

interface JoinedPlaceParts {
  /** Where new blobs go. */
  readonly current: StorePlace;
  /** Where others still are, which are moved to the current one. */
  readonly former: StorePlace;
  /** Whether it costs less to look at the former place, so that it is looked at first. */
  readonly isFormerNear: boolean;
}

/**
 * Blobs at two places, one of which is only read and emptied. Each is at one of them, or at both while it is moved, or
 * if it came again. Once the former place is empty, nothing is asked of it any more.
 */
export class JoinedPlace implements StorePlace {
  readonly shardCount: number;
  readonly shardsASweep: number;
  readonly space: BlobSpace;
  readonly #current: StorePlace;
  /** Null once it is empty. */
  #former: StorePlace | null;
  /** In the order in which a blob is looked for. */
  #places: readonly StorePlace[];
  readonly #opened: readonly StorePlace[];

  /** Both places must have the same shards. */
  constructor({ current, former, isFormerNear }: JoinedPlaceParts) {
    this.#current = current;
    this.#former = former;
    this.#places = isFormerNear ? [former, current] : [current, former];
    this.#opened = this.#places;
    this.space = current.space;
    this.shardCount = current.shardCount;
    this.shardsASweep = Math.min(current.shardsASweep, former.shardsASweep);
  }

  get isReachable(): boolean {
    return this.#current.isReachable;
  }

  get all() {
    return [...this.#current.all, ...(this.#former?.all ?? [])];
  }

  away(): AwayDisk[] {
    return this.#places.flatMap((place) => place.away());
  }

  async disks(): Promise<DiskFigures[]> {
    return [...(await this.#current.disks()), ...((await this.#former?.disks()) ?? [])];
  }

  bucketFigures(): BucketFigures | null {
    const [figures = null] = this.#places.flatMap((place) => place.bucketFigures?.() ?? []);
    return figures;
  }

  /** Nothing new comes to the former place. */
  get syncs(): Histogram | null {
    return this.#current.syncs ?? null;
  }

  async look(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.look()));
  }

  checksReads(digest: Digest): boolean {
    return this.#holderOf(digest).checksReads(digest);
  }

  async room(announced: number): Promise<BlobRoom> {
    const hiding = this.#places.slice(0, this.#places.indexOf(this.#current));
    return new JoinedRoom({ room: await this.#current.room(announced), hiding });
  }

  nameOf(digest: Digest): string {
    return `the content ${digest}`;
  }

  part(content: BlobFacts, range: ByteRange): Promise<BlobBody> {
    return findPlaced(this.#places, (place) => place.part(content, range));
  }

  /** Null at the former place, which may lose the blob before its address is used. */
  addressOf(content: BlobFacts, seconds: number, sentAs: SentAs): Promise<string> | null {
    const holder = this.#holderOf(content.digest);
    return holder === this.#current ? (holder.addressOf?.(content, seconds, sentAs) ?? null) : null;
  }

  hold(content: BlobFacts): Promise<HeldBlob> {
    return findPlaced(this.#places, (place) => place.hold(content));
  }

  readAll(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
    return findPlaced(this.#places, (place) => place.readAll(content));
  }

  readBeginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return findPlaced(this.#places, (place) => place.readBeginning(content, length));
  }

  pieces(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    return piecesFrom(this.#places, (place) => place.pieces(content, pieceBytes));
  }

  examine(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    return piecesFrom(this.#places, (place) => place.examine(content, pieceBytes));
  }

  require(content: BlobFacts): Promise<void> {
    return findPlaced(this.#places, (place) => place.require(content));
  }

  isCutShort(content: BlobFacts): boolean {
    return this.#places.some((place) => place.isCutShort(content));
  }

  stateOf(digest: Digest): string | null {
    return this.#holderOf(digest).stateOf(digest);
  }

  hasChanged(digest: Digest, state: string | null): boolean {
    return this.#holderOf(digest).hasChanged(digest, state);
  }

  onDamage(listener: (damage: DamagedBlob) => void): void {
    for (const place of this.#places) place.onDamage(listener);
  }

  /**
   * What is left at a former place that cannot be reached is found by the sweep, once that is back. What is leased there
   * stays, until the sweep is told that it is not any more.
   */
  async takeAway(digest: Digest): Promise<(() => Promise<void>) | null> {
    const free = await this.#current.takeAway(digest);
    if (free === null) return null;
    const freeFormer = await this.#askFormer((place) => place.takeAway(digest));
    return async () => {
      await free();
      await freeFormer?.();
    };
  }

  /** Those of the place that has some. Of a former one that cannot be reached nothing is listed, nor removed. */
  get leases(): BlobLeases {
    const { leases } = this.#current;
    return leases ?? unlessAway(this.#former?.leases ?? NO_LEASES);
  }

  async list(shard: number): Promise<ListedBlob[]> {
    const current = await this.#current.list(shard);
    return [...current, ...((await this.#askFormer((place) => place.list(shard))) ?? [])];
  }

  async removeUnfinished(before: number): Promise<number> {
    const current = await this.#current.removeUnfinished(before);
    return current + ((await this.#askFormer((place) => place.removeUnfinished(before))) ?? 0);
  }

  async writeIdentity(id: StoreId): Promise<void> {
    for (const place of this.#places) await place.writeIdentity(id);
  }

  async writeOwner(dataDir: string): Promise<void> {
    for (const place of this.#places) await place.writeOwner(dataDir);
  }

  async dropEmptied(): Promise<readonly EmptiedDisk[]> {
    const emptied: EmptiedDisk[] = [];
    for (const place of this.#places) emptied.push(...(await place.dropEmptied()));
    const isLeft = this.#former?.all.some(({ root }) => emptied.every((disk) => disk.root !== root));
    if (isLeft !== true) this.#former = null;
    if (this.#former === null) this.#places = [this.#current];
    return emptied;
  }

  /** What is being read at a place that was left goes on until now. */
  async close(): Promise<void> {
    for (const place of this.#opened) await place.close();
  }

  /** What the former place gives; null if there is none any more, or it cannot be reached. */
  #askFormer<T>(ask: (place: StorePlace) => Promise<T>): Promise<T | null> {
    return this.#former === null ? Promise.resolve(null) : unlessUnavailable(ask(this.#former));
  }

  /** The place that is known to have a blob, else the last one. */
  #holderOf(digest: Digest): StorePlace {
    const [first = this.#current, last = first] = this.#places;
    return first.stateOf(digest) === null ? last : first;
  }
}

/** Leases of which none is known while their place cannot be reached. */
function unlessAway(leases: BlobLeases): BlobLeases {
  return {
    current: async () => (await unlessUnavailable(leases.current())) ?? NO_LEASES.current(),
    async *unleased() {
      const found = leases.unleased();
      for (;;) {
        const next = await unlessUnavailable(found.next());
        if (next === null || next.done === true) return;
        yield next.value;
      }
    },
  };
}
