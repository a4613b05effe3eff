import { statfs } from "node:fs/promises";
import { BucketAccess } from "../blobs/bucket/bucket-access.ts";
import { BucketBlobs } from "../blobs/bucket/bucket-blobs.ts";
import { BucketPlace } from "../blobs/bucket/bucket-place.ts";
import { JoinedPlace } from "../blobs/joined/joined-place.ts";
import { messageOf, present } from "../domain/errors.ts";
import { type BucketAddress, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import type { Log } from "../process/log.ts";
import { DataDirectoryError } from "./data-directory-error.ts";
import { isBucket } from "./disks-file.ts";
import { type FoundStore, openDisks, type OpeningParts } from "./found-store.ts";
import { findDisks, type FoundDisk, type FoundDisks, findFormer } from "./store-disks.ts";
import { bucketAddress } from "./stored-places.ts";

/** How much of the disk copies of contents take at most, unless that is set: bytes, and the share of the disk. */
const USUAL_CACHE = { bytes: 5_000_000_000, share: 0.1 };

/**
 * Looks at the bucket of a store, which is to be used or was before, and at its disks. Throws DataDirectoryError for any
 * that is not as it must be, and for a bucket that cannot be reached and is new.
 *
 * @param recorded see `everRecorded`
 */
export async function findWithBucket(parts: OpeningParts, recorded: readonly string[]): Promise<FoundStore> {
  const isFormer = parts.bucket === null;
  const address =
    parts.bucket ?? bucketAddress(present(recorded.find(isBucket) ?? null, "the former bucket"));
  const name = nameOfBackupAddress(address);
  const other = recorded.find((root) => isBucket(root) && root !== name);
  if (other !== undefined) throw anotherBucket(other);
  if (isFormer && parts.s3.credentials === null) throw withoutCredentials(name);
  const access = accessTo(parts, address);
  const disks = isFormer ? await findDisks(parts) : { listed: [], former: await findFormer(parts) };
  const bucket = await lookAt(access);
  const isUsed = recorded.includes(name) && parts.tables.store.id() !== null;
  if (bucket.away !== null && !isUsed) throw new DataDirectoryError(bucket.away);
  return {
    disks: isFormer
      ? { listed: disks.listed, former: [...disks.former, orAway(bucket)] }
      : { listed: [bucket], former: disks.former },
    open: () => open(parts, { access, isFormer, disks }),
  };
}

async function open(
  parts: OpeningParts,
  found: { readonly access: BucketAccess; readonly isFormer: boolean; readonly disks: FoundDisks },
): Promise<BucketPlace | JoinedPlace> {
  const { directory, cacheBytes } = parts;
  const { access, isFormer, disks } = found;
  const onDisks = disks.listed.length + disks.former.length > 0 ? await openDisks(disks, parts) : null;
  const inBucket = await BucketPlace.open({
    ...parts,
    access,
    isFormer,
    tmpDir: directory.tmp,
    cacheDir: directory.blobCache,
    leasesDir: directory.leases,
    cacheBytes: cacheBytes ?? (await usualCacheBytes(directory.root)),
  });
  if (onDisks === null) return inBucket;
  return isFormer
    ? new JoinedPlace({ current: onDisks, former: inBucket, isFormerNear: false })
    : new JoinedPlace({ current: inBucket, former: onDisks, isFormerNear: true });
}

function accessTo({ tables, clock, log, s3, tracer }: OpeningParts, address: BucketAddress): BucketAccess {
  const name = nameOfBackupAddress(address);
  try {
    return new BucketAccess({
      s3: { ...s3, ...address, clock, tracer },
      store: tables.store.id(),
      onChange: (why) => tellOfBucket(log, name, why),
    });
  } catch (error) {
    throw new DataDirectoryError(messageOf(error), { cause: error });
  }
}

async function lookAt(access: BucketAccess): Promise<FoundDisk> {
  const found = await access.identity();
  const blobs = new BucketBlobs(access);
  return {
    ...found,
    root: access.name,
    blobsDir: access.name,
    hasBlobs: () => blobs.hasAny(),
    countBlobs: () => blobs.count(),
  };
}

/** A former bucket without an identity is taken for one that is away, as a disk is. */
function orAway(bucket: FoundDisk): FoundDisk {
  if (bucket.away !== null || bucket.identity !== null) return bucket;
  return { ...bucket, away: "the identity of the store is missing there" };
}

async function usualCacheBytes(root: string): Promise<number> {
  const { blocks, bsize } = await statfs(root);
  return Math.min(USUAL_CACHE.bytes, Math.floor(blocks * bsize * USUAL_CACHE.share));
}

/** @param why null if it can be used again */
function tellOfBucket(log: Log, bucket: string, why: string | null): void {
  if (why === null) log.warn("the bucket of contents is back", { bucket });
  else {
    log.error("the bucket cannot be used: contents that are not cached are unavailable until it is back", {
      bucket,
      why,
    });
  }
}

function anotherBucket(name: string): DataDirectoryError {
  return new DataDirectoryError(
    `The bucket ${name} holds contents of this store, and only one bucket can be used at a time. Set COFFER_BLOBS to ` +
      "it, or to a disk and run coffer blobs migrate. To start without it, run coffer serve --forget-disks once: what " +
      "is nowhere else is then missing.",
  );
}

/** Else its contents would be unavailable for a reason that never goes away by itself. */
function withoutCredentials(name: string): DataDirectoryError {
  return new DataDirectoryError(
    `The bucket ${name} still holds contents of this store, and there are no credentials for it. Set S3_ACCESS_KEY_ID ` +
      "and S3_SECRET_ACCESS_KEY, or COFFER_S3_CREDENTIALS, as before, until coffer blobs migrate has emptied it.",
  );
}
