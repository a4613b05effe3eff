import { expect, test } from "bun:test";
import { compareKeys, type KeySort } from "../../web/lib/key-sort.ts";
import type { ApiKey } from "../../web/lib/api/types.ts";

function key(id: string, name: string, made: number, used: number | null): ApiKey {
  return {
    id,
    name,
    key_prefix: "cof_sk_live_0123",
    scope: "read-write",
    drive_id: null,
    path_prefix: null,
    created_at: onDay(made),
    last_used_at: used === null ? null : onDay(used),
    expires_at: null,
    client_id: null,
    made_by: null,
  };
}

function onDay(day: number): string {
  return new Date(Date.UTC(2030, 0, day)).toISOString();
}

const KEYS = [
  key("a", "Agent 10", 1, 9),
  key("b", "Agent 2", 2, null),
  key("c", "", 3, 4),
  key("d", "Agent 2", 3, null),
];

test.each<[KeySort, string]>([
  ["made", "dcba"],
  ["used", "acdb"],
  ["unused", "bdca"],
  ["name", "dbac"],
])("sorted by %s", (sort, expected) => {
  for (const keys of [KEYS, KEYS.toReversed()]) {
    const sorted = keys.toSorted((one, other) => compareKeys(sort, one, other));
    expect(sorted.map(({ id }) => id).join("")).toBe(expected);
  }
});
