import { hasBlobs } from "../blobs/blob-directory.ts";
import { diskAt } from "../blobs/disk-paths.ts";
import { MigrationDisk } from "../blobs/migration/migration-disk.ts";
import { pathInAnother } from "../config/values.ts";
import { BucketAccess } from "../blobs/bucket/bucket-access.ts";
import { BucketBlobs } from "../blobs/bucket/bucket-blobs.ts";
import { MigrationBucket } from "../blobs/migration/migration-bucket.ts";
import type { BucketSettings } from "../blobs/stored-blobs.ts";
import { messageOf } from "../domain/errors.ts";
import type { StoreId } from "../domain/id.ts";
import { isSharedBucket } from "../domain/upkeep/backup-address.ts";
import type { SteadyClock } from "../process/clock.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { DataDirectoryError, explaining } from "../data-directory/data-directory-error.ts";
import { disksOf, isBucket, type StoreDisks } from "../data-directory/disks-file.ts";
import { findNewDisk, requireOwn } from "../data-directory/store-disks.ts";
import { bucketAddress } from "../data-directory/stored-places.ts";

interface MigrationPlacesParts {
  readonly directory: DataDirectory;
  readonly store: StoreId;
  /** The root of the disk to copy to, or the address of a bucket; null for the current ones. */
  readonly to: string | null;
  /** Bytes that are to stay free on each disk. */
  readonly diskReserve: number;
  /** For a bucket. */
  readonly s3: BucketSettings;
  readonly clock: SteadyClock;
}

type Place = MigrationDisk | MigrationBucket;

/** The disks and buckets of a migration. */
export class MigrationPlaces {
  readonly #parts: MigrationPlacesParts;
  readonly #recorded: StoreDisks;
  /** Where contents are moved or copied from, those that can be used. */
  readonly sources: readonly Place[];
  /** Where they go, those that can be used. */
  readonly targets: readonly Place[];
  /** The names of those that cannot be used now, and why. */
  readonly away: readonly string[];

  private constructor(
    parts: MigrationPlacesParts,
    recorded: StoreDisks,
    found: Pick<MigrationPlaces, "sources" | "targets" | "away">,
  ) {
    this.#parts = parts;
    this.#recorded = recorded;
    this.sources = found.sources;
    this.targets = found.targets;
    this.away = found.away;
  }

  /** Finds them, and changes nothing. Throws DataDirectoryError unless all that can be used are the store's. */
  static async find(parts: MigrationPlacesParts): Promise<MigrationPlaces> {
    const { directory, to } = parts;
    const recorded = await disksOf(directory);
    if (to !== null) await requireTarget(to, parts, recorded);
    const all = [...recorded.current, ...recorded.former];
    const away: string[] = [];
    const open = async (roots: readonly string[]) => {
      const places: Place[] = [];
      for (const root of roots) {
        const place = placeAt(root, parts);
        // One to copy to may be new.
        const why = all.includes(root) ? await place.whyAway() : null;
        if (why === null && !isBucket(root) && root !== directory.root)
          await requireOwn(diskAt(root), directory);
        if (why === null) places.push(place);
        else away.push(`${root}: ${why}`);
      }
      return places;
    };
    const targets = await open(to === null ? recorded.current : [to]);
    const sources = await open(to === null ? recorded.former : all.filter((root) => root !== to));
    return new MigrationPlaces(parts, recorded, { sources, targets, away });
  }

  /** Whether what is at the targets may be removed from a source: a server reads the former, and has left the latter. */
  mayRemoveFrom({ name }: Place): boolean {
    const { current, former } = this.#recorded;
    return former.includes(name) && this.targets.every((target) => current.includes(target.name));
  }

  /** Whether a bucket is to be replaced by another one: a server uses one at a time. */
  get areBuckets(): boolean {
    return [this.sources, this.targets].every((places) => places.some(({ name }) => isBucket(name)));
  }

  /** Whether a server uses the targets. */
  get areUsed(): boolean {
    return this.targets.every(({ name }) => this.#recorded.current.includes(name));
  }

  /** How many of them have gone meanwhile. The server may have forgotten some, which hold nothing any more. */
  async countGone(): Promise<number> {
    const all = [...this.sources, ...this.targets];
    const away = await Promise.all(all.map((disk) => disk.whyAway()));
    // It forgets one before it takes away what marks it.
    const { current, former } = await disksOf(this.#parts.directory);
    const names = [...current, ...former, ...this.targets.map(({ name }) => name)];
    return all.filter(({ name }, at) => away[at] !== null && names.includes(name)).length;
  }

  /** Throws DataDirectoryError if a server was started with other disks meanwhile. */
  async requireSame(): Promise<void> {
    const { current } = await disksOf(this.#parts.directory);
    if (JSON.stringify(current) === JSON.stringify(this.#recorded.current)) return;
    throw new DataDirectoryError(
      "The server was started with other disks meanwhile. Nothing is lost; run coffer blobs migrate again.",
    );
  }

  /** Makes the targets ready, and removes what a killed migration left there. None may be running. */
  async prepare(): Promise<void> {
    const { directory } = this.#parts;
    for (const target of this.targets) {
      if (!this.#recorded.current.includes(target.name)) await target.claim(directory.root);
      await target.clear();
      for (const source of this.sources) {
        const areDisks = target instanceof MigrationDisk && source instanceof MigrationDisk;
        if (!areDisks || !(await target.isSameAs(source))) continue;
        throw new DataDirectoryError(
          `${source.name} and ${target.name} are the same directory. Start the server with only one of them.`,
        );
      }
    }
  }
}

/** Refuses a directory to copy to that is not new, and none that new contents may go to. */
async function requireTarget(
  to: string,
  parts: MigrationPlacesParts,
  { current, former }: StoreDisks,
): Promise<void> {
  const { directory, store } = parts;
  if (current.includes(to)) return;
  if (former.includes(to)) {
    throw new DataDirectoryError(
      `${to} is no longer in COFFER_BLOBS. To move contents back, set that to it and restart the server; ` +
        "then run coffer blobs migrate without --to.",
    );
  }
  if (isBucket(to)) return requireBucket(parts, to, [...current, ...former]);
  for (const root of [...current, ...former, directory.root]) {
    if (root !== to && pathInAnother([root, to]) !== null)
      throw new DataDirectoryError(`${to} must not be in ${root}, or around it. Choose another directory.`);
  }
  const { blobsDir, identity } = await findNewDisk(to, directory);
  if (identity === store) return;
  if (identity === null && !(await explaining(blobsDir, hasBlobs(blobsDir)))) return;
  throw new DataDirectoryError(
    `${blobsDir} holds contents of another store. Nothing has been changed. Choose an empty directory.`,
  );
}

/** Refuses a bucket that belongs to another store, holds what belongs to none, or shares names with one in use. */
async function requireBucket(
  parts: MigrationPlacesParts,
  to: string,
  used: readonly string[],
): Promise<void> {
  for (const other of used.filter(isBucket)) {
    if (isSharedBucket(bucketAddress(to), bucketAddress(other)))
      throw new DataDirectoryError(`${to} must not be in ${other}, or around it. Choose another prefix.`);
  }
  const access = accessTo(to, parts);
  const { identity, away } = await access.identity();
  if (away !== null) throw new DataDirectoryError(away);
  if (identity === parts.store) return;
  if (identity === null && !(await new BucketBlobs(access).hasAny())) return;
  throw new DataDirectoryError(
    `${to} holds contents of another store. Nothing has been changed. Choose another bucket, or another prefix.`,
  );
}

function placeAt(root: string, parts: MigrationPlacesParts): Place {
  if (!isBucket(root)) return new MigrationDisk({ ...parts, root });
  return new MigrationBucket({
    ...parts,
    access: accessTo(root, parts),
    tmpDir: parts.directory.tmp,
    leasesDir: parts.directory.leases,
  });
}

function accessTo(name: string, { s3, store, clock }: MigrationPlacesParts): BucketAccess {
  try {
    return new BucketAccess({ s3: { ...s3, ...bucketAddress(name), clock }, store });
  } catch (error) {
    throw new DataDirectoryError(messageOf(error), { cause: error });
  }
}
