import type { ApiKey } from "./types.ts";

/** The orders that keys are shown in, the first at first. */
export const KEY_SORTS = [
  { value: "made", text: "Newest first" },
  { value: "used", text: "Recently used first" },
  { value: "unused", text: "Least recently used first" },
  { value: "name", text: "By name" },
] as const;
/** One of the orders in `KEY_SORTS`. */
export type KeySort = (typeof KEY_SORTS)[number]["value"];

const NAMES = new Intl.Collator(undefined, { numeric: true });

/** In what order two keys stand, as for `toSorted`; those without a name come last by name. */
export function compareKeys(sort: KeySort, one: ApiKey, other: ApiKey): number {
  const newer = other.created_at.localeCompare(one.created_at) || other.id.localeCompare(one.id);
  switch (sort) {
    case "made":
      return newer;
    case "used":
      return (other.last_used_at ?? "").localeCompare(one.last_used_at ?? "") || newer;
    case "unused":
      // What was never used has been unused for as long as it is there.
      return lastSign(one).localeCompare(lastSign(other)) || newer;
    case "name":
      return (
        Number(one.name === "") - Number(other.name === "") || NAMES.compare(one.name, other.name) || newer
      );
  }
}

function lastSign({ created_at: made, last_used_at: used }: ApiKey): string {
  return used ?? made;
}
