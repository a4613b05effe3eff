import type { StoreId } from "../id.ts";

/** What a database and the contents directory next to it say about themselves. */
export interface StoreHalves {
  /** The database's identity; null in a new one, or one of an earlier version. */
  readonly database: StoreId | null;
  /** Whether the database names any content. */
  readonly namesContents: boolean;
  /** The directory's identity, as its file holds it; null if there is none. */
  readonly blobs: string | null;
  /** Whether the directory holds any content. */
  readonly holdsContents: boolean;
}

/** Whether the two may be used together. */
export type StoreVerdict =
  /** Both have the same identity. */
  | "matched"
  /** At least one is new, or from a version without identities: mark both now. */
  | "unmarked"
  /** The directory holds contents, but the database names none. */
  | "unknown contents"
  /** The database names contents, but the directory holds none. */
  | "lost contents"
  /** They come from two different stores. */
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
