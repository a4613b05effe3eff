import type { FileId } from "../id.ts";

/** The orders of a list of files; `-` reverses one. */
export const FILE_SORTS = ["path", "-path", "size", "-size", "updated_at", "-updated_at"] as const;
export type FileSort = (typeof FILE_SORTS)[number];

type PathSort = "path" | "-path";

/** A position in a sorted list of files. A list can continue after it even if the file is gone. */
export type FilePosition =
  | { readonly sort: PathSort; readonly path: string }
  /** Of a sort by a number: bytes or milliseconds. Equal numbers are sorted by id. */
  | { readonly sort: Exclude<FileSort, PathSort>; readonly value: number; readonly id: string };

/**
 * A position in a list of folders and files: after these. Null where there are no more of them, or no folders at all.
 */
export interface ListPosition {
  readonly file: FilePosition | null;
  readonly folder: string | null;
}

export function isPathSort(sort: FileSort): sort is PathSort {
  return sort === "path" || sort === "-path";
}

export function positionOf(
  sort: FileSort,
  file: { readonly id: FileId; readonly path: string; readonly size: number; readonly updatedAt: number },
): FilePosition {
  if (isPathSort(sort)) return { sort, path: file.path };
  const value = sort === "size" || sort === "-size" ? file.size : file.updatedAt;
  return { sort, value, id: file.id };
}
