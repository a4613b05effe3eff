import { type BackupAddress, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import type { StoreId } from "../domain/id.ts";
import { DirectoryPlace } from "./directory-place.ts";
import { MARKER, markerText, readMarker } from "./manifest.ts";
import { BackupError, type BackupPlace, readText } from "./place.ts";
import { S3Place } from "./s3-place.ts";

/**
 * Opens a place to add a backup of a store, and marks a new or empty one as the store's. A directory must not be in
 * `dataDir`. Throws BackupError if it holds something else, or another store's backups.
 */
export async function openPlaceToWrite(address: BackupAddress, store: StoreId, dataDir: string) {
  const where = nameOfBackupAddress(address);
  if (address.kind === "s3") {
    const place = new S3Place(address);
    await claim(place, where, store);
    return place;
  }
  const place = new DirectoryPlace(address.path);
  await place.make(dataDir);
  await claim(place, where, store);
  await place.clearDrafts();
  return place;
}

/** Opens a place to read its backups. Throws BackupError if it has none. */
export async function openPlaceToRead(address: BackupAddress): Promise<BackupPlace> {
  const place = address.kind === "s3" ? new S3Place(address) : new DirectoryPlace(address.path);
  const where = nameOfBackupAddress(address);
  const marker = await readText(place, MARKER);
  if (marker === null) throw new BackupError(`${where} holds no backups of Coffer: it has no ${MARKER}.`);
  readMarker(marker, where);
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
