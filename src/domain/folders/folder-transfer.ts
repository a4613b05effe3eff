import { type CofferError, invalid } from "../errors.ts";
import { PATH_BYTES } from "../limits.ts";
import type { FolderPath } from "../files/path.ts";
import { utf8Length } from "../contents/texts/text.ts";

/**
 * Checks that no path in a folder becomes too long at its destination. Throws VALIDATION_ERROR.
 *
 * @param longest bytes of the longest path in the folder
 */
export function requireShortPaths(longest: number, from: FolderPath, to: FolderPath): void {
  const bytes = longest + utf8Length(to) - utf8Length(from);
  if (bytes <= PATH_BYTES) return;
  throw invalid("destination_path", `must not make a path in the folder longer than ${PATH_BYTES} bytes`);
}

/**
 * Checks that no path in a folder of the trash becomes too long where it is restored to. Throws VALIDATION_ERROR.
 *
 * @param longest bytes of the longest path in the folder, relative to it
 */
export function requireShortRestore(longest: number, to: FolderPath): void {
  if (longest + utf8Length(to) <= PATH_BYTES) return;
  throw invalid("path", `must be shorter: a path in the folder would be longer than ${PATH_BYTES} bytes`);
}

/** The error for a folder with more entries than one request may copy or move. */
export function tooMuchToTransfer(most: number): CofferError {
  return invalid(
    "path",
    `must name a folder with at most ${most} files and folders; for a larger one, transfer its parts one by one`,
  );
}
