import { describe, expect, test } from "bun:test";
import type { SortKey } from "../../web/lib/files/sort.ts";
import { transferEntries } from "../../web/pages/drive/store/work.ts";
import type { FolderStore } from "../../web/pages/drive/store/folder.ts";
import {
  comesTrue,
  entryAt,
  readAgain,
  openStoreBench,
  pathsOf,
  show,
  skipAll,
  unwatched,
} from "../support/browser/drive-store.ts";
import { addManyFolders } from "../support/samples/many-files.ts";
import { putFile } from "../support/server/drives.ts";

// A folder's list in its order, loaded page by page, and where one is in it: the active row, what is selected, and what
// has the focus next.

const bench = await openStoreBench();
const { driveWith, newDrive, newMany, stored } = bench;

function selected({ cursor }: FolderStore): string[] {
  return Array.from(cursor.selection.peek().values(), ({ path }) => path);
}

/** What stands in the active row. */
function activePath(folder: FolderStore): string | undefined {
  return pathsOf(folder)[folder.cursor.active.peek()];
}

/** Reads a folder again, as when somebody comes back to its page. */
async function comeBack(folder: FolderStore): Promise<void> {
  await readAgain(folder, () => folder.reload());
}

test("the files beside one are known, also where they are not loaded yet; folders and what is gone are not", async () => {
  const { folder } = await newMany(1200);
  const listing = folder.listing.value;
  if (listing === null) throw new Error("there is no list");
  const last = await listing.fileAt(500);
  expect(listing.placeOfFile(last?.id ?? "")).toEqual({ at: 500, of: 1200 });
  const next = await listing.fileAt(501);
  expect([next?.path, listing.placeOfFile(next?.id ?? "")]).toEqual([
    "many/0000501.txt",
    { at: 501, of: 1200 },
  ]);
  expect([await listing.fileAt(0), await listing.fileAt(1201)]).toEqual([null, null]);
  expect(listing.placeOfFile("none")).toBeNull();

  const { folder: mixed, fileId } = await newDrive({ "a/b.txt": 1, "c.txt": 1, "d.txt": 1 });
  const list = mixed.listing.value;
  expect(list?.placeOfFile(fileId("d.txt"))).toEqual({ at: 2, of: 2 });
  expect([await list?.fileAt(0), (await list?.fileAt(1))?.path]).toEqual([null, "c.txt"]);
  expect([list?.placeOfFile("a/"), list?.placeOfFile(fileId("a/b.txt"))]).toEqual([null, null]);
});

describe("the active row", () => {
  test("stays with what stands in it, and where that is gone, with its place", async () => {
    const { folder, id, fileId } = await newDrive({ "b.txt": 1, "c.txt": 1, "d.txt": 1 });
    folder.cursor.goTo(1);
    await putFile(bench.owner, id, "a.txt");
    await comeBack(folder);
    expect([folder.cursor.active.peek(), activePath(folder)]).toEqual([2, "c.txt"]);
    await bench.owner.client.delete(`/v0/files/${fileId("c.txt")}`);
    await comeBack(folder);
    expect([folder.cursor.active.peek(), activePath(folder)]).toEqual([2, "d.txt"]);
    await bench.owner.client.delete(`/v0/files/${fileId("d.txt")}`);
    await comeBack(folder);
    expect([folder.cursor.active.peek(), activePath(folder)]).toEqual([1, "b.txt"]);
  });

  test("goes to the row that is closest to the one that is wanted", async () => {
    const shown = await newDrive({ "a.txt": 1, "b.txt": 1 });
    const { cursor } = shown.folder;
    expect([cursor.goTo(-1), cursor.goTo(1), cursor.goTo(Number.MAX_SAFE_INTEGER)]).toEqual([0, 1, 1]);
    expect(cursor.focus.peek()).toBe("row");
  });

  test("is found again by whoever comes back, in the order that they left", async () => {
    const { id } = await driveWith({ "a.txt": 1, "b.txt": 3, "c.txt": 2 });
    const memory = new Map<string, unknown>();
    {
      using shown = await show(id, "", memory);
      await readAgain(shown.folder, () => shown.folder.sortBy("size"));
      shown.folder.cursor.goTo(1);
    }
    await putFile(bench.owner, id, "large.txt", "large");
    using again = await show(id, "", memory);
    expect(pathsOf(again.folder)).toEqual(["large.txt", "b.txt", "c.txt", "a.txt"]);
    expect(activePath(again.folder)).toBe("c.txt");
  });

  test("is the first, in the order by name, where what was remembered is none", async () => {
    const { id } = await driveWith({ "a.txt": 1, "b.txt": 1 });
    const sort = { key: "colour", descending: true };
    for (const row of [
      null,
      7,
      "1",
      { row: -1, key: null },
      { row: 1.5, key: null },
      { row: 1 },
      { row: 1, key: 2 },
    ]) {
      const memory = new Map<string, unknown>([
        ["row", row],
        ["sort", sort],
      ]);
      using shown = await show(id, "", memory);
      const { cursor, listing } = shown.folder;
      expect([row, cursor.active.peek(), listing.peek()?.sort]).toEqual([
        row,
        0,
        { key: "name", descending: false },
      ]);
    }
  });
});

describe("what is selected", () => {
  test("is a row, more rows one by one, a range from the last one, all and nothing", async () => {
    const { folder } = await newDrive({ "a.txt": 1, "b.txt": 1, "c.txt": 1, "d.txt": 1 });
    const { cursor } = folder;
    const held = { ctrlKey: false, metaKey: false, shiftKey: false };
    cursor.press(1, held);
    expect([selected(folder), cursor.active.peek()]).toEqual([["b.txt"], 1]);
    cursor.press(3, { ...held, ctrlKey: true });
    expect([selected(folder), cursor.active.peek()]).toEqual([["b.txt", "d.txt"], 3]);
    cursor.press(1, { ...held, shiftKey: true });
    await comesTrue(() => cursor.selection.value.size === 3);
    expect(selected(folder)).toEqual(["b.txt", "c.txt", "d.txt"]);
    await cursor.selectTo(2);
    expect(selected(folder)).toEqual(["c.txt", "d.txt"]);
    cursor.toggle(3);
    expect(selected(folder)).toEqual(["c.txt"]);
    await cursor.selectAll();
    expect(selected(folder)).toHaveLength(4);
    cursor.selectNone();
    expect(selected(folder)).toEqual([]);
  });

  test("begins a range where its first entry stands by then", async () => {
    const { folder, id } = await newDrive({ "b.txt": 1, "c.txt": 1, "d.txt": 1 });
    folder.cursor.selectOnly(1);
    await putFile(bench.owner, id, "a.txt");
    await comeBack(folder);
    await folder.cursor.selectTo(3);
    expect(selected(folder)).toEqual(["c.txt", "d.txt"]);
  });

  test("keeps up with what became of it elsewhere", async () => {
    const { store, folder, id, fileId } = await newDrive({ "a.txt": 1, "b.txt": 1, "c.txt": 1, "to/x": 1 });
    folder.cursor.toggle(1);
    folder.cursor.toggle(2);
    expect(selected(folder)).toEqual(["a.txt", "b.txt"]);
    const body = { path: "renamed.txt" };
    await bench.owner.client.patch(`/v0/files/${fileId("a.txt")}`, body);
    await bench.owner.client.delete(`/v0/files/${fileId("b.txt")}`);
    await comeBack(folder);
    expect(selected(folder)).toEqual(["renamed.txt"]);
    const entries = [...folder.cursor.selection.peek().values()];
    await transferEntries(
      store,
      { how: "move", entries, toDrive: id, toFolder: "to/", ask: skipAll },
      unwatched(),
    );
    expect(selected(folder)).toEqual([]);
    expect(await stored(id)).toEqual(["c.txt", "to/renamed.txt", "to/x"]);
  });

  test("is a whole range that was not loaded yet", async () => {
    const { folder } = await newMany(1700);
    folder.cursor.anchor(1);
    await folder.cursor.selectTo(1699);
    expect(selected(folder)).toHaveLength(1699);
    // Of which nothing is forgotten where it is no longer loaded.
    await comeBack(folder);
    expect(folder.listing.peek()?.loaded).toBeLessThan(1000);
    expect(selected(folder)).toHaveLength(1699);
  });

  test("is not what was asked for before something else was", async () => {
    const { folder } = await newMany(600);
    const all = folder.cursor.selectAll();
    folder.cursor.selectOnly(0);
    await all;
    expect(selected(folder)).toEqual(["many/0000001.txt"]);
  });
});

test("a dialog opens unless one is open; one that is dismissed leaves the focus to the list, one that is done with closes", async () => {
  const { folder } = await newDrive({ "a.txt": 1 });
  const entry = entryAt(folder, "a.txt");
  folder.ask({ kind: "rename", entry });
  folder.ask({ kind: "delete", entries: [entry] });
  expect(folder.dialog.peek()).toEqual({ kind: "rename", entry });
  folder.cursor.selectOnly(0);
  folder.dismiss();
  expect([folder.dialog.peek(), folder.cursor.focus.peek(), selected(folder)]).toEqual([
    null,
    "list",
    ["a.txt"],
  ]);
  // Not where another is open by then.
  const [first, second] = [{ kind: "new-folder" }, { kind: "new-folder" }] as const;
  folder.ask(first);
  folder.dismiss();
  folder.ask(second);
  folder.finish(first);
  expect([folder.dialog.peek(), selected(folder)]).toEqual([second, ["a.txt"]]);
  folder.finish(second);
  expect([folder.dialog.peek(), selected(folder)]).toEqual([null, []]);
});

test("rows that did not come are asked for again, and the active one is where it was", async () => {
  const { folder } = await newMany(3000);
  folder.cursor.goTo(2999);
  bench.requests.refuseNext(/page=6/);
  await folder.listing.peek()?.ensure({ first: 2990, last: 2999 });
  expect([folder.error.peek()?.message, activePath(folder)]).toEqual(["On fire.", undefined]);
  folder.retry();
  await comesTrue(() => folder.error.value === null);
  expect(activePath(folder)).toBe("many/0003000.txt");
});

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

test("1,001 folders are looked at anywhere, in either direction, a page at a time, but not by size, which is said", async () => {
  const { id } = await driveWith({ "folders/0/a.txt": 1, "folders/z.txt": 1 });
  await addManyFolders(bench.coffer.dataDir, 1000);
  for (const [descending, first, last] of [
    [false, "folders/0/", "folders/1000/"],
    [true, "folders/1000/", "folders/0/"],
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
  using shown = await shownBy(id, "folders/", "size", false);
  const listing = shown.folder.listing.peek();
  expect([listing?.hasFoldersByName, listing?.at(0)?.path]).toEqual([true, "folders/0/"]);
  await readAgain(shown.folder, () => shown.folder.sortBy("name"));
  expect(shown.folder.listing.peek()?.hasFoldersByName).toBe(false);
});

test("6,000 files are not loaded whole only to be selected", async () => {
  const { folder } = await newMany(6000);
  const { length } = bench.requests.sent;
  await folder.cursor.selectAll();
  expect(bench.requests.listsSince(length)).toEqual([]);
  expect([folder.listing.peek()?.isSelectable, folder.cursor.selection.peek().size]).toEqual([false, 500]);
});
