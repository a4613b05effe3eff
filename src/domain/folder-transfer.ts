import { type CofferError, invalid } from "./errors.ts";
import { PATH_BYTES } from "./limits.ts";
import type { FolderPath } from "./path.ts";
import { utf8Length } from "./text.ts";

/**
 * Makes sure that no path in a folder gets too long where the folder goes. Throws VALIDATION_ERROR.
 *
 * @param longest bytes of the longest that was seen in it
 */
export function requireShortPaths(longest: number, from: FolderPath, to: FolderPath): void {
  const bytes = longest + utf8Length(to) - utf8Length(from);
  if (bytes <= PATH_BYTES) return;
  throw invalid("destination_path", `must not make a path in the folder longer than ${PATH_BYTES} bytes`);
}

/** The refusal of a folder that is more than one request may take along. */
export function tooMuchToTransfer(most: number): CofferError {
  return invalid(
    "path",
    `must name a folder with at most ${most} files and folders; take what is in it part by part`,
  );
}
