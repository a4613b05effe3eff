import { BlobDirectories, type BlobPlaces } from "./blob-directories.ts";
import type { StoredBucket } from "./bucket/stored-bucket.ts";
import type { BucketPlaces, StoredBlobs } from "./stored-blobs.ts";

/** Where the contents of a store are; as such it can be posted to a thread. Secret. */
export type StoredPlaces = BlobPlaces | BucketPlaces | JoinedPlaces;

/** Where the contents of a store are that are moved from disks to a bucket, or back. */
export interface JoinedPlaces {
  readonly disks: BlobPlaces;
  readonly bucket: BucketPlaces;
  /** Where new contents go. */
  readonly current: "disks" | "bucket";
}

/** Opens the contents of a store that this process, or thread, does not serve. */
export async function openStored(places: StoredPlaces): Promise<StoredBlobs> {
  if ("bucket" in places) {
    const [disks, bucket] = [new BlobDirectories(places.disks), await openBucket(places.bucket)];
    const { JoinedBlobs } = await import("./joined/joined-blobs.ts");
    // To look on a disk costs less.
    return new JoinedBlobs({ places: [disks, bucket], current: places.current === "disks" ? disks : bucket });
  }
  return "disks" in places ? new BlobDirectories(places) : openBucket(places);
}

/** Opens a bucket that this process, or thread, does not serve. */
export async function openBucket(places: BucketPlaces): Promise<StoredBucket> {
  // What it needs is loaded by nobody else.
  const { StoredBucket: Opened } = await import("./bucket/stored-bucket.ts");
  return new Opened(places);
}
