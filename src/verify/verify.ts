import { readIdentity } from "../blobs/disk-marks.ts";
import { openStored } from "../blobs/open-stored.ts";
import type { BucketSettings, StoredBlobs } from "../blobs/stored-blobs.ts";
import { counted } from "../domain/contents/texts/text.ts";
import type { StoreId } from "../domain/id.ts";
import type { Clock } from "../process/clock.ts";
import { explaining } from "../data-directory/data-directory-error.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { allDisksOf, isBucket } from "../data-directory/disks-file.ts";
import { storedPlacesOf } from "../data-directory/stored-places.ts";
import { unreadable, VerifiedDatabase } from "../db/verify/verified-database.ts";
import { type VerifyEvent, verifyContents } from "./contents.ts";
import { Repair } from "./repair.ts";

export interface VerifyOptions {
  readonly directory: DataDirectory;
  /** What is checked of contents: their sizes, or all bytes; null for the bytes, but in a bucket only the sizes. */
  readonly depth: "sizes" | "bytes" | null;
  /** For contents in a bucket. */
  readonly s3: BucketSettings;
  /** Bytes that temporary files leave free. */
  readonly diskReserve: number;
  /** A place of backups or a data directory with right contents; null to change nothing. */
  readonly repairFrom: string | null;
  readonly clock: Clock;
}

/** How old a blob must be to be noted if no row names it: an upload has no row at first. Milliseconds. */
const STRAY_MS = 60 * 60 * 1000;

/** Changes nothing unless it may repair contents. Throws an Error whose message tells the operator what to do. */
export async function* verify(options: VerifyOptions): AsyncGenerator<VerifyEvent> {
  const { directory, repairFrom, clock } = options;
  using database = VerifiedDatabase.open(directory.database);
  const placesOf = (store: StoreId | null) => storedPlacesOf({ ...options, store });
  await using repair =
    repairFrom === null ? null : await Repair.open({ directory, placesOf, from: repairFrom, clock });
  for (const finding of database.findings()) yield { kind: "finding", ...finding };
  try {
    for (const about of database.notes()) yield { kind: "note", about };
    const disks = await allDisksOf(directory);
    // Without any other disk, what is not there is missing.
    const isAlone = disks.every((root) => root === directory.root);
    if (isAlone) yield* verifyIdentity(database, directory);
    const contents = await openStored(await placesOf(isAlone ? null : database.storeId()));
    const bucket = disks.find(isBucket);
    const isQuick = options.depth === null ? bucket !== undefined : options.depth === "sizes";
    if (bucket !== undefined) yield { kind: "note", about: costOf(database, bucket, isQuick) };
    const unavailable = yield* verifyContents({ database, contents, isQuick, repair });
    for (const { root, why } of await contents.away()) {
      const about = `${root}: ${why}; contents that are unavailable: ${unavailable}`;
      yield { kind: "finding", code: "disk-away", about };
    }
    yield* strangers(database, contents, clock.now() - STRAY_MS);
  } catch (error) {
    yield { kind: "finding", ...unreadable(error, "contents") };
  }
}

/** What the check of a bucket reads of it: for that its owner may have to pay. */
function costOf(database: VerifiedDatabase, bucket: string, isQuick: boolean): string {
  const { count, bytes } = database.placedContents();
  const all = `the ${counted(count, "content")} in ${bucket}`;
  return isQuick
    ? `${all} are only listed; with --full all ${bytes} bytes of them are read`
    : `all ${bytes} bytes of ${all} are read`;
}

async function* verifyIdentity(
  database: VerifiedDatabase,
  { blobs }: DataDirectory,
): AsyncGenerator<VerifyEvent> {
  const [expected, found] = [database.storeId(), await explaining(blobs, readIdentity(blobs))];
  if (expected === null || expected === found) return;
  const about = `${blobs}: it belongs to store ${found ?? "(unknown)"}, the database to ${expected}`;
  yield { kind: "finding", code: "store-mismatch", about };
}

/** What is in the directory of contents and no row names. `before` is a time in milliseconds. */
async function* strangers(
  database: VerifiedDatabase,
  contents: StoredBlobs,
  before: number,
): AsyncGenerator<VerifyEvent> {
  for await (const { path, digest, modifiedAt } of contents.names()) {
    if (digest === null) yield { kind: "note", about: `${path} is not a file of Coffer` };
    else if (modifiedAt <= before && !database.has(digest)) {
      yield {
        kind: "note",
        about: `${path} belongs to no file; the server removes such contents, unless a backup needs them`,
      };
    }
  }
}
