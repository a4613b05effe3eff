import type { StoreId } from "./id.ts";

/** What a database and the directory of contents beside it say of themselves. */
export interface StoreHalves {
  /** The database's identity; null in a new one, and in one that an earlier version wrote. */
  readonly database: StoreId | null;
  /** Whether the database names any content. */
  readonly namesContents: boolean;
  /** The directory's identity, as it stands there; null where there is none. */
  readonly blobs: string | null;
  /** Whether the directory holds any content. */
  readonly holdsContents: boolean;
}

/** Whether the two may be used together. */
export type StoreVerdict =
  /** They carry the same identity. */
  | "matched"
  /** At least one is new, or older than identities: both are to carry one from now on. */
  | "unmarked"
  /** The directory holds contents, and the database knows of none. */
  | "unknown contents"
  /** The database names contents, and the directory holds none. */
  | "lost contents"
  /** Each has a past, and not the same one. */
  | "different";

/** Tells whether a database and a directory of contents belong together, as far as both tell. */
export function judgeStore({ database, namesContents, blobs, holdsContents }: StoreHalves): StoreVerdict {
  if (database !== null && blobs !== null) return database === blobs ? "matched" : "different";
  if (namesContents && !holdsContents) return "lost contents";
  if (holdsContents && !namesContents) return "unknown contents";
  // A database with an identity has seen one in its directory as well.
  if (holdsContents && database !== null) return "different";
  return "unmarked";
}
