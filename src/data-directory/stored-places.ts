import type { BlobPlaces } from "../blobs/blob-directories.ts";
import { type BucketPlaces, type BucketSettings, plainCredentials } from "../blobs/stored-blobs.ts";
import { present } from "../domain/errors.ts";
import type { StoreId } from "../domain/id.ts";
import { type BucketAddress, parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import type { DataDirectory } from "./data-directory.ts";
import { disksOf, isBucket } from "./disks-file.ts";

interface StoredParts {
  readonly directory: DataDirectory;
  /** The identity of the store; null if that does not matter. */
  readonly store: StoreId | null;
  /** For contents in a bucket. */
  readonly s3: BucketSettings;
  /** Bytes that temporary files leave free. */
  readonly diskReserve: number;
}

/** Where the contents of a store are, as the last start of a server left them. Throws DataDirectoryError. */
export async function storedPlacesOf(parts: StoredParts): Promise<BlobPlaces | BucketPlaces> {
  const bucket = await bucketOf(parts);
  if (bucket !== null) return bucket;
  const { current, former } = await disksOf(parts.directory);
  return { disks: [...current, ...former], former, store: parts.store };
}

/** The bucket that contents of a store are in; null if there is none. Throws DataDirectoryError. */
export async function bucketOf(parts: StoredParts): Promise<BucketPlaces | null> {
  const name = (await disksOf(parts.directory)).current.find(isBucket);
  return name === undefined ? null : bucketPlaces(parts, bucketAddress(name));
}

/** The address of a bucket, as `recordDisks` has it. */
export function bucketAddress(name: string): BucketAddress {
  const address = parseBackupAddress(name, (path) => path);
  return present(address?.kind === "s3" ? address : null, "the address of the bucket");
}

export function bucketPlaces(
  { directory, store, s3, diskReserve }: StoredParts,
  { bucket, prefix }: BucketAddress,
): BucketPlaces {
  const { endpoint, region, isPathStyle, credentials } = s3;
  return {
    s3: { bucket, prefix, endpoint, region, isPathStyle, credentials: plainCredentials(credentials) },
    store,
    cacheDir: directory.blobCache,
    tmpDir: directory.tmp,
    diskReserve,
  };
}
