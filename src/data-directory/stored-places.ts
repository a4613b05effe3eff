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
  const { current, former } = await disksOf(parts.directory);
  const name = current.find(isBucket);
  if (name === undefined) return { disks: [...current, ...former], former, store: parts.store };
  const address = parseBackupAddress(name, (path) => path);
  return bucketPlaces(parts, present(address?.kind === "s3" ? address : null, "the address of the bucket"));
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
