import type { DriveId } from "../id.ts";

/** A file that has a blob, or what is kept of one. */
export interface StoredPlace {
  readonly drive: DriveId;
  readonly path: string;
  /** Where it is kept; null for a file of the drive. */
  readonly kept: "trash" | "version" | "snapshot" | null;
}

/** How a place that is kept is told from a file of the drive, after its path. */
export function keptWhere({ kept }: Pick<StoredPlace, "kept">): string {
  switch (kept) {
    case null:
      return "";
    case "trash":
      return " (in the trash)";
    case "version":
      return " (an earlier version)";
    case "snapshot":
      return " (in a snapshot)";
  }
}
