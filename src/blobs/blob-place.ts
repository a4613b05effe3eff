import type { ByteRange, Digest } from "../domain/contents/content.ts";
import { CofferError } from "../domain/errors.ts";
import type { StoreId } from "../domain/id.ts";
import type { Histogram } from "../process/histogram.ts";
import type { S3Figures } from "../s3/meter.ts";
import type { BlobBody, HeldBlob } from "./blob-body.ts";
import type { BlobFacts, DamagedBlob } from "./blob-file.ts";
import type { TempFile } from "./temp-file.ts";

/** A blob in the store, as `list` finds it; for finding orphans. */
export interface ListedBlob {
  readonly digest: Digest;
  /** When the content was written; milliseconds since the epoch, by the file system's clock. */
  readonly modifiedAt: number;
}

/** With which headers a client gets a blob from where it is kept. */
export type SentAs = Readonly<Record<"cache-control" | "content-disposition" | "content-type", string>>;

const OUT_OF_REACH =
  "This content is where the server cannot reach it now. Try again later, or tell the server's administrator.";

/** A content may be where the server cannot look now, or not to its end. It is neither missing nor damaged. */
export class UnavailableBlob extends CofferError {
  constructor({ message = OUT_OF_REACH, cause }: ErrorOptions & { readonly message?: string } = {}) {
    super("UNAVAILABLE", message);
    if (cause !== undefined) this.cause = cause;
  }
}

/** The result of reading a blob; null if that is not available now. Rejects with other errors. */
export async function unlessUnavailable<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof UnavailableBlob)) throw error;
    return null;
  }
}

/** There is no place for new contents now, except for small ones. */
export function noPlaceNow(): CofferError {
  return new CofferError(
    "UNAVAILABLE",
    "The server cannot reach the place for contents now. Try again later, or tell its administrator.",
  );
}

/** Which blobs backups need that have no copy of them. Perhaps no row names them any more. */
export interface LeasedBlobs {
  has(digest: Digest): Promise<boolean>;
}

/** The leases of a place: what backups need there. */
export interface BlobLeases {
  /** What is leased after this was called. */
  current(): Promise<LeasedBlobs>;
  /** What was leased, and is not any more. Who took all of it is not given it again. */
  unleased(): AsyncGenerator<Digest>;
}

/** How much room there is for contents. What cannot be reached now does not count. */
export interface BlobSpace {
  /** Bytes that an unprivileged process can still write, including the reserve. */
  freeBytes(): Promise<number>;
  /** All there is, and what of it is free, in bytes; `reserve` is what is to stay free on each disk. */
  figures(): Promise<{ readonly total: number; readonly free: number; readonly reserve: number }>;
  /** Whether there is room for any content beyond the reserve. */
  hasSpace(): Promise<boolean>;
  /** How many bytes more should be free; 0 or less if there are enough. */
  shortage(): Promise<number>;
  /** Throws STORAGE_FULL unless there is room beyond the reserve and what is promised. */
  requireFree(): void;
  /** Whether a write has failed for lack of space since the last call. */
  takeNoSpace(): boolean;
  /** Whether there is more room once contents are removed. */
  readonly isFreedByRemoval: boolean;
}

/**
 * Where the blobs are that are no rows. Its methods throw DamagedBlob for one that is missing or not right, and
 * UnavailableBlob for one that may be where it cannot look now.
 */
export interface BlobPlace {
  /** Looks again what of it can be reached. */
  look(): Promise<unknown>;
  /** Whether there is room that can be reached; as of the last look. */
  readonly isReachable: boolean;
  /** What of it cannot be reached now, and why; as of the last look. */
  away(): readonly AwayDisk[];
  /** Its disks, in order. */
  disks(): Promise<readonly DiskFigures[]>;
  /** Only a bucket has it. */
  bucketFigures?(): BucketFigures | null;
  /** How long it took to sync each content, in seconds. Only disks have it. */
  readonly syncs?: Histogram | null;
  /** `list` takes shards from 0 to this number, exclusive. */
  readonly shardCount: number;
  /** How many shards one sweep may list. */
  readonly shardsASweep: number;
  /** Whether the bytes of a blob are checked as they are read: then nobody needs to read them before they are sent. */
  checksReads(digest: Digest): boolean;
  readonly space: BlobSpace;
  /** Room for a blob of `announced` bytes, 0 if that is not known. Throws STORAGE_FULL. */
  room(announced: number): Promise<BlobRoom>;
  /** What a blob is called in the log. */
  nameOf(digest: Digest): string;
  /** A part of a blob, whose bytes are read while they are sent. Only its size is checked before. */
  part(content: BlobFacts, range: ByteRange): Promise<BlobBody>;
  /**
   * An address at which anybody can read a blob for some seconds, which is not looked for; null if it is to be read from
   * here. It is secret. Absent where no blob has an address.
   */
  addressOf?(content: BlobFacts, seconds: number, sentAs: SentAs): Promise<string> | null;
  /** A whole blob, to be read in any order. */
  hold(content: BlobFacts): Promise<HeldBlob>;
  /** A whole blob in memory, checked. */
  readAll(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>>;
  /** The first bytes of a blob, at most `length`. Of a small one all bytes are checked. */
  readBeginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads a blob in pieces; each overwrites the one before. It is checked after the last. */
  pieces(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array>;
  /** Reads every byte of a blob where it is kept, in pieces as `pieces` does, to check it. */
  examine(content: BlobFacts, pieceBytes?: number): AsyncGenerator<Uint8Array>;
  /** Checks that a blob is there with its size. */
  require(content: BlobFacts): Promise<void>;
  /** Whether there is a blob that is shorter than the content. */
  isCutShort(content: BlobFacts): boolean;
  /** The state of a blob, as `DamagedBlob.state`; null also for one that cannot be reached. */
  stateOf(digest: Digest): string | null;
  /** Whether a blob is known to have another state than this. */
  hasChanged(digest: Digest, state: string | null): boolean;
  /** Tells `listener` of damage that shows only while a blob is sent. */
  onDamage(listener: (damage: DamagedBlob) => void): void;
  /**
   * Frees a blob's name, wherever it can be reached, unless it is leased: then it stays, and this returns null. Call what
   * it returns else: that frees its bytes, and takes time.
   */
  takeAway(digest: Digest): Promise<(() => Promise<void>) | null>;
  /** Left out where backups copy everything. */
  readonly leases?: BlobLeases;
  /** The blobs of one shard that can be reached, in no order. One may be there twice. */
  list(shard: number): Promise<ListedBlob[]>;
  /** Removes what is left of uploads that began before a time in milliseconds, and never ended. Returns how many. */
  removeUnfinished(before: number): Promise<number>;
  /** Ends what is being read. */
  close(): Promise<void>;
}

/** A place of blobs with what marks it as the store's. */
export interface StorePlace extends BlobPlace {
  /** All disks and buckets that are in it, in order; also those that are away. */
  readonly all: readonly Pick<DiskFigures, "root" | "isFormer">[];
  /** Gives the store's identity to each that has none, durably. Throws Error for one that belongs to another store by now. */
  writeIdentity(id: StoreId): Promise<void>;
  /** Writes on each disk but the data directory itself that this uses it. @param dataDir its real path */
  writeOwner(dataDir: string): Promise<void>;
  /** Those that are former and hold nothing any more. They are not looked at from now on. */
  dropEmptied(): Promise<readonly EmptiedDisk[]>;
}

/** A disk, or a bucket, that was used and holds nothing any more. */
export interface EmptiedDisk {
  readonly root: string;
  /** Removes what marks it as the store's. */
  removeMarks(): Promise<void>;
}

/** A disk that cannot be reached now. */
export interface AwayDisk {
  readonly root: string;
  /** A sentence without a capital and a period. */
  readonly why: string;
}

/** A disk. While it cannot be reached, `away` says why, and its figures are null. */
export interface DiskFigures {
  readonly root: string;
  /** Whether it gets no new contents, and holds some that are to be moved. */
  readonly isFormer: boolean;
  readonly away: string | null;
  /** Bytes. */
  readonly total: number | null;
  readonly free: number | null;
}

/** What came of the requests to a bucket, and of its cache, since the start. */
export interface BucketFigures {
  readonly requests: S3Figures;
  /** `bytes` are those on the disk now, of `count` contents. */
  readonly cache: Readonly<Record<"bytes" | "count" | "hits" | "misses", number>>;
}

/**
 * Room for one blob, which is written to a temporary file first. End it, however the blob ends. Its methods throw
 * UNAVAILABLE while there is no place.
 */
export interface BlobRoom {
  /** Throws STORAGE_FULL when the reserve is not free beside what others were promised. */
  requireFree(): void;
  newDraft(): Promise<TempFile>;
  /** Some of the blob is written. */
  wrote(bytes: number): void;
  /**
   * Makes a content survive a power cut. One that is there and whole is matched. Returns what was wrong with it, also
   * that it was missing; null for a match.
   *
   * @param refused what is known to be wrong with the content that is there; null for nothing
   * @param draft all of the content; not called for a match
   */
  keep(
    content: BlobFacts,
    refused: string | null,
    draft: () => Promise<TempFile>,
  ): Promise<DamagedBlob | null>;
  /** What to throw for an error of a write: STORAGE_FULL, UNAVAILABLE, or the error itself. */
  refusalOf(error: unknown): Promise<unknown>;
  end(): void;
}
