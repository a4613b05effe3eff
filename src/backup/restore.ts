import { hasCode } from "../blobs/system-error.ts";
import { MIGRATIONS } from "../db/engine/migrations.ts";
import { type BackupAddress, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import { inParallel } from "../process/in-parallel.ts";
import { AT_ONCE } from "./contents.ts";
import {
  isBackupId,
  isPartName,
  keptBackups,
  MANIFEST,
  type Manifest,
  manifestOf,
  MARKER,
  nameOfPart,
  readManifest,
  readMarker,
} from "./manifest.ts";
import { DirectoryPlace } from "./directory-place.ts";
import { type S3Access, S3Place } from "./s3-place.ts";
import type { BackupPlace } from "./place.ts";
import { BackupError, BACKUPS, digestOfName, nameOfContent, readText, textOf, wholeAtLast } from "./place.ts";
import { Restoration } from "./restoration.ts";
import { BadTar, readTar, type TarEntry } from "./tar.ts";

/** Contents of an archive that are held in memory, at most. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Restores a backup from a place into an empty or new directory: one by its id, or the newest complete one. Returns the
 * contents of files that are `missing` then: reads of these fail. Throws BackupError or DataDirectoryError.
 */
export async function restoreFrom(
  address: BackupAddress,
  id: string | null,
  { dataDir, ...access }: S3Access & { readonly dataDir: string },
) {
  return explaining(async () => {
    const place = await openPlaceToRead(address, access);
    const manifest = await chosen(place, nameOfBackupAddress(address), id);
    requireKnownSchema(manifest);
    using restoration = await Restoration.begin(dataDir, manifest.store);
    for (const part of manifest.parts) {
      await wholeAtLast(async () => {
        const bytes = await place.read(nameOfPart(manifest.id, part.name));
        if (bytes !== null) await restoration.addPart(part.name, bytes);
        return restoration.has(part);
      });
    }
    restoration.requireParts(manifest);
    await inParallel(restoration.contents(), AT_ONCE, async (content) => {
      const read = () => place.read(nameOfContent(content.digest));
      await wholeAtLast(() => restoration.addContent(content, read));
    });
    return { manifest, missing: await restoration.finish(manifest) };
  });
}

/** Restores a backup that was written as one archive. Throws BackupError or DataDirectoryError. */
export async function restoreStream(archive: AsyncIterable<Uint8Array>, dataDir: string) {
  return explaining(async () => {
    const entries = readTar(archive);
    const { done, value } = await entries.next();
    if (done === true || value.name !== MARKER) throw new BackupError("The archive is no backup of Coffer.");
    const store = readMarker(await textOf(value.bytes), "the archive");
    using restoration = await Restoration.begin(dataDir, store);
    const manifests: Manifest[] = [];
    await inParallel(smallContents(entries, restoration, manifests), AT_ONCE, (content) => content());
    const [manifest] = manifests;
    if (manifest === undefined)
      throw new BackupError("The archive has no manifest: the backup was not finished.");
    requireKnownSchema(manifest);
    return { manifest, missing: await restoration.finish(manifest) };
  });
}

/**
 * Restores everything in an archive but its small contents, which are read into memory to be restored beside others:
 * each waits for the disk. Adds the manifest to `manifests`.
 */
async function* smallContents(
  entries: AsyncIterable<TarEntry>,
  restoration: Restoration,
  manifests: Manifest[],
): AsyncGenerator<() => Promise<void>> {
  for await (const { name, size, bytes } of entries) {
    const digest = digestOfName(name);
    const [id = "", part = ""] = name.startsWith(BACKUPS) ? name.slice(BACKUPS.length).split("/") : [];
    if (digest === null) {
      if (part === MANIFEST) manifests.push(readManifest(await textOf(bytes), id));
      else if (isPartName(part)) await restoration.addPart(part, bytes);
    } else if (size > SMALL_BYTES) {
      await restoration.addContent({ digest, size }, () => bytes);
    } else {
      const held = await Array.fromAsync(bytes, (piece) => Uint8Array.from(piece));
      yield async () => void (await restoration.addContent({ digest, size }, () => held));
    }
  }
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

async function chosen(place: BackupPlace, where: string, id: string | null): Promise<Manifest> {
  const complete = (await keptBackups(place)).filter(({ isComplete }) => isComplete).map((kept) => kept.id);
  const wanted = id ?? complete.at(-1) ?? "";
  const manifest = isBackupId(wanted) ? await manifestOf(place, wanted) : null;
  if (manifest !== null) return manifest;
  if (complete.length === 0) throw new BackupError(`${where} holds no complete backup.`);
  throw new BackupError(`${where} holds no complete backup ${id}. It holds ${complete.join(", ")}.`);
}

function requireKnownSchema({ id, schema_version, coffer }: Manifest): void {
  if (schema_version <= MIGRATIONS.length) return;
  throw new BackupError(
    `The backup ${id} was made by Coffer ${coffer}, which is newer than this executable. Restore it with that one.`,
  );
}

async function explaining<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadTar) {
      throw new BackupError(`The backup cannot be read: ${error.message}.`, { cause: error });
    }
    if (hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT")) {
      throw new BackupError("The disk is full. Free some space, then run the same command again.", {
        cause: error,
      });
    }
    throw error;
  }
}
