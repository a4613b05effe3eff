import { type CofferError, invalid } from "./errors.ts";
import { PATH_BYTES, type TransferBounds } from "./limits.ts";
import type { FolderPath } from "./path.ts";
import { utf8Length } from "./text.ts";

/** How much there is of a folder with all below it. */
export interface Extent {
  /** On all its files. */
  readonly tags: number;
  /** Bytes of all its files' metadata. */
  readonly metadata: number;
  /** Bytes of all paths of its files and folders, and of the longest. */
  readonly paths: number;
  readonly longestPath: number;
}

/**
 * Makes sure that a folder may go to a path. Throws VALIDATION_ERROR.
 *
 * @param entries of its extent: how many files and folders it has, itself included
 */
export function requireTransferable(
  { entries, tags, metadata, paths, longestPath }: Extent & { readonly entries: number },
  from: FolderPath,
  to: FolderPath,
  most: TransferBounds,
): void {
  if (tags > most.tags) throw tooMuchToTransfer(most.tags, "tags on its files");
  if (metadata > most.metadata) throw tooMuchToTransfer(most.metadata, "bytes of metadata");
  const longer = utf8Length(to) - utf8Length(from);
  if (longestPath + longer > PATH_BYTES) {
    throw invalid(
      "destination_path",
      `must leave every path in the folder at ${PATH_BYTES} bytes or fewer, not ${longestPath + longer}`,
    );
  }
  if (paths + entries * Math.max(longer, 0) > most.paths) {
    throw tooMuchToTransfer(most.paths, "bytes of paths in all");
  }
}

/** The refusal of a folder that is more than one request may take along. */
export function tooMuchToTransfer(most: number, what: string): CofferError {
  return invalid("path", `must name a folder with at most ${most} ${what}; take what is in it part by part`);
}
