import { containingFolder, type FolderPath } from "../files/path.ts";
import type { BatchId, DrivePk } from "../id.ts";
import type { ChangeType } from "./change-types.ts";
import type { Actor } from "./change.ts";

export type BatchKind = "write" | "copy" | "move" | "delete" | "undo";

/** Changes that one request makes together, of any drives. */
export interface Batch {
  readonly id: BatchId;
  readonly kind: BatchKind;
  /** Null for the server. */
  readonly by: Actor | null;
  /** Why, as in `Stamp`. */
  readonly message?: string | null;
  /** Whether all of it is taken back if it does not come to its end. */
  readonly isAtomic: boolean;
}

/** The change that sums up a batch. */
export function summaryType(kind: BatchKind): ChangeType {
  switch (kind) {
    case "write":
      return "files.written";
    case "copy":
      return "files.copied";
    case "move":
      return "files.moved";
    case "delete":
      return "files.deleted";
    case "undo":
      return "files.undone";
  }
}

/** What a batch changed in one drive. */
export interface BatchSum {
  readonly drive: DrivePk;
  /** The first and last of its paths, in their order, and of those where something was before. */
  readonly paths: readonly string[];
  /** How many files were written or moved, and how many went: what only made way for others is among these. */
  readonly files: { readonly came: number; readonly went: number };
}

/** How many files a batch was about in a drive. */
export function fileCountOf(kind: BatchKind, { files: { came, went } }: BatchSum): number {
  if (kind === "undo" || kind === "delete") return came + went;
  return came === 0 ? went : came;
}

/** The deepest folder that holds all that is between some paths in their order. */
export function commonFolder(paths: readonly string[]): FolderPath {
  const [first = "", ...others] = paths;
  let length = first.length;
  for (const other of others) {
    let same = 0;
    while (same < length && first[same] === other[same]) same += 1;
    length = same;
  }
  return containingFolder(first.slice(0, length));
}
