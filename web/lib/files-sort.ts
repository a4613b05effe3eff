import type { FileRecord } from "./types.ts";

export type SortKey = "name" | "size" | "modified";

export interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

/** The API's own order. */
export const BY_NAME: Sort = { key: "name", descending: false };

/** Folders of more files than this are not loaded whole only to be sorted. */
export const SORTABLE_FILES = 5000;

/** The order that pressing a column's heading asks for: sizes and times begin with the greatest. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  return { key, descending: sort.key === key ? !sort.descending : key !== "name" };
}

/** Files in another order than by name; equal ones stay in path order. */
export function sortFiles(files: readonly FileRecord[], { key, descending }: Sort): readonly FileRecord[] {
  const sign = descending ? -1 : 1;
  return files.toSorted((a, b) => sign * compare(a, b, key));
}

function compare(a: FileRecord, b: FileRecord, key: SortKey): number {
  switch (key) {
    case "name":
      return 0;
    case "size":
      return a.size - b.size;
    case "modified":
      return a.updated_at < b.updated_at ? -1 : Number(a.updated_at > b.updated_at);
  }
}
