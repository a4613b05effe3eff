import { describe, expect, test } from "bun:test";
import { compareBytes } from "../../web/lib/files/sort.ts";
import type { FolderRecord, FoldersPage } from "../../web/lib/api/types.ts";
import { rowOfName, treeCommandOf } from "../../web/components/tree/keys.ts";
import { Level } from "../../web/lib/tree/tree-level.ts";
import { rowsOf, type TreeRow } from "../../web/lib/tree/tree-rows.ts";

const DRIVE = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

function page(paths: readonly string[], next: string | null, total: number): FoldersPage {
  const data = paths.map((path): FolderRecord => ({
    drive_id: DRIVE,
    path,
    file_count: 0,
    total_size: 0,
    has_folders: false,
    created_at: "2030-01-31T12:00:00.000Z",
  }));
  return { data, total, next_cursor: next };
}

/** A tree of which only the root is open. */
function rowsOfRoot(level: Level): TreeRow[] {
  return rowsOf({ levels: new Map([["", level]]), open: new Set([""]), failed: new Set() });
}

function pathsOf(level: Level): string[] {
  return level.folders.map(({ path }) => path);
}

test("paths are ordered by their UTF-8 bytes, as the server orders them", () => {
  const paths = ["a/", "a b/", "a/b/", "Z/", "ä/", "\uff5a/", "\u{1f5c0}/", "\ue000/", "書/", "a-/", ""];
  const encoder = new TextEncoder();
  const byBytes = paths.toSorted((one, other) => Buffer.compare(encoder.encode(one), encoder.encode(other)));
  expect(paths.toSorted(compareBytes)).toEqual(byBytes);
});

describe("a level", () => {
  test("keeps what is known beyond its pages until a page comes that has it", () => {
    const level = new Level();
    level.add({ path: "m/", hasFolders: true });
    level.take(page(["a/", "b/"], "next", 5), true);
    expect(pathsOf(level)).toEqual(["a/", "b/", "m/"]);
    level.take(page(["c/", "m/"], "more", 5), false);
    expect(pathsOf(level)).toEqual(["a/", "b/", "c/", "m/"]);
    level.take(page(["z/"], null, 5), false);
    expect(pathsOf(level)).toEqual(["a/", "b/", "c/", "m/", "z/"]);
  });

  test("believes a reload, and that there is nothing more", () => {
    const level = new Level();
    level.take(page(["a/", "b/"], null, 2), true);
    const added = [false, false, true, false].map((hasFolders) => level.add({ path: "c/", hasFolders }));
    expect([added, level.total]).toEqual([[true, false, true, false], 3]);
    level.take(page(["b/"], null, 1), true);
    expect([pathsOf(level), level.total, level.isEmpty]).toEqual([["b/"], 1, false]);
    level.remove("b/");
    expect(level.isEmpty).toBe(true);
  });
});

test("what is missing of a level stands where it is missing", () => {
  const level = new Level();
  level.take(page(["a/", "b/"], "next", 9), true);
  level.add({ path: "m/", hasFolders: false });
  const rows = rowsOfRoot(level);
  expect(rows.map(({ key }) => key)).toEqual(["", "a/", "b/", "more", "m/"]);
  expect(rows[3]).toMatchObject({ kind: "more", missing: 6, depth: 2 });
  const way = new Level();
  way.add({ path: "m/", hasFolders: false });
  expect(rowsOfRoot(way).map(({ key }) => key)).toEqual(["", "m/", "more"]);
});

test("typing finds the next name, all the way round", () => {
  const level = new Level();
  level.take(page(["alpha/", "beta/", "bravo/"], null, 3), true);
  const rows = rowsOfRoot(level);
  const find = (typed: string, at: number) => rowOfName(typed, rows, at, "Drive");
  expect([find("b", 0), find("b", 2), find("b", 3), find("br", 2), find("d", 2), find("x", 0)]).toEqual([
    2,
    3,
    2,
    3,
    0,
    null,
  ]);
  expect(treeCommandOf("ArrowUp", rows, 0)).toEqual({ does: "go", row: 0 });
  expect(treeCommandOf("ArrowLeft", rows, 3)).toEqual({ does: "go", row: 0 });
  expect(treeCommandOf("F2", rows, 0)).toBeNull();
});
