import type { Stamp } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import {
  asFilePath,
  asFolderPath,
  type FilePath,
  type FolderPath,
  lastSegment,
  parentFolder,
  ROOT,
} from "../../domain/files/path.ts";
import { restoredName, type TrashedPlace } from "../../domain/history/history.ts";
import { freeIn, isFree } from "../files/free-places.ts";
import type { Parts } from "../parts.ts";

/**
 * Where something from the trash goes back to: the free path nearest to its own. A folder in which it was, and where a
 * file is now, gets a new name as well. Creates nothing. Inside a write. Throws CONFLICT, `Busy`.
 */
export function nearestPlace(
  parts: Pick<Parts, "tables" | "tree">,
  drive: Drive,
  place: TrashedPlace,
  stamp: Stamp,
): TrashedPlace {
  const parent = folderFor(parts, drive, parentFolder(place.path), stamp);
  const isFreeAt = (path: FilePath) => isFree(parts, drive, path, stamp);
  if (place.kind === "file")
    return { kind: "file", path: freeIn(parent, lastSegment(place.path), "file", restoredName, isFreeAt) };
  const path = freeIn(parent, lastSegment(asFilePath(place.path)), "folder", restoredName, isFreeAt);
  return { kind: "folder", path: asFolderPath(path) };
}

/** A folder as near to a path as files allow. It may not exist yet, but no file is in its way. */
function folderFor(
  parts: Pick<Parts, "tables" | "tree">,
  drive: Drive,
  path: FolderPath,
  stamp: Stamp,
): FolderPath {
  if (path === ROOT || parts.tables.folders.byPath(drive.pk, path) !== null) return path;
  const parent = folderFor(parts, drive, parentFolder(path), stamp);
  const hasNoFile = (at: FilePath) => parts.tree.occupant(drive, at, stamp) === null;
  return asFolderPath(freeIn(parent, lastSegment(asFilePath(path)), "folder", restoredName, hasNoFile));
}
