import type { StoredPlaces } from "../blobs/open-stored.ts";
import { type BucketPlaces, type BucketSettings, plainCredentials } from "../blobs/stored-blobs.ts";
import { present } from "../domain/errors.ts";
import type { StoreId } from "../domain/id.ts";
import { type BucketAddress, parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import type { DataDirectory } from "./data-directory.ts";
import { allDisksOf, disksOf, isBucket, type StoreDisks } from "./disks-file.ts";

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
export async function storedPlacesOf(parts: StoredParts): Promise<StoredPlaces> {
  return placesOf(await disksOf(parts.directory), parts);
}

/** The same for disks that are known, of which one may be a bucket. */
export function placesOf({ current, former }: StoreDisks, parts: StoredParts): StoredPlaces {
  const { store } = parts;
  const all = [...current, ...former];
  const name = all.find(isBucket);
  if (name === undefined) return { disks: all, former, store };
  const bucket = bucketPlaces(parts, bucketAddress(name));
  const disks = all.filter((root) => !isBucket(root));
  if (disks.length === 0) return bucket;
  return current.includes(name)
    ? { disks: { disks, store }, bucket, current: "bucket" }
    : { disks: { disks, former, store }, bucket, current: "disks" };
}

/** The bucket that contents of a store are in, or are moved from; null if there is none. Throws DataDirectoryError. */
export async function bucketOf(parts: StoredParts): Promise<BucketPlaces | null> {
  const name = (await allDisksOf(parts.directory)).find(isBucket);
  return name === undefined ? null : bucketPlaces(parts, bucketAddress(name));
}

/** The address of a bucket that is recorded as a disk. */
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
