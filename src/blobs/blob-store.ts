import type { ByteRange, Digest } from "../domain/contents/content.ts";
import { Recent } from "../domain/recent.ts";
import {
  CHECKED_BYTES,
  type BlobFacts,
  DamagedBlob,
  type KnownDamage,
  requireBytes,
  stateOfBytes,
} from "./blob-file.ts";
import { traced } from "../tracing/traced.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { type BlobBody, held, type HeldBlob } from "./blob-body.ts";
import type { BlobPlace, BlobSpace, ListedBlob, SentAs } from "./blob-place.ts";
import { BlobWriter, Pins } from "./blob-writer.ts";

/** How much of what was read last is kept in memory. */
const RECENT_BYTES = 8 * 1024 * 1024;

/** Blobs that are kept beside the rows that name them. */
export interface SmallBlobs {
  /** Blobs up to this size, in bytes, are kept there. */
  readonly smallBytes: number;
  /** The bytes under a digest; null where there are none. Whether they are whole is for the reader to check. */
  get(digest: Digest): Uint8Array<ArrayBuffer> | null;
}

interface BlobStoreParts {
  /** Where all other blobs are. */
  readonly place: BlobPlace;
  readonly small: SmallBlobs;
  readonly damaged: KnownDamage;
  /** Records what is read and kept; absent if no traces are recorded. */
  readonly tracer?: Tracer | null;
}

/**
 * Blobs, each stored once under the SHA-256 of its bytes. The store does not know the database: after deleting the last
 * row of a blob, the caller removes it here. A sweep finds orphans of a crash. Reads throw UnavailableBlob for what may
 * be where the place cannot look now.
 */
export class BlobStore {
  readonly #parts: BlobStoreParts;
  readonly #pins = new Pins();
  /**
   * The small blobs that were read last, checked; larger ones need few disk reads for many bytes. Each is a Blob: the
   * runtime sends its bytes from where they are, but copies an array for each response.
   */
  readonly #recent = new Recent<Digest, Blob>(RECENT_BYTES, ({ size }) => size);

  constructor(parts: BlobStoreParts) {
    this.#parts = parts;
  }

  /** `list` takes shards from 0 to this number, exclusive. */
  get shardCount(): number {
    return this.#parts.place.shardCount;
  }

  get space(): BlobSpace {
    return this.#parts.place.space;
  }

  /** Where the blobs are that are no rows, for who looks after it. */
  get place(): Pick<
    BlobPlace,
    | "isReachable"
    | "look"
    | "away"
    | "disks"
    | "bucketFigures"
    | "syncs"
    | "checksReads"
    | "onDamage"
    | "shardsASweep"
    | "leases"
  > {
    return this.#parts.place;
  }

  /**
   * Starts a blob of `announced` bytes, 0 if that is not known. Throws STORAGE_FULL when there is no room beyond the
   * reserve, or would not be with this blob and what others were promised. While its place cannot be reached, the
   * writer throws UNAVAILABLE for all but small blobs.
   */
  async create(announced = 0): Promise<BlobWriter> {
    const { place, small, damaged, tracer = null } = this.#parts;
    const room = await place.room(announced);
    return new BlobWriter({ room, pins: this.#pins, smallBytes: small.smallBytes, damaged, tracer });
  }

  /**
   * A blob, or a range of it, to be sent. A small one is read and checked now, and kept for the next; at once if it is
   * no file. Of a larger one only the size is checked now, and its bytes are read while they are sent. Nothing is
   * pinned: the sweep waits a while after the last row of a blob is deleted, and an open file stays readable. Throws
   * DamagedBlob, and RangeError for a range that the content does not hold.
   */
  read(content: BlobFacts, range: ByteRange = { start: 0, end: content.size }): Blob | Promise<BlobBody> {
    requireRange(range, content.size);
    this.#refuseDamaged(content);
    if (content.size > CHECKED_BYTES) {
      return this.#placed(content, (place) => place.part(content, range));
    }
    return this.#readChecked(content, range);
  }

  /** A whole blob, to be read in any order. Throws as `read`. */
  async hold(content: BlobFacts): Promise<HeldBlob> {
    this.#refuseDamaged(content);
    if (content.size > CHECKED_BYTES) return this.#placed(content, (place) => place.hold(content));
    return held(await this.#readChecked(content, { start: 0, end: content.size }));
  }

  #readChecked(content: BlobFacts, range: ByteRange): Blob | Promise<Blob> {
    const recent = this.#recent.get(content.digest);
    if (recent?.size === content.size) return partOf(recent, range);
    const keep = (bytes: Uint8Array<ArrayBuffer>) => {
      const blob = new Blob([bytes]);
      this.#recent.set(content.digest, blob);
      return partOf(blob, range);
    };
    const found = this.#readAll(content);
    return found instanceof Promise ? found.then(keep) : keep(found);
  }

  /**
   * A whole blob in memory; for small blobs, at once if it is no file. All of it is checked. For readers that need it
   * once: it puts nothing into the cache. Throws DamagedBlob.
   */
  readAll(content: BlobFacts): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    this.#refuseDamaged(content);
    return this.#readAll(content);
  }

  /** The first bytes of a blob, at most `length`. It puts nothing into the cache. Throws DamagedBlob. */
  async readBeginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>> {
    this.#refuseDamaged(content);
    const bytes = this.#readSmall(content);
    if (bytes !== null) return bytes.subarray(0, length);
    return this.#parts.place.readBeginning(content, length);
  }

  #readAll(content: BlobFacts): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    return this.#readSmall(content) ?? this.#placed(content, (place) => place.readAll(content));
  }

  /** Reads a blob that is no row. Of one that is read while it is sent the span has only the beginning. */
  #placed<T>({ size }: BlobFacts, read: (place: BlobPlace) => Promise<T>): Promise<T> {
    const { place, tracer = null } = this.#parts;
    return traced(tracer, "blob read", (span) => {
      span?.set({ "coffer.content.size": size });
      return read(place);
    });
  }

  /** Reads a blob where it is kept in pieces, whatever is known of it. Checked after the last. Throws DamagedBlob. */
  async *pieces(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    const bytes = this.#readSmall(content);
    if (bytes === null) yield* this.#parts.place.pieces(content, pieceBytes);
    else yield bytes;
  }

  /** Reads every byte of a blob where it is kept, whatever is known of it, to check it. Throws DamagedBlob. */
  async *examine(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array> {
    const bytes = this.#readSmall(content);
    if (bytes === null) yield* this.#parts.place.examine(content, pieceBytes);
    else yield bytes;
  }

  /** See `BlobPlace.addressOf`. Null also for what is known to be damaged, which a read refuses. */
  addressOf(content: BlobFacts, seconds: number, sentAs: SentAs): Promise<string> | null {
    const { damaged, place } = this.#parts;
    if (damaged.problemOf(content.digest) !== null) return null;
    return place.addressOf?.(content, seconds, sentAs) ?? null;
  }

  /** Checks that a blob that is no row is there, and has its size. Throws DamagedBlob. */
  requirePlaced(content: BlobFacts): Promise<void> {
    return this.#parts.place.require(content);
  }

  /** Whether a blob that is no row is shorter than the content. What is gone is not: it may still be open. */
  isCutShort(content: BlobFacts): boolean {
    return this.#parts.place.isCutShort(content);
  }

  /** The state of a blob, as `DamagedBlob.state`. */
  stateOf(digest: Digest): string | null {
    const bytes = this.#parts.small.get(digest);
    return bytes === null ? this.#parts.place.stateOf(digest) : stateOfBytes(bytes);
  }

  /** Whether a blob is known to have another state than this, as `DamagedBlob.state`. */
  hasChanged(digest: Digest, state: string | null): boolean {
    const bytes = this.#parts.small.get(digest);
    return bytes === null ? this.#parts.place.hasChanged(digest, state) : stateOfBytes(bytes) !== state;
  }

  #refuseDamaged({ digest }: BlobFacts): void {
    const problem = this.#parts.damaged.problemOf(digest);
    if (problem !== null) throw new DamagedBlob(this.#parts.place.nameOf(digest), digest, problem);
  }

  /** Null where it is none of the small blobs. Throws DamagedBlob. */
  #readSmall(content: BlobFacts): Uint8Array<ArrayBuffer> | null {
    if (content.size > this.#parts.small.smallBytes) return null;
    const bytes = this.#parts.small.get(content.digest);
    if (bytes === null) return null;
    requireBytes(`the content ${content.digest} in the database`, bytes, content);
    return bytes;
  }

  /**
   * Removes a blob. Returns true once it is gone, also if it was not there; false, and keeps it, while it
   * is pinned or leased. The pin is checked before the first await: if the caller checks in the same synchronous step that
   * no row names the content, no upload can come in between. Later ones wait until it is gone.
   */
  async remove(digest: Digest): Promise<boolean> {
    const taken: (() => Promise<void>)[] = [];
    const isRemoved = await this.#pins.unlessPinned(digest, async () => {
      const free = await this.#parts.place.takeAway(digest);
      if (free !== null) taken.push(free);
      return free !== null;
    });
    for (const free of taken) await free();
    return isRemoved;
  }

  /** The blobs of one shard that are no rows, in no order. One may be there twice. */
  list(shard: number): Promise<ListedBlob[]> {
    return this.#parts.place.list(shard);
  }

  /** See `BlobPlace.removeUnfinished`. */
  removeUnfinished(before: number): Promise<number> {
    return this.#parts.place.removeUnfinished(before);
  }
}

/** A range of a blob in memory, which is not copied. */
function partOf(content: Blob, { start, end }: ByteRange): Blob {
  return start === 0 && end === content.size ? content : content.slice(start, end);
}

function requireRange({ start, end }: ByteRange, size: number): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || start > end || end > size) {
    throw new RangeError(`the bytes ${start} to ${end} are outside a content of ${size} bytes`);
  }
}
