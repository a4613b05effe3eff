import { Disks } from "../blobs/disks.ts";
import { diskAt } from "../blobs/disk-paths.ts";
import type { StorePlace } from "../blobs/blob-place.ts";
import type { BucketSettings } from "../blobs/stored-blobs.ts";
import type { Tables } from "../db/tables.ts";
import type { BucketAddress } from "../domain/upkeep/backup-address.ts";
import type { SteadyClock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import type { Tracer } from "../tracing/tracer.ts";
import type { DataDirectory } from "./data-directory.ts";
import type { FoundDisk, FoundDisks } from "./store-disks.ts";

/** What a start knows of the contents of a store. */
export interface OpeningParts {
  readonly directory: DataDirectory;
  /** The roots of the disks to use; none with a bucket. */
  readonly roots: readonly string[];
  /** The bucket to use; null for disks. */
  readonly bucket: BucketAddress | null;
  /** Where buckets are, and who may use them. */
  readonly s3: BucketSettings;
  /** How much of the disk copies of contents in a bucket may take; null for what is usual. */
  readonly cacheBytes: number | null;
  /** Bytes that are to stay free on each disk. */
  readonly diskReserve: number;
  readonly tables: Tables;
  readonly clock: SteadyClock;
  readonly log: Log;
  /** Null if no traces are recorded. */
  readonly tracer: Tracer | null;
  /** Whether the operator wants to use what does not belong together; see `checkStoreIdentity`. */
  readonly adopt: boolean;
  /** See `findDisks`. */
  readonly forget: boolean;
}

/** The contents of a store, as a start has found them. */
export interface FoundStore {
  /** Its disks, and its bucket, which is looked at like one. */
  readonly disks: FoundDisks;
  open(): Promise<StorePlace>;
}

/** Opens the disks that a start has found. The log is told of each that goes away, and that comes back. */
export function openDisks(
  { listed, former }: FoundDisks,
  { diskReserve, tables, log }: Pick<OpeningParts, "diskReserve" | "tables" | "log">,
): Promise<Disks> {
  return Disks.open({
    disks: [
      ...listed.map((disk) => ({ ...toOpen(disk), isFormer: false })),
      ...former.map((disk) => ({ ...toOpen(disk), isFormer: true })),
    ],
    store: tables.store.id(),
    diskReserve,
    onChange: (root, why) => tellOfDisk(log, root, why),
  });
}

/** @param why null if it is back */
export function tellOfDisk(log: Log, disk: string, why: string | null): void {
  if (why === null) log.warn("a disk of contents is back", { disk });
  else
    log.error("a disk cannot be used: contents that are on it alone are unavailable until it is back", {
      disk,
      why,
    });
}

function toOpen({ root, away }: FoundDisk) {
  return { ...diskAt(root), isAway: away !== null };
}
