import { lstatSync } from "node:fs";
import { lstat, realpath, unlink } from "node:fs/promises";
import type { ByteRange, Digest } from "../domain/contents/content.ts";
import { CofferError } from "../domain/errors.ts";
import type { StoreId } from "../domain/id.ts";
import { type BlobFacts, OpenBlob, readBeginning, readBlob, requireFile, stateAt } from "./blob-file.ts";
import { held, type HeldBlob } from "./blob-body.ts";
import type { AwayDisk, BlobRoom, DiskFigures, ListedBlob, StorePlace } from "./blob-place.ts";
import { UnavailableBlob } from "./blob-place.ts";
import { DURATIONS, Histogram } from "../process/histogram.ts";
import { Disk } from "./disk.ts";
import type { DiskPaths } from "./disk-paths.ts";
import { DiskRoom, NoRoom } from "./disk-room.ts";
import { DisksSpace } from "./disks-space.ts";
import { type BlobSource, findBlob, isFailedRead, sourceOf } from "./find-blob.ts";
import { ifPresent } from "./system-error.ts";

interface DisksOptions {
  /** Where to look for a blob, in this order. */
  readonly disks: readonly (DiskPaths & {
    /** Whether it is known to be away. */
    readonly isAway?: boolean;
    /** Whether it is only read and emptied: nothing new goes there. */
    readonly isFormer?: boolean;
  })[];
  /** Bytes that are to stay free on each. */
  readonly diskReserve: number;
  /** The identity of the store, if it has one: without it no disk may be away. */
  readonly store?: StoreId | null;
  /** Is told of each disk that goes away, and that comes back: then `why` is null. */
  readonly onChange?: (root: string, why: string | null) => void;
}

/**
 * Blobs on one disk or on several, as files that are named by their digests. Each is on one disk, but on several if it
 * came again while a disk was away.
 */
export class Disks implements StorePlace {
  readonly shardCount = 256;
  readonly shardsASweep = 4;
  readonly space: DisksSpace;
  readonly syncs = new Histogram(DURATIONS);
  #disks: readonly Disk[];
  #sources: readonly BlobSource[];
  readonly #onChange: NonNullable<DisksOptions["onChange"]>;
  /** Ends with the last look that was asked for. */
  #last: Promise<unknown> = Promise.resolve();
  /** The look that waits for the one under way, which may have looked before something happened. */
  #next: Promise<boolean> | null = null;

  private constructor(disks: readonly Disk[], { diskReserve, onChange = () => {} }: DisksOptions) {
    this.#disks = disks;
    this.#onChange = onChange;
    this.#sources = disks.map((disk) => sourceOf(disk, () => this.look()));
    this.space = new DisksSpace(() => this.#open(), diskReserve);
  }

  /**
   * Opens all that are not away, and creates their directories if they are missing. The caller must hold the data
   * directory's lock: this deletes temporary files, even those of a store that is open elsewhere.
   */
  static async open(options: DisksOptions): Promise<Disks> {
    const { diskReserve, store = null } = options;
    const disks: Disk[] = [];
    for (const { isAway = false, isFormer = false, ...paths } of options.disks) {
      disks.push(await Disk.open({ ...paths, diskReserve, store, isAway, isFormer }));
    }
    return new Disks(disks, options);
  }

  get all(): readonly Pick<Disk, "root" | "isFormer">[] {
    return this.#disks;
  }

  /** Those that can be used now, as of the last look. */
  get present(): readonly Disk[] {
    // Most stores have one, and ask often.
    return this.#disks.every(({ away }) => away === null)
      ? this.#disks
      : this.#disks.filter(({ away }) => away === null);
  }

  get isReachable(): boolean {
    return this.#open().length > 0;
  }

  away(): AwayDisk[] {
    return this.#disks.flatMap(({ root, away }) => (away === null ? [] : [{ root, why: away }]));
  }

  async disks(): Promise<DiskFigures[]> {
    const figures = this.#disks.map(async ({ root, isFormer, away, space }) => {
      const { total, free } = away === null ? await space.figures() : { total: null, free: null };
      return { root, isFormer, away, total, free };
    });
    return Promise.all(figures);
  }

  /** Looks at all disks. Returns whether any has gone, or come back. */
  look(): Promise<boolean> {
    const look = (this.#next ??= this.#last.then(() => {
      this.#next = null;
      return this.#lookNow();
    }));
    // One that fails is for those who asked for it.
    this.#last = look.catch(() => {});
    return look;
  }

  async writeIdentity(id: StoreId): Promise<void> {
    for (const disk of this.present) await disk.writeIdentity(id);
  }

  async writeOwner(dataDir: string): Promise<void> {
    for (const disk of this.present) {
      if ((await realpath(disk.root)) !== dataDir) await disk.writeOwner(dataDir);
    }
  }

  async room(announced: number): Promise<BlobRoom> {
    // It may be back just now.
    if (this.#open().length === 0) await this.look();
    return this.#retrying(() => {
      const disk = this.space.roomiest();
      if (disk === null) return new NoRoom();
      return new DiskRoom({ disks: this, disk, promise: disk.space.promise(announced) });
    });
  }

  /** The disk where a blob is; null if none that can be used has it. If there is one disk, that is not looked at. */
  async holderOf(digest: Digest): Promise<Disk | null> {
    const { present } = this;
    const [only] = present;
    if (present.length === 1 && only?.isFormer === false) return only;
    for (const disk of present) {
      if ((await ifPresent(lstat(disk.blobPath(digest)))) !== null) return disk;
    }
    return null;
  }

  /** Those that are large are read before they are sent. */
  checksReads(): boolean {
    return false;
  }

  nameOf(digest: Digest): string {
    const [first] = this.#disks;
    return this.#disks.length === 1 && first !== undefined ? first.blobPath(digest) : `the content ${digest}`;
  }

  part(content: BlobFacts, { start, end }: ByteRange): Promise<Blob> {
    return this.#find(content, async (path) => {
      await requireFile(path, content);
      return Bun.file(path).slice(start, end);
    });
  }

  async hold(content: BlobFacts): Promise<HeldBlob> {
    return held(await this.part(content, { start: 0, end: content.size }));
  }

  readAll(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
    return this.#find(content, (path) => readBlob(path, content));
  }

  readBeginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#find(content, (path) => readBeginning(path, content, length));
  }

  async *pieces(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    await using file = await this.#find(content, (path) => OpenBlob.at(path, content));
    try {
      yield* file.pieces(pieceBytes);
    } catch (error) {
      if (isFailedRead(error) && (await this.#haveGone())) throw new UnavailableBlob();
      throw error;
    }
  }

  examine(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    return this.pieces(content, pieceBytes);
  }

  async require(content: BlobFacts): Promise<void> {
    await this.#find(content, (path) => requireFile(path, content));
  }

  isCutShort({ digest, size }: BlobFacts): boolean {
    for (const disk of this.present) {
      const found = lstatSync(disk.blobPath(digest), { throwIfNoEntry: false });
      if (found !== undefined) return found.size < size;
    }
    return false;
  }

  stateOf(digest: Digest): string | null {
    for (const disk of this.present) {
      const state = stateAt(disk.blobPath(digest));
      if (state !== null) return state;
    }
    return null;
  }

  hasChanged(digest: Digest, state: string | null): boolean {
    return this.stateOf(digest) !== state;
  }

  /** All of it shows when a blob is read. */
  onDamage(): void {}

  async takeAway(digest: Digest): Promise<() => Promise<void>> {
    const paths: string[] = [];
    for (const disk of this.present) {
      const path = await this.#unlessAway(disk, () => disk.moveAway(digest));
      if (path !== null) paths.push(path);
    }
    return async () => {
      for (const path of paths) await unlink(path);
    };
  }

  async list(shard: number): Promise<ListedBlob[]> {
    const lists: ListedBlob[][] = [];
    for (const disk of this.present) {
      lists.push((await this.#unlessAway(disk, () => disk.list(shard))) ?? []);
    }
    return lists.flat();
  }

  /** The next start removes temporary files. */
  async removeUnfinished(): Promise<number> {
    return 0;
  }

  /** What is being read stays open until it ends. */
  async close(): Promise<void> {}

  #find<T>({ digest }: BlobFacts, read: (path: string) => Promise<T>): Promise<T> {
    return findBlob(this.#sources, digest, read);
  }

  async dropEmptied(): Promise<Disk[]> {
    const emptied: Disk[] = [];
    for (const disk of this.present) if (disk.isFormer && (await disk.isEmpty())) emptied.push(disk);
    if (emptied.length === 0) return emptied;
    this.#disks = this.#disks.filter((disk) => !emptied.includes(disk));
    this.#sources = this.#disks.map((disk) => sourceOf(disk, () => this.look()));
    return emptied;
  }

  /** Those that new blobs can go to now. */
  #open(): readonly Disk[] {
    const { present } = this;
    return present.some(({ isFormer }) => isFormer) ? present.filter(({ isFormer }) => !isFormer) : present;
  }

  /** Whether any disk turns out to be away after a failed read. */
  #haveGone(): Promise<boolean> {
    for (const disk of this.present) disk.doubt();
    return this.look();
  }

  /** Does what failed again if a disk turns out to be away. */
  async #retrying<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      if (error instanceof CofferError || !(await this.look())) throw error;
      return this.#retrying(work);
    }
  }

  /** What is done on a disk; null if that turns out to be away. */
  async #unlessAway<T>(disk: Disk, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      await this.look();
      if (disk.away === null) throw error;
      return null;
    }
  }

  async #lookNow(): Promise<boolean> {
    const disks = this.#disks;
    const changed = await Promise.all(disks.map((disk) => disk.look()));
    for (const [at, { root, away }] of disks.entries()) if (changed[at] === true) this.#onChange(root, away);
    return changed.includes(true);
  }
}
