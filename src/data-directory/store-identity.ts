import { present } from "../domain/errors.ts";
import { newId, parseId, type StoreId } from "../domain/id.ts";
import { diskAt } from "../blobs/disk-paths.ts";
import type { StorePlace } from "../blobs/blob-place.ts";
import { countBlobs } from "../blobs/blob-directory.ts";
import { readIdentity } from "../blobs/disk-marks.ts";
import type { Clock } from "../process/clock.ts";
import { DataDirectoryError, explaining } from "./data-directory-error.ts";
import { databaseState, type DataDirectory, isHalfRestored } from "./data-directory.ts";
import { allDisksOf } from "./disks-file.ts";
import type { FoundDisk, FoundDisks } from "./store-disks.ts";
import type { Tables } from "../db/tables.ts";
import { counted } from "../domain/contents/texts/text.ts";

/** What a database and the contents directory next to it say about themselves. */
interface StoreHalves {
  /** The database's identity; null in a new one, or one of an earlier version. */
  readonly database: StoreId | null;
  readonly namesContents: boolean;
  /** The directory's identity, as its file holds it; null if there is none. */
  readonly blobs: string | null;
  readonly holdsContents: boolean;
}

/** Whether the two may be used together. */
export type StoreVerdict =
  | "matched"
  /** At least one is new, or from a version without identities: mark both now. */
  | "unmarked"
  /** The directory holds contents, but the database names none. */
  | "unknown contents"
  /** The database names contents, but the directory holds none. */
  | "lost contents"
  | "different";

/** Decides whether a database and a contents directory belong together, as far as they tell. */
export function judgeStore({ database, namesContents, blobs, holdsContents }: StoreHalves): StoreVerdict {
  if (database !== null && blobs !== null) return database === blobs ? "matched" : "different";
  if (namesContents && !holdsContents) return "lost contents";
  if (holdsContents && !namesContents) return "unknown contents";
  // A database gets its identity together with its directory.
  if (holdsContents && database !== null) return "different";
  return "unmarked";
}

const ADOPTING =
  "To start anyway, run coffer serve --adopt-empty: contents that the database does not know are kept but not " +
  "used, and files whose contents are missing cannot be read.";

/**
 * Refuses to create a new database next to the contents of a lost one. Throws DataDirectoryError.
 *
 * @param roots of disks that are to be used, beside those that were
 */
export async function refuseLostDatabase(
  directory: DataDirectory,
  roots: readonly string[] = [],
): Promise<void> {
  const { root, database } = directory;
  const state = databaseState(database);
  if (state === "present") return;
  if (isHalfRestored(directory)) {
    throw new DataDirectoryError(`A restore into ${root} has not ended. Run the same coffer restore again.`);
  }
  for (const disk of new Set([...(await allDisksOf(directory)), ...roots])) {
    const { blobsDir } = diskAt(disk);
    const count = await explaining(blobsDir, countBlobs(blobsDir));
    // The database comes first in a new store, and small contents are in the database alone.
    if (count === 0 && (await explaining(blobsDir, readIdentity(blobsDir))) === null) continue;
    throw new DataDirectoryError(
      `${blobsDir} ${count === 0 ? "belongs to a store" : `holds ${counted(count, "content")}`}, but its database ${database} is ` +
        `${state}. ` +
        `Restore it from a backup of this data directory; nothing has been changed. ${ADOPTING}`,
    );
  }
}

interface StoreParts {
  readonly directory: DataDirectory;
  readonly disks: FoundDisks;
  readonly tables: Tables;
  readonly clock: Clock;
  /** Whether the operator wants to use both although they do not match. */
  readonly adopt: boolean;
}

/** What marks a store. */
export interface StoreMark {
  readonly id: StoreId;
  /** Whether the operator overrode a refusal: the database then never removes older contents. */
  readonly adopted: boolean;
}

/** Null if they are marked. Throws DataDirectoryError if they do not fit, unless the operator adopts the contents. */
export async function checkStoreIdentity(parts: StoreParts): Promise<StoreMark | null> {
  const { directory, disks, tables, clock, adopt } = parts;
  const database = tables.store.id();
  // One that has the database's identity fits, and one that is away had it.
  const all = [...disks.listed, ...disks.former];
  const there = all.filter(({ away }) => away === null);
  const doubtful = there.filter(({ identity }) => identity === null || identity !== database);
  const halves: StoreHalves = {
    database,
    namesContents: tables.blobs.hasAny(),
    blobs: doubtful.find(({ identity }) => identity !== null)?.identity ?? null,
    holdsContents: await holdAny(doubtful),
  };
  const isKnown = database !== null && doubtful.length < all.length;
  const verdict = isKnown ? judgeMore(halves) : isOfOne(doubtful) ? judgeStore(halves) : "different";
  if (verdict === "matched") return null;
  if (verdict === "unmarked") {
    const id = database ?? parseId<StoreId>(halves.blobs ?? "") ?? newId<StoreId>(clock.now());
    return { id, adopted: false };
  }
  if (adopt) return { id: database ?? newId<StoreId>(clock.now()), adopted: true };
  throw new DataDirectoryError(
    `${await explain(verdict, halves, directory.database, doubtful)} No content has been changed. ${ADOPTING}`,
  );
}

/** The same for disks that come to a store whose other ones are known. */
function judgeMore({ blobs, holdsContents }: StoreHalves): "matched" | "different" {
  return blobs === null && !holdsContents ? "matched" : "different";
}

/** Whether disks have one identity at most. */
function isOfOne(disks: readonly FoundDisk[]): boolean {
  return new Set(disks.flatMap(({ identity }) => identity ?? [])).size <= 1;
}

async function holdAny(disks: readonly FoundDisk[]): Promise<boolean> {
  for (const disk of disks) if (await disk.hasBlobs()) return true;
  return false;
}

type MarkedParts = Pick<StoreParts, "tables" | "clock">;

/** Marks both halves of an open store. After a crash in between, the next start still accepts them. Returns its identity. */
export async function markStore(
  parts: MarkedParts,
  place: Pick<StorePlace, "writeIdentity">,
  mark: StoreMark | null,
): Promise<StoreId> {
  const { tables } = parts;
  const id = mark?.id ?? present(tables.store.id(), "the identity of the store");
  // For adopted contents the database first, or they would look like its own.
  if (mark?.adopted === true) await markDatabase(parts, mark);
  await place.writeIdentity(id);
  if (mark?.adopted === false) await markDatabase(parts, mark);
  return id;
}

async function markDatabase({ tables, clock }: MarkedParts, { id, adopted }: StoreMark): Promise<void> {
  const keptUntil = adopted ? clock.now() : tables.store.straysKeptUntil();
  await tables.write(() => {
    tables.store.put(id, keptUntil);
    // A new store has nothing that a wrong clock could make expire.
    if (tables.store.trustedAt() === 0) tables.store.putTrustedAt(clock.now());
  });
}

async function explain(
  verdict: Exclude<StoreVerdict, "matched" | "unmarked">,
  halves: StoreHalves,
  database: string,
  disks: readonly FoundDisk[],
): Promise<string> {
  const places = disks.map(({ blobsDir }) => blobsDir);
  const blobs = places.join(" and ");
  switch (verdict) {
    case "unknown contents": {
      const counts = await Promise.all(disks.map((disk) => disk.countBlobs()));
      const count = counts.reduce((sum, of) => sum + of, 0);
      return (
        `${blobs} holds ${counted(count, "content")}, but ${database} knows none of them: they do not ` +
        "belong together. Restore the right database from a backup of this data directory."
      );
    }
    case "lost contents":
      return (
        `${database} names contents, but ${blobs} is empty or missing. Restore it from a backup of this data ` +
        "directory, or mount its disk."
      );
    case "different":
      return (
        `${database} (store ${halves.database}) and the contents in ${blobs} (store ${halves.blobs ?? "unknown"}) ` +
        "do not belong together. Restore both from one backup, or mount the right disk."
      );
  }
}
