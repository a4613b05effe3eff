import { BlobDirectories, type BlobPlaces } from "./blob-directories.ts";
import type { BucketPlaces, StoredBlobs } from "./stored-blobs.ts";

/** Where the contents of a store are; as such it can be posted to a thread. Secret. */
export type StoredPlaces = BlobPlaces | BucketPlaces;

/** Opens the contents of a store that this process, or thread, does not serve. */
export async function openStored(places: StoredPlaces): Promise<StoredBlobs> {
  if ("disks" in places) return new BlobDirectories(places);
  // What it needs is loaded by nobody else.
  const { StoredBucket } = await import("./bucket/stored-bucket.ts");
  return new StoredBucket(places);
}
