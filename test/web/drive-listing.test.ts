import { beforeAll, describe, expect, test } from "bun:test";
import type { SortKey } from "../../web/lib/files/sort.ts";
import { readAgain, openStoreBench, pathsOf, show } from "../support/browser/drive-store.ts";
import { addManyFolders } from "../support/samples/many-files.ts";

// A folder's list in its order, loaded page by page; against a real server.

const bench = await openStoreBench();
const { driveWith, newDrive, newMany } = bench;

/** A folder in an order. */
function shownBy(drive: string, path: string, key: SortKey, descending: boolean) {
  return show(drive, path, new Map([["sort", { key, descending }]]));
}

test.each([
  ["size", true, ["large/", "small/", "c.bin", "a.txt", "b.txt"]],
  ["size", false, ["small/", "large/", "b.txt", "a.txt", "c.bin"]],
  ["modified", true, ["large/", "small/", "c.bin", "a.txt", "b.txt"]],
  ["modified", false, ["large/", "small/", "b.txt", "a.txt", "c.bin"]],
  ["name", false, ["large/", "small/", "a.txt", "b.txt", "c.bin"]],
  ["name", true, ["small/", "large/", "c.bin", "b.txt", "a.txt"]],
] as const)("folders and files are ordered by %s, descending: %p", async (key, descending, expected) => {
  const { id } = await driveWith({ "b.txt": 1, "a.txt": 2, "large/x": 20, "small/x": 10, "c.bin": 5 });
  using shown = await shownBy(id, "", key, descending);
  expect(pathsOf(shown.folder)).toEqual([...expected]);
});

test("a press on a heading turns the order round; sizes and times begin with the greatest", async () => {
  const shown = await newDrive({ "a.txt": 1 });
  const seen: string[] = [];
  for (const key of ["name", "size", "size", "modified", "name"] as const) {
    await readAgain(shown.folder, () => shown.folder.sortBy(key));
    const sort = shown.folder.listing.peek()?.sort;
    seen.push(`${sort?.key} ${sort?.descending === true ? "down" : "up"}`);
  }
  expect(seen).toEqual(["name down", "size down", "size up", "modified down", "name up"]);
});

test("an order is taken for the order by name where what was remembered is none", async () => {
  const { id } = await driveWith({ "a.txt": 1 });
  using shown = await show(id, "", new Map([["sort", { key: "colour", descending: true }]]));
  expect(shown.folder.listing.peek()?.sort).toEqual({ key: "name", descending: false });
});

describe("1,001 folders", () => {
  let id = "";
  beforeAll(async () => {
    ({ id } = await driveWith({ "folders/0/a.txt": 1, "folders/z.txt": 1 }));
    await addManyFolders(bench.coffer.dataDir, 1000);
  });

  test("are looked at anywhere, in either direction, a page at a time", async () => {
    for (const [descending, first, last] of [
      [false, "folders/0/", "folders/999/"],
      [true, "folders/999/", "folders/0/"],
    ] as const) {
      using shown = await shownBy(id, "folders/", "name", descending);
      const listing = shown.folder.listing.peek();
      const { length } = bench.requests.sent;
      expect([listing?.count, listing?.folderCount]).toEqual([1002, 1001]);
      await listing?.ensure({ first: 998, last: 1001 });
      await listing?.ensure({ first: 0, last: 5 });
      expect([listing?.at(0)?.path, listing?.at(1000)?.path]).toEqual([first, last]);
      expect(listing?.at(1001)?.path).toBe("folders/z.txt");
      expect(bench.requests.listsSince(length).length).toBeLessThanOrEqual(2);
    }
  });

  test("are too many to be put in order by size, which is said", async () => {
    using shown = await shownBy(id, "folders/", "size", false);
    const listing = shown.folder.listing.peek();
    expect([listing?.hasFoldersByName, listing?.at(0)?.path]).toEqual([true, "folders/0/"]);
    await readAgain(shown.folder, () => shown.folder.sortBy("name"));
    expect(shown.folder.listing.peek()?.hasFoldersByName).toBe(false);
  });
});

test("6,000 files are not loaded whole only to be selected", async () => {
  const { folder } = await newMany(6000);
  const { length } = bench.requests.sent;
  await folder.cursor.selectAll();
  expect(bench.requests.listsSince(length)).toEqual([]);
  expect([folder.listing.peek()?.isSelectable, folder.cursor.selection.peek().size]).toEqual([false, 500]);
});
