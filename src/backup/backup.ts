import { readIdentity } from "../blobs/disk-marks.ts";
import { openBucket, openStored } from "../blobs/open-stored.ts";
import { UnavailableBlob } from "../blobs/blob-place.ts";
import { diskAt } from "../blobs/disk-paths.ts";
import { hasCode } from "../blobs/system-error.ts";
import { explaining } from "../data-directory/data-directory-error.ts";
import { allDisksOf, disksOf, isBucket } from "../data-directory/disks-file.ts";
import { bucketAddress, bucketOf, storedPlacesOf } from "../data-directory/stored-places.ts";
import { openToRead } from "../data-directory/read-only-directory.ts";
import { Database } from "../db/engine/database.ts";
import { NoRoomForCopy } from "../db/upkeep/database-copy.ts";
import { openTables, type Tables } from "../db/tables.ts";
import { isFull } from "../db/engine/write-failures.ts";
import { type BackupAddress, isSharedBucket, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import { messageOf, WriteRefused } from "../domain/errors.ts";
import { type BackupId, MARKER, markerText, readMarker } from "./manifest.ts";
import { BackupError, type BackupPlace, readText } from "./place.ts";
import { type BackedUp, type BackupOptions, BackupRun, type Made } from "./run.ts";
import { TarTarget } from "./tar.ts";
import { hostname } from "node:os";
import type { Clock } from "../process/clock.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { LEASE_MS } from "../db/upkeep/store.ts";
import { acquireLock } from "../db/engine/lock.ts";
import type { StoreId } from "../domain/id.ts";
import { DirectoryPlace } from "./directory-place.ts";
import { prune, removeUnfinished } from "./removal.ts";
import { S3Place } from "./s3-place.ts";

export interface Backup extends Made {
  /** What was removed to keep as many backups as wanted. */
  readonly pruned: { readonly backups: number; readonly contents: number };
}

/**
 * Makes a backup in a place, beside a server or without one, and removes old ones; `keep` remain, this one included.
 * Throws BackupError, DataDirectoryError, or an error of `Database.open`.
 */
export async function backUpTo(address: BackupAddress, keep: number, options: BackupOptions) {
  return withStore(options, async (backedUp, tables) => {
    const { bucket, isBucketUsed } = backedUp;
    const place = await openPlaceToWrite(address, backedUp, options);
    const release = async (id: BackupId) => bucket?.release(id);
    const complete = await removeUnfinished(place, release);
    const leaves = options.backupContents === "leave" && isBucketUsed ? bucket : null;
    const run = new BackupRun({ ...backedUp, ...options, bucket: leaves, target: place, place });
    const backup = await run.run(complete.at(-1) ?? null);
    await tables.writeFromReserve(() =>
      tables.backups.putSuccess(nameOfBackupAddress(address), options.clock.now()),
    );
    return { ...backup, pruned: await prune(place, { keep, known: [...complete, backup.id], release }) };
  });
}

/** Writes a backup as one tar archive, with all contents: nobody knows how long it is kept. Throws as `backUpTo`. @param write see `TarTarget` */
export async function backUpAsStream(write: (bytes: Uint8Array) => Promise<void>, options: BackupOptions) {
  return withStore(options, async (backedUp) => {
    const target = new TarTarget(write);
    await target.put(MARKER, new Blob([markerText(backedUp.store)]));
    const run = new BackupRun({ ...backedUp, ...options, bucket: null, target, place: null });
    const backup = await run.run(null);
    await target.end();
    return { ...backup, pruned: { backups: 0, contents: 0 } };
  });
}

async function withStore<T>(
  { dataDir, clock, s3, diskReserve }: BackupOptions,
  work: (backedUp: BackedUp, tables: Tables) => Promise<T>,
): Promise<T> {
  await using opened = new AsyncDisposableStack();
  const directory = await openToRead(dataDir, opened);
  const database = opened.adopt(Database.open(directory.database, clock), (db) => db.close());
  const tables = openTables(database);
  const store = tables.store.id();
  const disks = (await allDisksOf(directory)).filter((root) => !isBucket(root));
  if (store === null) throw notUsedTogether(dataDir);
  for (const disk of disks) await requireDisk(disk, store, dataDir);
  try {
    const lease = opened.use(await takeLease(directory, tables, clock));
    const parts = { directory, store, s3, diskReserve };
    const contents = await openStored(await storedPlacesOf(parts));
    const places = await bucketOf(parts);
    const bucket = places && (await openBucket(places));
    const { requireHeld } = lease;
    const isBucketUsed = (await disksOf(directory)).current.some(isBucket);
    return await work({ directory, store, disks, contents, bucket, isBucketUsed, requireHeld }, tables);
  } catch (error) {
    throw explained(error);
  }
}

/** Throws BackupError for a disk that is away, or has the contents of another store. */
async function requireDisk(root: string, store: StoreId, dataDir: string): Promise<void> {
  const { blobsDir } = diskAt(root);
  if ((await explaining(blobsDir, readIdentity(blobsDir))) === store) return;
  if (root === dataDir) throw notUsedTogether(dataDir);
  throw new BackupError(
    `The contents on the disk ${root} are not there. Mount it first: without it the backup would lack contents.`,
  );
}

function notUsedTogether(dataDir: string): BackupError {
  return new BackupError(
    `The database and the contents in ${dataDir} have not been used together yet. Start coffer serve once.`,
  );
}

function explained(error: unknown): unknown {
  if (error instanceof UnavailableBlob) {
    return new BackupError(
      "A disk of contents went away, or their bucket, so the backup is not complete. Mount it, or make it reachable, then run the backup again.",
      { cause: error },
    );
  }
  if (error instanceof NoRoomForCopy || isFull(error) || error instanceof WriteRefused) {
    return new BackupError(
      `The disk of the data directory has no room for a copy of the database: ${messageOf(error)}. Free some space.`,
      { cause: error },
    );
  }
  if (hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT")) {
    return new BackupError(
      "The disk of the backups is full. Free some space there, or keep fewer backups. The backup that was being " +
        "made is removed by the next one.",
      { cause: error },
    );
  }
  return error;
}

/** How often the lease is renewed while it holds. */
const RENEWALS = 4;

/**
 * Keeps a server from removing contents, and other backups from starting. If this process is killed, the lock is free
 * at once; contents are removed again when the lease in the database has ended. Throws BackupError while another backup
 * of this store is running.
 */
async function takeLease({ backupLockFile }: DataDirectory, tables: Tables, clock: Clock) {
  const locked = acquireLock(backupLockFile);
  if (!locked.ok) {
    const who = locked.holder === null ? "" : ` in process ${locked.holder.pid} on ${locked.holder.host}`;
    throw new BackupError(`A backup of this data directory is running already${who}. Wait for its end.`);
  }
  await using opened = new AsyncDisposableStack();
  opened.defer(() => locked.lock.release());
  const holder = `${process.pid} on ${hostname()}, ${crypto.randomUUID()}`;
  let heldUntil = 0;
  const hold = (take: (now: number) => boolean) =>
    tables.writeFromReserve(() => {
      const now = clock.now();
      if (take(now)) heldUntil = now + LEASE_MS;
    });
  await hold((now) => {
    // Who has the lock may: a lease of another was left by a process that was killed.
    tables.backups.take(holder, now);
    return true;
  });
  // If this fails, it ends by itself.
  opened.defer(async () => {
    await tables.writeFromReserve(() => tables.backups.release(holder)).catch(() => {});
  });
  // One that fails is not the end: the next may succeed in time, and `requireHeld` tells.
  const renew = () => hold((now) => tables.backups.renew(holder, now)).catch(() => {});
  const timer = setInterval(() => void renew(), LEASE_MS / RENEWALS);
  opened.defer(() => clearInterval(timer));
  const owned = opened.move();
  return {
    /** Throws BackupError if the lease has ended, because this process or its machine was held up for long. */
    requireHeld: () => {
      if (clock.now() < heldUntil) return;
      throw new BackupError(
        "The backup was held up for too long, so contents may have been removed. Run it again.",
      );
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * Opens a place to add a backup of a store, and marks a new or empty one as the store's. A directory must not be in
 * the store's own. Throws BackupError if it holds something else, or another store's backups.
 */
async function openPlaceToWrite(
  address: BackupAddress,
  { store, disks, bucket }: BackedUp,
  options: BackupOptions,
) {
  const where = nameOfBackupAddress(address);
  if (address.kind === "s3") {
    if (bucket !== null && isSharedBucket(address, bucketAddress(bucket.name))) {
      throw new BackupError(
        `The backups cannot be in ${bucket.name}, where the contents are. Choose another prefix.`,
      );
    }
    const place = new S3Place(address, options);
    await claim(place, where, store);
    await place.clearDrafts();
    return place;
  }
  const place = new DirectoryPlace(address.path);
  await place.make({ dataDir: options.dataDir, disks });
  await claim(place, where, store);
  await place.clearDrafts();
  return place;
}

async function claim(place: BackupPlace, where: string, store: StoreId): Promise<void> {
  const marker = await readText(place, MARKER);
  if (marker === null) {
    for await (const { name } of place.list("")) {
      throw new BackupError(
        `${where} holds ${name} but no backups of Coffer. Choose an empty or new place. Nothing has been changed.`,
      );
    }
    await place.put(MARKER, new Blob([markerText(store)]));
    await place.sync();
    return;
  }
  if (readMarker(marker, where) === store) return;
  throw new BackupError(`${where} holds the backups of another store. Choose a place for each store.`);
}
