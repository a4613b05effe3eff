import type { BlobStore } from "./blobs/blob-store.ts";
import { countContents, hasContents, readIdentity } from "./blobs/identity.ts";
import type { Clock } from "./clock.ts";
import { type DataDirectory, DataDirectoryError, databaseState } from "./data-directory.ts";
import type { Tables } from "./db/tables.ts";
import { newId, parseId, type StoreId } from "./domain/id.ts";
import { judgeStore, type StoreHalves, type StoreVerdict } from "./domain/store-identity.ts";

/** What the operator may do about a refusal without a backup. */
const ADOPTING =
  "To start as it is, type coffer serve --adopt-empty: then every content that the database does not know " +
  "stays where it is, unused, and files whose contents are missing cannot be read.";

/**
 * Keeps a new database from being made beside contents of a lost one.
 *
 * @throws DataDirectoryError that says what is there, what is missing and what to do
 */
export async function refuseLostDatabase({ database, blobs }: DataDirectory): Promise<void> {
  const state = databaseState(database);
  if (state === "present") return;
  const count = await countContents(blobs);
  if (count === 0) return;
  throw new DataDirectoryError(
    `${blobs} holds ${contents(count)}, but ${database}, the database that says whose they are, is ${state}. ` +
      `Restore it from a backup of this data directory; nothing has been changed. ${ADOPTING}`,
  );
}

/** What `checkStoreIdentity` looks at. */
export interface StoreParts {
  readonly directory: DataDirectory;
  readonly tables: Tables;
  readonly clock: Clock;
  /** Whether the operator wants the two to be used together although they do not match. */
  readonly adopt: boolean;
}

/** What a store is to be marked with once it is open; null where it is marked already. */
export interface StoreMark {
  readonly id: StoreId;
  /** Set where the operator overruled a refusal: from then on the database leaves older contents alone. */
  readonly adopted: boolean;
}

/**
 * Checks that the database and the directory of contents belong together. Writes nothing.
 *
 * @throws DataDirectoryError where they do not, and the operator has not adopted the contents
 */
export async function checkStoreIdentity(parts: StoreParts): Promise<StoreMark | null> {
  const { directory, tables, clock, adopt } = parts;
  const [database, blobs] = [tables.store.id(), await readIdentity(directory.blobs)];
  const halves = {
    database,
    blobs,
    namesContents: tables.blobs.hasAny(),
    holdsContents: (database === null || blobs === null) && (await hasContents(directory.blobs)),
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

/** Marks both halves of an open store, such that a crash in between leaves what the next start understands. */
export async function markStore(
  { tables, clock }: StoreParts,
  blobs: BlobStore,
  mark: StoreMark,
): Promise<void> {
  const { id, adopted } = mark;
  const keptUntil = adopted ? clock.now() : tables.store.straysKeptUntil();
  const markDatabase = () => tables.write(() => tables.store.put(id, keptUntil));
  // Of contents that are adopted the database must know first, or they would look like its own.
  if (adopted) await markDatabase();
  await blobs.writeIdentity(id);
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
        `${blobs} holds ${contents(await countContents(blobs))}, but ${database} knows none of them: they do not ` +
        "belong together. Put the database back that belongs to them, from a backup of this data directory."
      );
    case "lost contents":
      return (
        `${database} names contents, but ${blobs} is empty or missing. Put it back, from a backup of this data ` +
        "directory or by mounting its disk."
      );
    case "different":
      return (
        `${database} (store ${halves.database}) and the contents in ${blobs} (store ${halves.blobs ?? "unknown"}) ` +
        "do not belong together. Put the two of one store back, from one backup or by mounting the right disk."
      );
  }
}

function contents(count: number): string {
  return count === 1 ? "1 content" : `${count} contents`;
}
