import { describe, expect, test } from "bun:test";
import type { Undoable } from "../../web/lib/files/steps.ts";
import { takeBack } from "../../web/pages/drive/store/undo.ts";
import { transferEntries } from "../../web/pages/drive/store/work.ts";
import {
  entryAt,
  readAgain,
  openStoreBench,
  pathsOf,
  show,
  unwatched,
} from "../support/browser/drive-store.ts";
import { putFile } from "../support/server/drives.ts";

// What takes back what was done on the page of a drive; against a real server.

const bench = await openStoreBench();
const { driveWith, newDrive, stored } = bench;

/** Work of which only is known what can be taken back. */
function noted(): { readonly done: Undoable[]; readonly work: Parameters<typeof transferEntries>[2] } {
  const done: Undoable[] = [];
  const onUndoable = (one: Undoable) => void done.push(one);
  return { done, work: { ...unwatched(), onUndoable } };
}

const FILES = { "a.txt": 1, "b/c.txt": 1, "b/d/e.txt": 1, "z/there": 1 };

describe("what was moved goes back to its place:", () => {
  test("a file and a folder", async () => {
    const { store, folder, id, fileId } = await newDrive(FILES);
    const entries = ["a.txt", "b/"].map((path) => entryAt(folder, path));
    const { done, work } = noted();
    await transferEntries(store, { how: "move", entries, toDrive: id, toFolder: "z/" }, work);
    expect(await stored(id)).toEqual(["z/a.txt", "z/b/c.txt", "z/b/d/e.txt", "z/there"]);
    expect(await readAgain(folder, () => takeBack(store, done))).toBe("Put back 2 items.");
    expect([await stored(id), pathsOf(folder)]).toEqual([Object.keys(FILES), ["b/", "z/", "a.txt"]]);
    expect(entryAt(folder, "a.txt").key).toBe(fileId("a.txt"));
    expect(store.tree.rows.map(({ key }) => key)).toEqual(["", "b/", "z/"]);
  });

  test("from another drive", async () => {
    const [one, other] = [await driveWith(FILES), await driveWith()];
    using shown = await show(one.id);
    const { store, folder } = shown;
    const entries = ["a.txt", "b/"].map((path) => entryAt(folder, path));
    const { done, work } = noted();
    await transferEntries(store, { how: "move", entries, toDrive: other.id, toFolder: "" }, work);
    expect(await stored(one.id)).toEqual(["z/there"]);
    await takeBack(store, done);
    expect([await stored(one.id), await stored(other.id)]).toEqual([Object.keys(FILES), []]);
  });

  test("but not over what stands there by now", async () => {
    const { store, folder, id } = await newDrive(FILES);
    const entries = ["a.txt", "b/"].map((path) => entryAt(folder, path));
    const { done, work } = noted();
    await transferEntries(store, { how: "move", entries, toDrive: id, toFolder: "z/" }, work);
    await putFile(bench.owner, id, "a.txt");
    expect(await takeBack(store, done).catch(String)).toContain("a.txt");
    expect(await stored(id)).toEqual(["a.txt", "b/c.txt", "b/d/e.txt", "z/a.txt", "z/there"]);
  });
});

test("a copy is nothing to take back", async () => {
  const { store, folder, id } = await newDrive(FILES);
  const { done, work } = noted();
  const entries = [entryAt(folder, "a.txt")];
  await transferEntries(store, { how: "copy", entries, toDrive: id, toFolder: "z/" }, work);
  expect(done).toEqual([]);
});
