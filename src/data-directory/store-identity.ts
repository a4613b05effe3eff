import { newId, parseId, type StoreId } from "../domain/id.ts";
import type { Disks } from "../blobs/disks.ts";
import { countBlobs, hasBlobs, readIdentity } from "../blobs/blob-directory.ts";
import type { Clock } from "../process/clock.ts";
import { DataDirectoryError, explaining } from "./data-directory-error.ts";
import { databaseState, type DataDirectory, isHalfRestored } from "./data-directory.ts";
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

/** Refuses to create a new database next to the contents of a lost one. Throws DataDirectoryError. */
export async function refuseLostDatabase(directory: DataDirectory): Promise<void> {
  const { root, database, blobs } = directory;
  const state = databaseState(database);
  if (state === "present") return;
  if (isHalfRestored(directory)) {
    throw new DataDirectoryError(`A restore into ${root} has not ended. Run the same coffer restore again.`);
  }
  const count = await explaining(blobs, countBlobs(blobs));
  // The database comes first in a new store, and small contents are in the database alone.
  if (count === 0 && (await explaining(blobs, readIdentity(blobs))) === null) return;
  throw new DataDirectoryError(
    `${blobs} ${count === 0 ? "belongs to a store" : `holds ${counted(count, "content")}`}, but its database ${database} is ` +
      `${state}. ` +
      `Restore it from a backup of this data directory; nothing has been changed. ${ADOPTING}`,
  );
}

interface StoreParts {
  readonly directory: DataDirectory;
  readonly tables: Tables;
  readonly clock: Clock;
  /** Whether the operator wants to use both although they do not match. */
  readonly adopt: boolean;
}

interface StoreMark {
  readonly id: StoreId;
  /** Whether the operator overrode a refusal: the database then never removes older contents. */
  readonly adopted: boolean;
}

/** Null if they are marked. Throws DataDirectoryError if they do not fit, unless the operator adopts the contents. */
export async function checkStoreIdentity(parts: StoreParts): Promise<StoreMark | null> {
  const { directory, tables, clock, adopt } = parts;
  const [database, blobs] = [
    tables.store.id(),
    await explaining(directory.blobs, readIdentity(directory.blobs)),
  ];
  const halves = {
    database,
    blobs,
    namesContents: tables.blobs.hasAny(),
    holdsContents:
      (database === null || blobs === null) && (await explaining(directory.blobs, hasBlobs(directory.blobs))),
  };
  const verdict = judgeStore(halves);
  if (verdict === "matched") return null;
  const fresh = () => newId<StoreId>(clock.now());
  if (verdict === "unmarked") {
    return { id: database ?? parseId<StoreId>(blobs ?? "") ?? fresh(), adopted: false };
  }
  if (adopt) return { id: database ?? fresh(), adopted: true };
  throw new DataDirectoryError(
    `${await explain(verdict, halves, directory)} No content has been changed. ${ADOPTING}`,
  );
}

/** Marks both halves of an open store. After a crash in between, the next start still accepts them. */
export async function markStore({ tables, clock }: StoreParts, disks: Disks, mark: StoreMark): Promise<void> {
  const { id, adopted } = mark;
  const keptUntil = adopted ? clock.now() : tables.store.straysKeptUntil();
  const markDatabase = () =>
    tables.write(() => {
      tables.store.put(id, keptUntil);
      // A new store has nothing that a wrong clock could make expire.
      if (tables.store.trustedAt() === 0) tables.store.putTrustedAt(clock.now());
    });
  // For adopted contents the database first, or they would look like its own.
  if (adopted) await markDatabase();
  await disks.writeIdentity(id);
  if (!adopted) await markDatabase();
}

async function explain(
  verdict: Exclude<StoreVerdict, "matched" | "unmarked">,
  halves: StoreHalves,
  { database, blobs }: DataDirectory,
): Promise<string> {
  switch (verdict) {
    case "unknown contents":
      return (
        `${blobs} holds ${counted(await countBlobs(blobs), "content")}, but ${database} knows none of them: they do not ` +
        "belong together. Restore the right database from a backup of this data directory."
      );
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
