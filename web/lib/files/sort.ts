import { nameKey } from "../../../src/domain/files/name-key.ts";
import type { FileRecord, FolderRecord } from "../api/types.ts";

/** What the API calls the columns. */
const FIELDS = { name: "name", size: "size", modified: "updated_at" } as const;

/** A column that a list can be ordered by. */
export type SortKey = keyof typeof FIELDS;

export interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

/** Whether something is an order: what was remembered may be anything. */
export function isSort(value: unknown): value is Sort {
  if (typeof value !== "object" || value === null || !("key" in value) || !("descending" in value))
    return false;
  return (
    typeof value.descending === "boolean" && typeof value.key === "string" && Object.hasOwn(FIELDS, value.key)
  );
}

/** The API's own order. */
export const BY_NAME: Sort = { key: "name", descending: false };

/** An order of files, as the API's `sort` names it. */
export type FileOrder = `${"" | "-"}${(typeof FIELDS)[SortKey]}`;

/** An order as the API's `sort` names it. */
export function fileOrder({ key, descending }: Sort): FileOrder {
  return `${descending ? "-" : ""}${FIELDS[key]}`;
}

/** The order that pressing a column's heading asks for: sizes and times begin with the greatest. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  return { key, descending: sort.key === key ? !sort.descending : key !== "name" };
}

/**
 * Folders, which the API lists by name, in another order: by what they hold where that is asked for.
 * They have no time of their own, and stay by name where files are ordered by theirs.
 */
export function sortFolders(folders: readonly FolderRecord[], sort: Sort): readonly FolderRecord[] {
  if (sort.key !== "size") return folders;
  const sign = sort.descending ? -1 : 1;
  return folders.toSorted((a, b) => sign * (a.total_size - b.total_size));
}

/** The order in which the API lists a folder's files: where two have the same size or time, their ids decide. */
export function compareFiles({ key, descending }: Sort): (one: FileRecord, other: FileRecord) => number {
  const sign = descending ? -1 : 1;
  switch (key) {
    case "name":
      return (one, other) => sign * compareNames(one.path, other.path);
    case "size":
      return (one, other) => sign * (one.size - other.size || compareBytes(one.id, other.id));
    case "modified":
      return (one, other) =>
        sign * (compareBytes(one.updated_at, other.updated_at) || compareBytes(one.id, other.id));
  }
}

/** Orders files, or folders, of one folder by their names, as the server does. */
export function compareNames(one: string, other: string): number {
  return compareBytes(nameKey(one), nameKey(other));
}

/**
 * Orders texts by their UTF-8 bytes, as the server does. The language's own order differs: it puts what
 * takes two UTF-16 units before U+E000 to U+FFFF.
 */
export function compareBytes(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === end) return one.length - other.length;
  return rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}

/** Surrogates, which all stand for something beyond U+FFFF, after everything else. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
