import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/changes/actor.ts";
import type { DrivePk, FolderPk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { Piece } from "../../domain/folders/piece.ts";

/** How many folders one query reads. */
export const FOLDERS = 200;
/** How many paths one query reads. */
export const PATHS = 500;

/**
 * Does as much as fits into a piece, from a position on. Returns the position that it has reached, or "done" at the end.
 * A phase that begins with whatever is left has no positions: it returns null.
 */
export type Phase = (
  piece: Piece,
  stamp: Stamp,
  after: string | null,
) => { readonly after: string | null } | "done";

/** Finds folders of a drive by path. Remembers the last one: neighbouring files are mostly in the same folder. */
export function foldersIn({ folders }: Tables, drive: DrivePk): (path: FolderPath) => FolderPk {
  let last: { readonly path: FolderPath; readonly pk: FolderPk } | null = null;
  return (path) => {
    if (last?.path !== path) last = { path, pk: folders.existing(drive, path).pk };
    return last.pk;
  };
}
