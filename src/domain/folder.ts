import type { FolderPk } from "./id.ts";
import type { FolderPath } from "./path.ts";

/** A folder with the counts of what it holds. */
export interface Folder {
  readonly pk: FolderPk;
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
