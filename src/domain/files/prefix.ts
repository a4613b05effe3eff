import { CofferError } from "../errors.ts";
import { containingFolder, type FilePath, type FolderPath, ROOT } from "./path.ts";

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
 * What a key with this prefix sees of paths that begin with `asked`: the prefix itself if that is inside; null for
 * nothing.
 */
export function narrowed<Asked extends string>(asked: Asked, prefix: FolderPath): Asked | FolderPath | null {
  if (asked.startsWith(prefix)) return asked;
  return prefix.startsWith(asked) ? prefix : null;
}

/**
 * The folder directly in `above` on the way to a prefix. A key sees it, to find its way from the root, but nothing
 * beside it.
 */
export function wayInto(above: FolderPath, prefix: FolderPath): FolderPath {
  return containingFolder(prefix.slice(0, prefix.indexOf("/", above.length) + 1));
}
