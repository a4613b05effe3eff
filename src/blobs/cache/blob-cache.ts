import type { ByteRange, Digest } from "../../domain/contents/content.ts";
import { Recent } from "../../domain/recent.ts";
import {
  type BlobFacts,
  CHECKED_BYTES,
  damageIn,
  DamagedBlob,
  readBeginning,
  readBlob,
  readPieces,
} from "../blob-file.ts";
import { CachedFiles, type CachedFilesOptions } from "./cached-files.ts";
import { Fill } from "./fill.ts";
import { FillReader } from "./fill-reader.ts";
import { PassedOn } from "./passed-on.ts";
import {
  bodyOf,
  collect,
  interrupted,
  type OnDamage,
  type PieceReader,
  piecesOf,
  type RemoteBlobs,
} from "./remote-blobs.ts";
import { newHash, SmallFetches } from "./small-fetches.ts";

/** Of how many contents it is known how much of them was passed on lately. */
const PASSED_CONTENTS = 1000;

interface BlobCacheOptions extends CachedFilesOptions {
  readonly remote: RemoteBlobs;
  readonly onDamage: OnDamage;
}

/**
 * Contents that are kept elsewhere, of which those that were read last are also on the disk here. Anything of it may be
 * lost or removed at any time: then it is fetched again. Larger contents than half of the cache are passed on, and so is
 * everything while the disk is full.
 *
 * A whole read that misses fetches the content for all who read it meanwhile. Of a range only that range is fetched,
 * until the ranges of a content come to as many bytes as all of it has: from then on it is fetched whole. So a video
 * that somebody looks into is not fetched for a few of its seconds, and at most twice as much is fetched as was best.
 */
export class BlobCache {
  readonly #options: BlobCacheOptions;
  readonly #cached: CachedFiles;
  readonly #fills = new Map<Digest, Fill>();
  readonly #small: SmallFetches;
  /** How many bytes of a content were passed on in ranges. */
  readonly #passed = new Recent<Digest, number>(PASSED_CONTENTS);
  /** Ends what a reader began that is lost: the runtime does not always cancel the body of a client that has left. */
  readonly #lost = new FinalizationRegistry((leave: () => void) => leave());
  #hits = 0;
  #misses = 0;

  private constructor(options: BlobCacheOptions, cached: CachedFiles) {
    this.#options = options;
    this.#cached = cached;
    this.#small = new SmallFetches({ ...options, cached });
  }

  /** Makes the directory, and begins to count what is in it. Throws Error if it is a link. */
  static async open(options: BlobCacheOptions): Promise<BlobCache> {
    return new BlobCache(options, await CachedFiles.open(options));
  }

  /** Resolves once what was there before is counted: until then it is read, and nothing more is kept. */
  get counted(): Promise<void> {
    return this.#cached.counted;
  }

  /** `bytes` are those on the disk, with what is being written. */
  figures(): Readonly<Record<"bytes" | "count" | "hits" | "misses", number>> {
    return { ...this.#cached.figures, hits: this.#hits, misses: this.#misses };
  }

  has(digest: Digest): boolean {
    return this.#cached.has(digest);
  }

  /**
   * A content, or a range that it holds, to be sent: a Blob where it is here, whose file is opened when the sending
   * begins, half a minute from now at most. Else a stream, which has to be read to its end or cancelled. The stream of a
   * whole content has an error instead of its last bytes where these are not its bytes; of a range, where it is not as
   * long. A small content is checked now. Throws DamagedBlob, and UNAVAILABLE.
   */
  async read(content: BlobFacts, range = wholeOf(content)): Promise<Blob | ReadableStream<Uint8Array>> {
    if (range.start === range.end) return new Blob([]);
    if (content.size <= CHECKED_BYTES) {
      return new Blob([(await this.#readSmall(content)).subarray(range.start, range.end)]);
    }
    const path = await this.find(content);
    return path === null
      ? bodyOf(await this.#open(content, range))
      : Bun.file(path).slice(range.start, range.end);
  }

  /** A whole content in memory, all of it checked; for small ones. Throws as `read`. */
  async readAll(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
    if (content.size <= CHECKED_BYTES) return this.#readSmall(content);
    const path = await this.find(content);
    const found = path === null ? null : await this.#unlessDamaged(content, readBlob(path, content));
    return found ?? collect(await this.#open(content, wholeOf(content)), content.size);
  }

  /** The first bytes of a content, at most `length`. Of a small one all are checked. Throws as `read`. */
  async readBeginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const range = { start: 0, end: Math.min(length, content.size) };
    if (content.size <= CHECKED_BYTES) return (await this.#readSmall(content)).subarray(0, range.end);
    const path = await this.find(content);
    const found =
      path === null ? null : await this.#unlessDamaged(content, readBeginning(path, content, range.end));
    return found ?? collect(await this.#open(content, range), range.end);
  }

  /**
   * A whole content in pieces, of which each may overwrite the one before. Checked after the last, or before. Throws as
   * `read`; UNAVAILABLE where the file here is damaged, which is removed: the next read fetches the content.
   */
  async *pieces(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    if (content.size <= CHECKED_BYTES) {
      yield await this.#readSmall(content);
      return;
    }
    const path = await this.find(content);
    let hasBegun = false;
    try {
      if (path !== null) {
        for await (const piece of readPieces(path, content, pieceBytes)) {
          hasBegun = true;
          yield piece;
        }
        return;
      }
    } catch (error) {
      if (!(error instanceof DamagedBlob)) throw error;
      await this.#cached.drop(content.digest);
      if (hasBegun) throw interrupted(error);
    }
    yield* piecesOf(await this.#open(content, wholeOf(content)), pieceBytes);
  }

  /** The path of a content that is here, whose file stays for a while; null if it is not here. Counts it. */
  async find(content: BlobFacts): Promise<string | null> {
    const path = await this.#cached.find(content);
    if (path === null) this.#misses += 1;
    else this.#hits += 1;
    return path;
  }

  /** Takes over the file of a content that was uploaded just now: nothing is at `path` afterwards. */
  add(content: BlobFacts, path: string): Promise<void> {
    return this.#cached.adopt(content, path);
  }

  /** Removes a content that is gone. Throws errors of system calls. */
  async remove(digest: Digest): Promise<void> {
    await Promise.all([this.#fills.get(digest)?.forget(), this.#small.forget(digest)]);
    await this.#cached.remove(digest);
  }

  /** Removes all contents. Throws errors of system calls. */
  clear(): Promise<void> {
    return this.#cached.clear();
  }

  /** Ends what is being fetched: its readers get errors. Nothing more is kept. */
  async close(): Promise<void> {
    const closed = this.#cached.close();
    const fills = [...this.#fills.values()];
    for (const fill of fills) fill.stop();
    await Promise.all([closed, this.#small.stop(), ...fills.map(({ ended }) => ended)]);
  }

  /** What was read here; null if it was damaged, which is removed. */
  async #unlessDamaged<T>({ digest }: BlobFacts, reading: Promise<T>): Promise<T | null> {
    let found: T | null = null;
    const damage = await damageIn(async () => (found = await reading));
    if (damage !== null) await this.#cached.drop(digest);
    return found;
  }

  async #readSmall(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
    const path = await this.find(content);
    const found = path === null ? null : await this.#unlessDamaged(content, readBlob(path, content));
    return found ?? this.#small.fetch(content);
  }

  /** A reader of what is not here, once its first bytes can come. */
  async #open(content: BlobFacts, range: ByteRange): Promise<PieceReader> {
    const reader = this.#readerOf(content, range);
    try {
      await reader.ready();
      return reader;
    } catch (error) {
      reader.release();
      throw error;
    }
  }

  #readerOf(content: BlobFacts, range: ByteRange): PieceReader {
    const isWhole = range.end - range.start === content.size;
    const fill = this.#fillFor(content, range, isWhole);
    if (fill === null || range.start > fill.written) {
      return this.#passOn(content, range, isWhole ? newHash() : null);
    }
    const leave = fill.join();
    const reader = new FillReader({
      fill,
      leave,
      range,
      follow: (rest, hash) => this.#passOn(content, rest, rest.end === content.size ? hash : null),
    });
    this.#lost.register(reader, leave);
    return reader;
  }

  /** The fill of a content that is running, or is begun for a read; null if there is none. */
  #fillFor(content: BlobFacts, { start, end }: ByteRange, isWhole: boolean): Fill | null {
    const { digest, size } = content;
    const running = this.#fills.get(digest);
    if (running?.mayJoin === true) return running;
    const passed = (this.#passed.get(digest) ?? 0) + end - start;
    this.#passed.set(digest, passed);
    if (passed < size) return null;
    const place = this.#cached.place(size);
    if (place === null) return null;
    this.#passed.delete(digest);
    const { remote, onDamage } = this.#options;
    const fill = new Fill({ content, remote, cached: this.#cached, place, onDamage, isWanted: !isWhole });
    this.#fills.set(digest, fill);
    void fill.ended.then(() => {
      if (this.#fills.get(digest) === fill) this.#fills.delete(digest);
    });
    return fill;
  }

  #passOn(content: BlobFacts, range: ByteRange, hash: Bun.CryptoHasher | null): PassedOn {
    const { remote, onDamage } = this.#options;
    return new PassedOn({ content, range, remote, hash, onDamage });
  }
}

function wholeOf({ size }: BlobFacts): ByteRange {
  return { start: 0, end: size };
}
