import type { ApiKey } from "./api/types.ts";
import { mark } from "./words/text.ts";

/** The orders that keys can be shown in; the first is the default. */
export const KEY_SORTS = [
  { value: "made", text: mark("Newest first") },
  { value: "used", text: mark("Recently used first") },
  { value: "unused", text: mark("Least recently used first") },
  { value: "name", text: mark("By name") },
] as const;
export type KeySort = (typeof KEY_SORTS)[number]["value"];

const NAMES = new Intl.Collator(undefined, { numeric: true });

/** Compares two keys, for `toSorted`. By name, keys without one come last. */
export function compareKeys(sort: KeySort, one: ApiKey, other: ApiKey): number {
  const newer = other.created_at.localeCompare(one.created_at) || other.id.localeCompare(one.id);
  switch (sort) {
    case "made":
      return newer;
    case "used":
      return (other.last_used_at ?? "").localeCompare(one.last_used_at ?? "") || newer;
    case "unused":
      // A key that was never used counts as used when it was created.
      return lastSeen(one).localeCompare(lastSeen(other)) || newer;
    case "name":
      return (
        Number(one.name === "") - Number(other.name === "") || NAMES.compare(one.name, other.name) || newer
      );
  }
}

function lastSeen({ created_at: made, last_used_at: used }: ApiKey): string {
  return used ?? made;
}
