import { damageIn } from "../blobs/blob-file.ts";
import { UnavailableBlob } from "../blobs/blob-place.ts";
import type { StoredBucket } from "../blobs/bucket/stored-bucket.ts";
import { hasCode } from "../blobs/system-error.ts";
import { MIGRATIONS } from "../db/engine/migrations.ts";
import { isFull } from "../db/engine/write-failures.ts";
import { type BackupAddress, nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import type { Clock } from "../process/clock.ts";
import { inParallel } from "../process/in-parallel.ts";
import { AT_ONCE } from "./contents.ts";
import { lookInBucket } from "./leaving.ts";
import {
  isPartName,
  MANIFEST,
  type Manifest,
  MARKER,
  nameOfPart,
  readManifest,
  readMarker,
} from "./manifest.ts";
import { bucketOf, openBackup } from "./opening.ts";
import { BackupError, BACKUPS, digestOfName, nameOfContent, textOf, wholeAtLast } from "./place.ts";
import { Restoration } from "./restoration.ts";
import type { S3Access } from "./s3-place.ts";
import { BadTar, readTar, type TarEntry } from "../domain/contents/tar.ts";

/** Contents of an archive that are held in memory, at most. */
const SMALL_BYTES = 1024 * 1024;

interface RestoreOptions extends S3Access {
  readonly dataDir: string;
  /** What becomes of contents that the backup has left in a bucket; `leave` if left out. */
  readonly backupContents?: "leave" | "copy";
}

/**
 * Restores a backup from a place into an empty or new directory: one by its id, or the newest complete one. Returns the
 * contents of files that are `missing` then: reads of these fail; and the `bucket` in which contents stay. Throws
 * BackupError or DataDirectoryError.
 */
export async function restoreFrom(
  address: BackupAddress,
  id: string | null,
  { dataDir, backupContents = "leave", ...access }: RestoreOptions,
) {
  return explaining(async () => {
    const { place, manifest } = await openBackup(address, id, access);
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
    const bucket = await bucketOf(manifest, { dataDir, ...access });
    if (bucket !== null) await restoreInBucket(restoration, bucket, backupContents);
    const missing = await restoration.finish(manifest, {
      from: nameOfBackupAddress(address),
      at: access.clock.now(),
    });
    return { manifest, missing, bucket: backupContents === "leave" ? (bucket?.name ?? null) : null };
  });
}

/** Restores a backup that was written as one archive. Throws BackupError or DataDirectoryError. */
export async function restoreStream(
  archive: AsyncIterable<Uint8Array>,
  { dataDir, clock }: { readonly dataDir: string; readonly clock: Clock },
) {
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
    const missing = await restoration.finish(manifest, { from: null, at: clock.now() });
    return { manifest, missing, bucket: null };
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

/** Copies contents out of a bucket, or checks that they are there with their sizes. */
async function restoreInBucket(
  restoration: Restoration,
  bucket: StoredBucket,
  what: "leave" | "copy",
): Promise<void> {
  if (what === "copy") {
    await inParallel(restoration.contentsInBucket(), AT_ONCE, async (content) => {
      const add = () => restoration.addContent(content, () => bucket.pieces(content));
      const damage = await damageIn(() => wholeAtLast(add));
      if (damage !== null) restoration.miss(content, damage.problem);
    });
    return;
  }
  restoration.leaveIn(bucket.name);
  const damageOf = lookInBucket(bucket);
  for await (const content of restoration.contentsInBucket()) {
    const damage = await damageOf(content);
    if (damage !== null) restoration.miss(content, damage.problem);
  }
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
    if (error instanceof UnavailableBlob) {
      throw new BackupError(
        "The bucket with contents of this backup does not answer. Make it reachable, then run the same command again.",
        { cause: error },
      );
    }
    if (hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT") || isFull(error)) {
      throw new BackupError("The disk is full. Free some space, then run the same command again.", {
        cause: error,
      });
    }
    throw error;
  }
}
