import type { StoredBucket } from "../blobs/bucket/stored-bucket.ts";
import { openBucket } from "../blobs/open-stored.ts";
import { pathsIn } from "../data-directory/data-directory.ts";
import { bucketAddress, bucketPlaces } from "../data-directory/stored-places.ts";
import { type BackupAddress, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import { DirectoryPlace } from "./directory-place.ts";
import { isBackupId, keptBackups, type Manifest, manifestOf, MARKER, readMarker } from "./manifest.ts";
import { BackupError, type BackupPlace, readText } from "./place.ts";
import { type S3Access, S3Place } from "./s3-place.ts";

/** A complete backup in its place: one by its id, or the newest. Throws BackupError if there is none. */
export async function openBackup(address: BackupAddress, id: string | null, access: S3Access) {
  const place = await openPlaceToRead(address, access);
  return { place, manifest: await chosen(place, nameOfBackupAddress(address), id) };
}

/** Opens a place to read its backups. Throws BackupError if it has none. */
async function openPlaceToRead(address: BackupAddress, access: S3Access): Promise<BackupPlace> {
  const place = address.kind === "s3" ? new S3Place(address, access) : new DirectoryPlace(address.path);
  const where = nameOfBackupAddress(address);
  const marker = await readText(place, MARKER);
  if (marker === null) throw new BackupError(`${where} holds no backups of Coffer: it has no ${MARKER}.`);
  readMarker(marker, where);
  return place;
}

/** The bucket in which a backup has left contents; null for none. Throws BackupError if it is not as the backup knew it. */
export async function bucketOf(
  { store, in_bucket }: Manifest,
  { dataDir, s3 }: Pick<S3Access, "s3"> & { readonly dataDir: string },
): Promise<StoredBucket | null> {
  if (in_bucket === undefined) return null;
  const { address } = in_bucket;
  const parts = { directory: pathsIn(dataDir), store, s3, diskReserve: 0 };
  const bucket = await openBucket(bucketPlaces(parts, bucketAddress(address)));
  for (const { why } of await bucket.away()) {
    throw new BackupError(`The bucket ${address} with contents of this backup cannot be used: ${why}.`);
  }
  return bucket;
}

async function chosen(place: BackupPlace, where: string, id: string | null): Promise<Manifest> {
  const complete = (await keptBackups(place)).filter(({ isComplete }) => isComplete).map((kept) => kept.id);
  const wanted = id ?? complete.at(-1) ?? "";
  const manifest = isBackupId(wanted) ? await manifestOf(place, wanted) : null;
  if (manifest !== null) return manifest;
  if (complete.length === 0) throw new BackupError(`${where} holds no complete backup.`);
  throw new BackupError(`${where} holds no complete backup ${id}. It holds ${complete.join(", ")}.`);
}
