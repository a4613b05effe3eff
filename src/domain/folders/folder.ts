import type { FolderPk } from "../id.ts";
import type { FolderPath } from "../files/path.ts";

/** What a folder's record shows: the counts of what it holds. */
export interface FolderFacts {
  readonly path: FolderPath;
  /** Files anywhere below, and their bytes. */
  readonly fileCount: number;
  readonly totalSize: number;
  /** Files directly in it. */
  readonly ownFileCount: number;
  /** Folders directly in it. */
  readonly ownFolderCount: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface Folder extends FolderFacts {
  readonly pk: FolderPk;
}
