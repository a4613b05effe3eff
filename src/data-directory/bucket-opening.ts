import { statfs } from "node:fs/promises";
import { BucketAccess } from "../blobs/bucket/bucket-access.ts";
import { BucketBlobs } from "../blobs/bucket/bucket-blobs.ts";
import { BucketPlace } from "../blobs/bucket/bucket-place.ts";
import type { BucketPlaces, BucketSettings } from "../blobs/stored-blobs.ts";
import { messageOf, present } from "../domain/errors.ts";
import { type BucketAddress, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import type { SteadyClock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import { DataDirectoryError } from "./data-directory-error.ts";
import { recordDisks } from "./disks-file.ts";
import { everRecorded, findEmptied, type FoundDisks } from "./store-disks.ts";
import { checkStoreIdentity, markStore, type StoreMark } from "./store-identity.ts";
import { bucketPlaces } from "./stored-places.ts";
import { type ContentsOpening, type OpeningParts, tellOfMark } from "./store-opening.ts";

interface BucketOpeningParts extends OpeningParts {
  readonly clock: SteadyClock;
  readonly address: BucketAddress;
  readonly s3: BucketSettings;
  /** How much of the disk copies of contents may take; null for what is usual. */
  readonly cacheBytes: number | null;
}

/** How much of the disk copies of contents take at most, unless that is set: bytes, and the share of the disk. */
const USUAL_CACHE = { bytes: 5_000_000_000, share: 0.1 };

/** The contents of a store in a bucket. */
export class BucketOpening implements ContentsOpening {
  readonly #parts: BucketOpeningParts;
  readonly #access: BucketAccess;
  readonly #found: FoundDisks;
  readonly #mark: StoreMark | null;
  #place: BucketPlace | null = null;

  private constructor(
    parts: BucketOpeningParts,
    found: { readonly access: BucketAccess; readonly disks: FoundDisks; readonly mark: StoreMark | null },
  ) {
    this.#parts = parts;
    this.#access = found.access;
    this.#found = found.disks;
    this.#mark = found.mark;
  }

  /**
   * Looks at the bucket, and changes nothing. Throws DataDirectoryError unless it and the database fit, or if a bucket
   * cannot be reached that the store has not used.
   */
  static async check(parts: BucketOpeningParts): Promise<BucketOpening> {
    const access = accessTo(parts);
    const disks = await findBucket(parts, access);
    const mark = await checkStoreIdentity({ ...parts, disks });
    return new BucketOpening(parts, { access, disks, mark });
  }

  async open(): Promise<BucketPlace> {
    const { directory, cacheBytes } = this.#parts;
    const tmpDir = directory.tmp;
    this.#place = await BucketPlace.open({
      ...this.#parts,
      access: this.#access,
      tmpDir,
      cacheDir: directory.blobCache,
      leasesDir: directory.leases,
      cacheBytes: cacheBytes ?? (await usualCacheBytes(directory.root)),
    });
    return this.#place;
  }

  async mark(): Promise<BucketPlaces> {
    const { directory, log, address } = this.#parts;
    const place = present(this.#place, "the opened bucket");
    const store = await markStore(this.#parts, place, this.#mark);
    await recordDisks(directory, { current: [nameOfBackupAddress(address)], former: [] });
    tellOfMark(log, this.#mark);
    for (const { away } of this.#found.listed) if (away !== null) this.#access.giveUp(away);
    return bucketPlaces({ ...this.#parts, store }, address);
  }

  /** The start has refused any that holds something. */
  async forgetEmptied(): Promise<void> {}
}

function accessTo({ tables, clock, log, address, s3 }: BucketOpeningParts): BucketAccess {
  const name = nameOfBackupAddress(address);
  try {
    return new BucketAccess({
      s3: { ...s3, ...address, clock },
      store: tables.store.id(),
      onChange: (why) => tellOfBucket(log, name, why),
    });
  } catch (error) {
    throw new DataDirectoryError(messageOf(error), { cause: error });
  }
}

async function findBucket(parts: BucketOpeningParts, access: BucketAccess): Promise<FoundDisks> {
  const { directory, tables, forget } = parts;
  const root = access.name;
  const former = await findEmptied({ directory, roots: [root], forget });
  const recorded = await everRecorded(directory);
  const found = await access.identity();
  const isUsed = recorded.includes(root) && tables.store.id() !== null;
  if (found.away !== null && !isUsed) throw new DataDirectoryError(found.away);
  const blobs = new BucketBlobs(access);
  const bucket = {
    ...found,
    root,
    blobsDir: root,
    hasBlobs: () => blobs.hasAny(),
    countBlobs: () => blobs.count(),
  };
  return { listed: [bucket], former };
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
