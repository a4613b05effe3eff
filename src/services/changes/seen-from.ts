import type { Change } from "../../domain/changes/change.ts";
import { type FolderPath, ROOT } from "../../domain/files/path.ts";

type Told = Pick<Change, "type" | "path" | "previousPath" | "fileCount" | "ref" | "before" | "after">;

/**
 * A change as it is seen by who sees only one folder; null if it is not about what is in there. What leaves the folder
 * is gone for them, and what comes in is new: the other place is not told.
 */
export function seenFrom<T extends Told>(change: T, folder: FolderPath): T | null {
  if (folder === ROOT) return change;
  const { previousPath, type } = change;
  const path = partIn(folder, change.path, change);
  const before = previousPath === null ? null : partIn(folder, previousPath, change);
  if (previousPath === null) return path === null ? null : partOf(change, path);
  if (path !== null && before !== null) return { ...partOf(change, path), previousPath: before };
  const kind = type.startsWith("folder.") ? "folder" : "file";
  const alone = { ...change, previousPath: null, ref: null };
  if (path !== null) return { ...partOf(alone, path), type: `${kind}.created`, before: null };
  if (before === null || type === "folder.copied") return null;
  return { ...partOf(alone, before), type: `${kind}.deleted`, after: null };
}

/** The path of what a change of `path` changes in a folder: itself, or the folder if it is in a folder that changed. */
function partIn(folder: FolderPath, path: string, { type }: Told): string | null {
  if (path.startsWith(folder)) return path;
  const isWhole = type.startsWith("folder.") || type === "drive.restored";
  return isWhole && folder.startsWith(path) ? folder : null;
}

/** A change of a part only; the size of the rest is not told. */
function partOf<T extends Told>(change: T, path: string): T {
  return path === change.path || path === change.previousPath
    ? { ...change, path }
    : { ...change, path, fileCount: null };
}
