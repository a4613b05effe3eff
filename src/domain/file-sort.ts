import type { FileId } from "./id.ts";

/** What a list of files is ordered by; a `-` turns the order round. */
export const FILE_SORTS = ["path", "-path", "size", "-size", "updated_at", "-updated_at"] as const;
/** One of `FILE_SORTS`. */
export type FileSort = (typeof FILE_SORTS)[number];

/** The sorts whose order is that of paths. */
export type PathSort = "path" | "-path";
/** The sorts by a number, bytes or milliseconds; among equals the id decides. */
export type NumberSort = Exclude<FileSort, PathSort>;

/** A place in a list: what decides where a file stands. A list can go on after it, also once the file is gone. */
export type FilePosition =
  | { readonly sort: PathSort; readonly path: string }
  | { readonly sort: NumberSort; readonly value: number; readonly id: string };

/** Whether a sort is by path. */
export function isPathSort(sort: FileSort): sort is PathSort {
  return sort === "path" || sort === "-path";
}

/** Where a file stands in a list of this order. */
export function positionOf(
  sort: FileSort,
  file: { readonly id: FileId; readonly path: string; readonly size: number; readonly updatedAt: number },
): FilePosition {
  if (isPathSort(sort)) return { sort, path: file.path };
  const value = sort === "size" || sort === "-size" ? file.size : file.updatedAt;
  return { sort, value, id: file.id };
}
