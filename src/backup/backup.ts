import { readIdentity } from "../blobs/blob-directory.ts";
import { hasCode } from "../blobs/system-error.ts";
import { explaining } from "../data-directory/data-directory-error.ts";
import { openToRead } from "../data-directory/read-only-directory.ts";
import { Database } from "../db/engine/database.ts";
import { NoRoomForCopy } from "../db/upkeep/database-copy.ts";
import { openTables, type Tables } from "../db/tables.ts";
import { isFull } from "../db/engine/write-failures.ts";
import { type BackupAddress, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import { WriteRefused } from "../domain/errors.ts";
import { takeLease } from "./lease.ts";
import { keptBackups, MARKER, markerText } from "./manifest.ts";
import { openPlaceToWrite } from "./open-place.ts";
import { BackupError } from "./place.ts";
import { prune, type Pruned, removeUnfinished } from "./prune.ts";
import { type BackedUp, type BackupOptions, BackupRun, type Made } from "./run.ts";
import { TarTarget } from "./tar.ts";

/** A complete backup. */
export interface Backup extends Made {
  /** What was removed to keep as many backups as wanted. */
  readonly pruned: Pruned;
}

/**
 * Makes a backup in a place, beside a server or without one, and removes old ones; `keep` remain, this one included.
 * Throws BackupError, DataDirectoryError, or an error of `Database.open`.
 */
export async function backUpTo(address: BackupAddress, keep: number, options: BackupOptions) {
  return withStore(options, async (backedUp, tables) => {
    const place = await openPlaceToWrite(address, backedUp.store, options.dataDir);
    const last = (await keptBackups(place)).at(-1)?.id ?? null;
    await removeUnfinished(place);
    const backup = await new BackupRun({ ...backedUp, ...options, target: place, place }).run(last);
    await tables.writeFromReserve(() =>
      tables.backups.putSuccess(nameOfBackupAddress(address), options.clock.now()),
    );
    return { ...backup, pruned: await prune(place, keep) };
  });
}

/**
 * Writes a backup as one tar archive. Throws as `backUpTo`.
 *
 * @param write writes all of some bytes, which may change after it resolves
 */
export async function backUpAsStream(write: (bytes: Uint8Array) => Promise<void>, options: BackupOptions) {
  return withStore(options, async (backedUp) => {
    const target = new TarTarget(write);
    await target.put(MARKER, new Blob([markerText(backedUp.store)]));
    const backup = await new BackupRun({ ...backedUp, ...options, target, place: null }).run(null);
    await target.end();
    return { ...backup, pruned: { backups: 0, contents: 0 } };
  });
}

async function withStore<T>(
  { dataDir, clock }: BackupOptions,
  work: (backedUp: BackedUp, tables: Tables) => Promise<T>,
): Promise<T> {
  await using opened = new AsyncDisposableStack();
  const directory = await openToRead(dataDir, opened);
  const database = opened.adopt(Database.open(directory.database, clock), (db) => db.close());
  const tables = openTables(database);
  const store = tables.store.id();
  if (store === null || (await explaining(directory.blobs, readIdentity(directory.blobs))) !== store) {
    throw new BackupError(
      `The database and the contents in ${dataDir} have not been used together yet. Start coffer serve once.`,
    );
  }
  try {
    const lease = opened.use(await takeLease(directory, tables, clock));
    return await work({ directory, store, lease }, tables);
  } catch (error) {
    throw explained(error);
  }
}

/** What to do about a failure. */
function explained(error: unknown): unknown {
  if (error instanceof NoRoomForCopy || isFull(error) || error instanceof WriteRefused) {
    const why = error instanceof Error ? error.message : String(error);
    return new BackupError(
      `The disk of the data directory has no room for a copy of the database: ${why}. Free some space.`,
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
