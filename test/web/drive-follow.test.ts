import { describe, expect, test } from "bun:test";
import type { Change, FileRecord } from "../../web/lib/api/types.ts";
import type { Done } from "../../web/lib/files/steps.ts";
import { lastChangeOf } from "../../web/lib/last-change.ts";
import { follow } from "../../web/pages/drive/store/follow.ts";
import { takeBack } from "../../web/pages/drive/store/undo.ts";
import { deleteEntries } from "../../web/pages/drive/store/work.ts";
import {
  comesTrue,
  entryAt,
  readAgain,
  openStoreBench,
  pathsOf,
  rowsOf,
  show,
  type Shown,
  transfer,
  treeOf,
  unwatched,
} from "../support/browser/drive-store.ts";
import type { Json } from "../support/server/client.ts";
import { putFile } from "../support/server/drives.ts";

// What the changes that others make do to what the page of a drive shows; against a real server.

const bench = await openStoreBench();
const { driveWith, newDrive } = bench;
const { client } = bench.owner;

const FILES = { "a.txt": 1, "b.txt": 2, "box/c.txt": 3, "box/deep/d.txt": 4 };

/** The changes that the feed of a drive tells of something that is done. */
async function changesOf(drive: string, act: () => Promise<unknown>): Promise<readonly Change[]> {
  const happened = await bench.feedOf(drive);
  bench.coffer.clock.advance(1000);
  await act();
  return happened();
}

/** Somebody else does something, and the page follows. Its list has to be as the server's. */
async function othersDo({ store, folder }: Shown, act: () => Promise<unknown>): Promise<void> {
  await follow(store, await changesOf(store.drive, act));
  using again = await show(folder.drive, folder.path);
  // What the answers did not tell may be on its way.
  await comesTrue(
    () => Bun.deepEquals(rowsOf(folder), rowsOf(again.folder)) && folder.listing.value !== null,
  );
  expect(rowsOf(folder)).toEqual(rowsOf(again.folder));
}

function moveFolder(drive: string, from: string, to: string): Promise<unknown> {
  const body = { drive_id: drive, path: from, destination_path: to };
  return client.post("/v0/folders/move", body, 200);
}

describe("without asking for the list, it follows", () => {
  test("files that are added, replaced, renamed, described and deleted", async () => {
    const shown = await newDrive(FILES);
    const { id, fileId } = shown;
    const { length } = bench.requests.sent;
    await othersDo(shown, () => putFile(bench.owner, id, "aa.txt"));
    await othersDo(shown, () => client.put(id, "a.txt", "another", 200));
    const patch = (body: Json) => client.patch(`/v0/files/${fileId("b.txt")}`, body);
    await othersDo(shown, () => patch({ path: "0.txt" }));
    await othersDo(shown, () => patch({ tags: ["new"] }));
    await othersDo(shown, () => client.delete(`/v0/files/${fileId("a.txt")}`));
    expect(pathsOf(shown.folder)).toEqual(["box/", "0.txt", "aa.txt"]);
    // Beside the lists that are compared with: two requests each, of files and folders.
    expect(bench.requests.listsSince(length)).toHaveLength(5 * 2);
  });

  test("what one did oneself, of which nothing is asked again", async () => {
    const { store, folder, id } = await newDrive(FILES);
    const changes = await changesOf(id, async () => {
      await store.rename(entryAt(folder, "a.txt"), "z.txt");
      await store.changeFile(entryAt(folder, "b.txt").key, { tags: ["mine"] });
    });
    expect(changes).toHaveLength(2);
    const { length } = bench.requests.sent;
    await follow(store, changes);
    expect(bench.requests.sent.slice(length)).toEqual([]);
    expect(pathsOf(folder)).toEqual(["box/", "b.txt", "z.txt"]);
  });
});

test("files that come and go between folders change the list and the counts", async () => {
  const { id, fileId } = await driveWith(FILES);
  using shown = await show(id, "box/");
  const move = (file: string, to: string) => client.patch(`/v0/files/${fileId(file)}`, { path: to });
  await othersDo(shown, () => move("a.txt", "box/a.txt"));
  const { length } = bench.requests.sent;
  await othersDo(shown, () => move("box/c.txt", "away/far/c.txt"));
  // That it went is enough: its record is of no use here.
  expect(bench.requests.sent.slice(length).filter((request) => request.startsWith("GET /v0/files/"))).toEqual(
    [],
  );
  await othersDo(shown, () => move("b.txt", "box/deep/b.txt"));
  expect(pathsOf(shown.folder)).toEqual(["box/deep/", "box/a.txt"]);
});

test("folders that are made, moved and deleted, also the one that is shown", async () => {
  const { id } = await driveWith(FILES);
  using root = await show(id);
  await othersDo(root, () => client.post("/v0/folders", { drive_id: id, path: "new/" }));
  await othersDo(root, () => moveFolder(id, "box/", "new/box/"));
  await othersDo(root, () => putFile(bench.owner, id, "far/away/x.txt"));
  expect(pathsOf(root.folder)).toEqual(["far/", "new/", "a.txt", "b.txt"]);
  expect(treeOf(root.store)).toEqual(["", "far/", "new/"]);
  using inside = await show(id, "new/box/");
  await othersDo(inside, () => moveFolder(id, "new/box/deep/", "deep/"));
  const body = { drive_id: id, path: "new/", confirm: true };
  await follow(inside.store, await changesOf(id, () => client.delete("/v0/folders", body)));
  await comesTrue(() => inside.folder.listing.value?.isMissing === true);
  expect(treeOf(inside.store)).not.toContain("new/");
});

test("the file that says what the folder is about comes, goes and is another one", async () => {
  const shown = await newDrive(FILES);
  const { folder, id } = shown;
  const readme = () => folder.listing.peek()?.readme?.path;
  const move = (from: string, path: string) =>
    client.patch(`/v0/files/${entryAt(folder, from).key}`, { path });
  expect(readme()).toBeUndefined();
  await othersDo(shown, () => putFile(bench.owner, id, "readme.md"));
  expect(readme()).toBe("readme.md");
  await othersDo(shown, () => putFile(bench.owner, id, "README.md"));
  expect(readme()).toBe("README.md");
  await othersDo(shown, () => move("README.md", "box/README.md"));
  expect(readme()).toBe("readme.md");
  await othersDo(shown, () => move("readme.md", "readme.txt"));
  expect(readme()).toBeUndefined();
});

test("who made a file what it is, as far as the last changes tell", async () => {
  const { id, fileId } = await driveWith(FILES);
  const file = await client.get<FileRecord>(`/v0/files/${fileId("a.txt")}`);
  const { signal } = new AbortController();
  await client.post(`/v0/files/${file.id}/comments`, { text: "Fine." });
  expect(await lastChangeOf(file, signal)).toMatchObject({ type: "file.created", by: { type: "key" } });
  await client.patch(`/v0/files/${file.id}`, { tags: ["new"] });
  expect(await lastChangeOf(file, signal)).toMatchObject({ type: "file.updated", drive_id: id });
  expect(await lastChangeOf({ ...file, id: id }, signal)).toBeNull();
});

test("of many files at once the list is read again; the selection stays, and what was moved in the page itself away", async () => {
  const shown = await newDrive(FILES);
  const { store, folder, id } = shown;
  folder.cursor.selectOnly(2);
  await othersDo(shown, async () => {
    for (let at = 0; at < 25; at += 1) await putFile(bench.owner, id, `0${100 + at}.txt`);
  });
  expect([...folder.cursor.selection.value.values()].map(({ path }) => path)).toEqual(["b.txt"]);
  const away = await changesOf(id, () => transfer(shown, "move", ["a.txt"], "box/"));
  await client.patch(`/v0/files/${entryAt(folder, "b.txt").key}`, { path: "c.txt" });
  await follow(store, away);
  expect(pathsOf(folder)).not.toContain("a.txt");
});

test("what was put back is not taken out again by what the feed tells late", async () => {
  const shown = await newDrive(FILES);
  const { folder, store, id } = shown;
  const undone: Done[] = [];
  const onDone = (done: Done) => void undone.push(done);
  const away = await changesOf(id, async () => {
    await transfer(shown, "move", ["a.txt", "box/"], "new/", { onDone });
    await deleteEntries(store, [entryAt(folder, "b.txt")], { ...unwatched(), onDone });
    await readAgain(folder, () => takeBack(store, undone, unwatched()));
  });
  await folder.cursor.selectAll();
  const rows = rowsOf(folder);
  await follow(
    store,
    away.filter(({ type, path }) => type === "file.deleted" || path.startsWith("new/")),
  );
  expect(rowsOf(folder)).toEqual(rows);
  expect(folder.cursor.selection.value.size).toBe(4);
});

test("of hundreds of changes only those of folders are taken one by one", async () => {
  const shown = await newDrive(FILES);
  const { folder, id, fileId } = shown;
  const [gone] = await changesOf(id, () => client.delete(`/v0/files/${fileId("a.txt")}`));
  const [made] = await changesOf(id, () => client.post("/v0/folders", { drive_id: id, path: "new/" }));
  if (gone === undefined || made === undefined) throw new Error("the feed tells nothing");
  await readAgain(folder, async () => {
    await follow(shown.store, [...Array.from({ length: 200 }, () => gone), made]);
    expect(treeOf(shown.store)).toEqual(["", "box/", "new/"]);
  });
  expect(pathsOf(folder)).toEqual(["box/", "new/", "b.txt"]);
});
