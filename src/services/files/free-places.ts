import type { Stamp } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError } from "../../domain/errors.ts";
import {
  asFolderPath,
  type FilePath,
  type FolderPath,
  inFolder,
  lastSegment,
  parentFolder,
} from "../../domain/files/path.ts";
import { nameBeside } from "../../domain/files/taken.ts";
import { PATH_BYTES } from "../../domain/limits.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import type { Parts } from "../parts.ts";

/** How many names are tried beside one that is taken. */
const TRIES = 200;

type Kind = "file" | "folder";

/** Whether nothing is at a path of a drive, neither a file nor a folder. Inside a write. Throws `Busy`. */
export function isFree(
  { tables, tree }: Pick<Parts, "tables" | "tree">,
  drive: Drive,
  path: FilePath,
  stamp: Stamp,
): boolean {
  return (
    tables.folders.byPath(drive.pk, asFolderPath(path)) === null && tree.occupant(drive, path, stamp) === null
  );
}

/** How the names beside one are made. @param n 1 for the first of them */
type Beside = (name: string, kind: Kind, n: number) => string;

/** Names such as `plan (2).md`. */
export const numbered: Beside = (name, kind, n) => nameBeside(name, kind, ` (${n + 1})`);

/** A path for a file, or, if it is taken, the first free one beside it, such as `plan (2).md`. As `isFree` and `freeIn`. */
export function freeBeside(
  parts: Pick<Parts, "tables" | "tree">,
  drive: Drive,
  path: FilePath,
  stamp: Stamp,
): FilePath {
  const isFreeAt = (each: FilePath) => isFree(parts, drive, each, stamp);
  return freeIn(parentFolder(path), lastSegment(path), "file", numbered, isFreeAt);
}

/** The name, or the first one beside it, whose place in a folder is free. Throws CONFLICT if too many are taken. */
export function freeIn(
  parent: FolderPath,
  name: string,
  kind: Kind,
  beside: Beside,
  isFreeAt: (path: FilePath) => boolean,
): FilePath {
  for (let n = 0; n <= TRIES; n += 1) {
    const path = inFolder(parent, n === 0 ? name : beside(name, kind, n));
    if (utf8Length(path) + (kind === "folder" ? 1 : 0) > PATH_BYTES) break;
    if (isFreeAt(path)) return path;
  }
  throw new CofferError("CONFLICT", `There is no free name beside "${parent}${name}". Choose another path.`);
}
