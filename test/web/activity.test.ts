import { describe, expect, test } from "bun:test";
import { activityAddress, readFilter } from "../../web/lib/activity.ts";
import { grouped, isGroup } from "../../web/lib/activity-groups.ts";
import type { Change } from "../../web/lib/api/types.ts";
import { doingsInWords } from "../../web/lib/words/doings.ts";

const AGENT = { type: "key", id: "agent", name: "agent" } as const;

/** A change, so many minutes after the first. */
function change(minute: number, path: string, more: Partial<Change> = {}): Change {
  return {
    id: `${minute} ${path}`,
    type: "file.created",
    drive_id: "",
    path,
    previous_path: null,
    file_id: path,
    before: null,
    after: null,
    file_count: null,
    version: 1,
    ref: null,
    batch_id: null,
    message: null,
    by: AGENT,
    at: new Date(Date.UTC(2030, 0, 1, 0, minute)).toISOString(),
    ...more,
  };
}

/** The entries of changes, which are given oldest first: paths, or the number of a group with its folder. */
function entries(...changes: Change[]): string[] {
  return grouped(changes.toReversed()).map((entry) =>
    isGroup(entry) ? `${entry.changes.length} ${entry.kind} in ${entry.folder}` : entry.path,
  );
}

describe("what somebody did at once is one entry:", () => {
  const four = ["data/a/1", "data/a/2", "data/b", "data/c"];

  test("of one kind, by one, without a long pause", () => {
    expect(entries(...four.map((path, at) => change(at, path)))).toEqual(["4 written in data/"]);
  });

  test("in a folder whose name other names begin with, it is that folder", () => {
    const paths = ["ab/1", "ab/2", "abc/1", "abc/2"];
    expect(entries(...paths.map((path) => change(0, path)))).toEqual(["4 written in "]);
  });

  test.each<readonly [what: string, other: Partial<Change>]>([
    ["another kind", { type: "file.deleted" }],
    ["somebody else", { by: null }],
    ["another reason", { message: "Why" }],
    ["a batch, which is one entry already", { type: "files.written" }],
  ])("not across %s", (_, other) => {
    const [first, second, third, fourth] = four.map((path) => change(0, path));
    if (!first || !second || !third || !fourth) throw new Error("there are four");
    expect(entries(first, second, { ...third, ...other }, fourth)).toHaveLength(4);
  });

  test("not across a pause", () => {
    expect(entries(...four.map((path, at) => change(at * 11, path)))).toHaveLength(4);
  });
});

describe("what somebody did, in words:", () => {
  const none = { written: 0, deleted: 0, moved: 0, other: 0 };
  test.each([
    ["wrote 1 file", { written: 1 }],
    ["wrote 1,200 files and deleted 2", { written: 1200, deleted: 2 }],
    ["moved 3 files and did 1 other thing", { moved: 3, other: 1 }],
  ])("%s", (words, some) => {
    expect(doingsInWords({ ...none, ...some })).toBe(words);
  });
});

test("a filter stands in the address, and what is none is left out", () => {
  const filter = { by: "agent", what: "deleted", folder: "a b/", when: "7d" } as const;
  const address = new URL(activityAddress("drive", filter), "http://localhost");
  expect(readFilter(address.searchParams)).toEqual(filter);
  expect(activityAddress("drive", { what: "" })).toBe("/activity?drive=drive");
  expect(readFilter(new URLSearchParams("what=nonsense"))).toMatchObject({ what: "" });
});
