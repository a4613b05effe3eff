import type { Stamp } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError } from "../../domain/errors.ts";
import { PATH_BYTES } from "../../domain/limits.ts";
import {
  asFilePath,
  asFolderPath,
  type FilePath,
  type FolderPath,
  inFolder,
  lastSegment,
  parentFolder,
  ROOT,
} from "../../domain/files/path.ts";
import { restoredName, type TrashedPlace } from "../../domain/history/history.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import type { Parts } from "../parts.ts";

/** How many names are tried beside one that is taken. */
const TRIES = 200;

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
  const { tables, tree } = parts;
  const parent = folderFor(parts, drive, parentFolder(place.path), stamp);
  const isFree = (path: FilePath) =>
    tables.folders.byPath(drive.pk, asFolderPath(path)) === null &&
    tree.occupant(drive, path, stamp) === null;
  if (place.kind === "file")
    return { kind: "file", path: freeIn(parent, lastSegment(place.path), "file", isFree) };
  const path = freeIn(parent, lastSegment(asFilePath(place.path)), "folder", isFree);
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
  return asFolderPath(freeIn(parent, lastSegment(asFilePath(path)), "folder", hasNoFile));
}

/** The name, or the first one beside it, that a place in a folder is free for. */
function freeIn(
  parent: FolderPath,
  name: string,
  kind: "file" | "folder",
  isFree: (path: FilePath) => boolean,
): FilePath {
  for (let n = 0; n <= TRIES; n += 1) {
    const path = inFolder(parent, n === 0 ? name : restoredName(name, kind, n));
    if (utf8Length(path) + (kind === "folder" ? 1 : 0) > PATH_BYTES) break;
    if (isFree(path)) return path;
  }
  throw new CofferError(
    "CONFLICT",
    "There is no free name beside the place where it was. Send the `path` to restore it to.",
  );
}
