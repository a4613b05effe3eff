import type { Digest } from "../../domain/contents/content.ts";
import type { BlobFacts } from "../blob-file.ts";
import type { LeasedBlobs, ListedBlob } from "../blob-place.ts";

/** How many shards a place is listed in, by the first two digits of digests. */
export const SHARDS = 256;

/** A blob at a place, with its size in bytes. */
export interface PlacedBlob extends ListedBlob, BlobFacts {}

/** A place that blobs are moved from, or to, beside a server that uses it. */
export interface MigrationPlace {
  /** What people call it. */
  readonly name: string;
  /** Why it cannot be used now, to follow its name; null if it can. */
  whyAway(): Promise<string | null>;
  /** The blobs of one shard, in no order. Leaves out what is no blob. */
  list(shard: number): Promise<PlacedBlob[]>;
  /** The size of a blob in bytes; null if there is none. */
  sizeOf(digest: Digest): Promise<number | null>;
  /** Reads a blob in pieces; each overwrites the one before. It is checked after the last. Throws DamagedBlob. */
  pieces(content: BlobFacts): AsyncIterable<Uint8Array>;
  /**
   * Writes a blob in place of what has its name, with its age. It survives a power cut once this resolves; nothing is
   * changed if `pieces` throws.
   */
  put(blob: PlacedBlob, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Once this resolves, the blobs that are in a shard survive a power cut, whoever has put them there. */
  settle(shard: number): Promise<void>;
  /** What backups need there now; null where they copy everything. */
  leased(): Promise<LeasedBlobs | null>;
  /** Removes a blob. It may be missing. */
  remove(digest: Digest): Promise<void>;
  /** Bytes that can be written beyond what is to stay free. */
  room(): Promise<number>;
}
