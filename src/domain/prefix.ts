import { CofferError } from "./errors.ts";
import { type FilePath, type FolderPath, ROOT } from "./path.ts";

// A key of a drive can be limited to a folder, its prefix. It sees that folder, and nothing beside it.

/** Throws FORBIDDEN for a path that is not in the folder that a key is limited to. */
export function requireUnder(prefix: FolderPath, path: FilePath | FolderPath): void {
  if (path.startsWith(prefix)) return;
  throw new CofferError(
    "FORBIDDEN",
    `This key is limited to "${prefix}". Choose a path that begins with it.`,
  );
}

/** Throws FORBIDDEN for a key that is limited to a folder. */
export function requireWhole(prefix: FolderPath): void {
  if (prefix === ROOT) return;
  throw new CofferError(
    "FORBIDDEN",
    `This key is limited to "${prefix}"; the operation needs a key of the whole drive.`,
  );
}

/**
 * What of the paths that begin with `asked` is in a key's prefix, as a start of paths again; null if nothing is. All of
 * it, if the key is limited to a folder inside.
 */
export function narrowed<Asked extends string>(asked: Asked, prefix: FolderPath): Asked | FolderPath | null {
  if (asked.startsWith(prefix)) return asked;
  return prefix.startsWith(asked) ? prefix : null;
}
