import { describe, expect, test } from "bun:test";
import { ApiError } from "../../web/lib/api/api.ts";
import { type Entry, fileEntry, folderEntry } from "../../web/lib/files.ts";
import type { Done } from "../../web/lib/files/steps.ts";
import type { Ask, Decision } from "../../web/lib/files/taken.ts";
import type { FileRecord, FolderRecord } from "../../web/lib/api/types.ts";
import { DriveStore } from "../../web/pages/drive/store/drive.ts";
import type { FolderStore } from "../../web/pages/drive/store/folder.ts";
import { takeBack } from "../../web/pages/drive/store/undo.ts";
import { deleteEntries, transferEntries } from "../../web/pages/drive/store/work.ts";
import {
  comesTrue,
  entryAt,
  readAgain,
  openStoreBench,
  pathsOf,
  rowsOf,
  show,
  type Shown,
  skipAll,
  transfer,
  treeOf,
  unwatched,
} from "../support/browser/drive-store.ts";
import { putFile } from "../support/server/drives.ts";

// What the answers to what is done on the page of a drive change of what it knows, and what takes that back; against
// a real server.

const bench = await openStoreBench();
const { driveWith, newDrive, newMany, stored } = bench;

/** A list has to be what one has that is loaded now, in the same order. */
async function expectAsOnServer(folder: FolderStore): Promise<void> {
  const sort = folder.listing.peek()?.sort;
  using again = await show(folder.drive, folder.path, new Map([["sort", sort]]));
  expect(rowsOf(folder)).toEqual(rowsOf(again.folder));
  expect(folder.listing.peek()?.isMissing).toBe(again.folder.listing.peek()?.isMissing ?? false);
}

/** A file's record as the server has it. */
function recordOf(id: string): Promise<FileRecord> {
  return bench.owner.client.get<FileRecord>(`/v0/files/${id}`);
}

/** Uploads files as the queue of uploads does. */
async function upload(store: DriveStore, drive: string, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    store.uploaded(fileEntry(await recordOf(await putFile(bench.owner, drive, path, "xx"))));
  }
  store.settle();
}

/** Does something after which one page of folders, and nothing else, is asked for. */
async function asksForFolders(folder: FolderStore, change: () => Promise<unknown>): Promise<void> {
  const { length } = bench.requests.sent;
  await change();
  expect(bench.requests.listsSince(length)).toEqual([expect.stringContaining("GET /v0/folders?")]);
  const before = JSON.stringify(rowsOf(folder));
  await comesTrue(() => JSON.stringify(rowsOf(folder)) !== before);
  await expectAsOnServer(folder);
}

describe("what an answer does not tell is asked for:", () => {
  test("how much is in a folder that something was moved, copied or uploaded to", async () => {
    const shown = await newDrive({ "a.txt": 2, "b.txt": 3, "c/d": 1, "e/f": 1 });
    const { store, folder, id } = shown;
    for (const [how, path, to] of [
      ["move", "a.txt", "c/"],
      ["copy", "b.txt", "c/"],
      ["move", "e/", "c/new/"],
      ["copy", "b.txt", "new/er/"],
    ] as const)
      await asksForFolders(folder, () => transfer(shown, how, [path], to));
    await asksForFolders(folder, () => upload(store, id, "c/new/1", "up/load"));
    expect(pathsOf(folder)).toEqual(["c/", "new/", "up/", "b.txt"]);
    expect(treeOf(store)).toEqual(["", "c/", "new/", "up/"]);
  });

  test("where in a folder of which not all is loaded something new stands", async () => {
    const { store, folder, id } = await newMany(1200);
    await readAgain(folder, () => upload(store, id, "many/0000700 new.txt"));
    expect(folder.listing.peek()?.count).toBe(1201);
  });

  test("a folder that was not there, once something is stored in it", async () => {
    const { id } = await driveWith();
    using shown = await show(id, "later/");
    const { store, folder } = shown;
    expect(folder.listing.peek()).toMatchObject({ isMissing: true, count: 0 });
    await readAgain(folder, () => upload(store, id, "later/a/b.txt"));
    expect(pathsOf(folder)).toEqual(["later/a/"]);
  });

  test("what came while a list from before was on its way", async () => {
    const { store, folder, id } = await newDrive({ "a.txt": 1 });
    const { come, release } = bench.requests.hold(/sort=-size/);
    folder.sortBy("size");
    await come;
    const made = await putFile(bench.owner, id, "b.txt", "xx");
    store.uploaded(fileEntry(await recordOf(made)));
    expect(pathsOf(folder)).toEqual(["a.txt", "b.txt"]);
    release();
    await readAgain(folder, () => store.settle());
    expect(pathsOf(folder)).toEqual(["b.txt", "a.txt"]);
  });
});

test("what has another name is the active one, also where it is not loaded; what is deleted leaves the others", async () => {
  const { store, folder } = await newMany(1200);
  const { length } = bench.requests.sent;
  const counts = () => [folder.listing.peek()?.count, folder.listing.peek()?.loaded];
  await store.rename(entryAt(folder, "many/0000003.txt"), "0000300 and more.txt");
  expect([counts(), folder.cursor.active.peek()]).toEqual([[1200, 500], 298]);
  expect(pathsOf(folder)[298]).toBe("many/0000300 and more.txt");
  // Of 500 rows that are loaded.
  await store.rename(entryAt(folder, "many/0000004.txt"), "zzz.txt");
  const entries = rowsOf(folder)
    .slice(10, 400)
    .filter((entry) => entry !== undefined);
  await deleteEntries(store, entries, unwatched());
  expect([counts(), bench.requests.listsSince(length)]).toEqual([[810, 109], []]);
  await folder.listing.peek()?.ensure({ first: 0, last: 809 });
  expect([pathsOf(folder).at(-1), folder.cursor.active.peek()]).toEqual(["many/zzz.txt", 809]);
  expect(pathsOf(folder)).not.toContain(undefined);
});

test("what is moved, or deleted in part, leaves the selection, also where it is not loaded", async () => {
  const { store, folder } = await newMany(1200);
  await folder.cursor.selectTo(1199);
  const last = [...folder.cursor.selection.peek().values()].slice(-2);
  await readAgain(folder, () => folder.reload());
  expect([folder.listing.peek()?.loaded, folder.cursor.selection.peek().size]).toEqual([500, 1200]);
  const move = { how: "move", entries: last, toDrive: store.drive, toFolder: "", ask: skipAll } as const;
  await readAgain(folder, async () => {
    expect(await transferEntries(store, move, unwatched())).toEqual([]);
    expect(folder.cursor.selection.peek().size).toBe(1198);
  });
  expect(folder.listing.peek()?.count).toBe(1198);
});

/** What asks for a link to the download of a file. */
const linkTo = (entry: Entry) => ({
  drive: "",
  entry,
  choice: { opens: "download", seconds: "900", isOnce: true } as const,
  password: "",
  from: 0,
  headers: {},
});

describe("where something is refused, the folder is read again:", () => {
  const attempts: Record<string, (store: DriveStore, gone: Entry) => Promise<unknown>> = {
    "another name": (store, gone) => store.rename(gone, "new.txt"),
    "other tags": (store, gone) => store.changeFile(gone.key, { tags: [] }),
    "a link": (store, gone) => store.makeLink(linkTo(gone)),
    "a folder where a file stands": (store) => store.makeFolder("kept.txt/"),
  };
  test.each(Object.entries(attempts))("%s", async (_, attempt) => {
    const { store, folder, fileId } = await newDrive({ "gone.txt": 1, "kept.txt": 1 });
    const gone = entryAt(folder, "gone.txt");
    await bench.owner.client.delete(`/v0/files/${fileId("gone.txt")}`);
    const refusal = await readAgain(folder, () => attempt(store, gone).catch((error: unknown) => error));
    expect(refusal).toBeInstanceOf(ApiError);
    expect(pathsOf(folder)).toEqual(["kept.txt"]);
  });

  test("a part of what was to be deleted", async () => {
    const { store, folder, id } = await newDrive({ "a.txt": 1, "gone/1": 1, "there/1": 1 });
    const body = { drive_id: id, path: "gone/", confirm: true };
    await bench.owner.client.delete("/v0/folders", body);
    const entries = ["gone/", "there/"].map((path) => entryAt(folder, path));
    const left = await readAgain(folder, () => deleteEntries(store, entries, unwatched()));
    expect(left.map(({ path, error }) => [path, error.status])).toEqual([["gone/", 404]]);
    expect([pathsOf(folder), treeOf(store)]).toEqual([["a.txt"], [""]]);
  });

  test("what stands at a destination, and what would go into itself", async () => {
    const shown = await newDrive({ "a.txt": 1, "box/a.txt": 1, "older/deep/c": 1, "box/older/x": 1 });
    for (const how of ["move", "copy"] as const) {
      const asked: string[] = [];
      const ask: Ask = async ({ path }, others) => {
        asked.push(`${path} and ${others}`);
        return { decision: "skip", forAll: false };
      };
      expect(await transfer(shown, how, ["a.txt", "older/"], "box/", { ask })).toEqual([]);
      expect(asked).toEqual(["a.txt and 1", "older/ and 0"]);
    }
    expect(await transfer(shown, "move", ["older/"], "older/deep/")).toHaveLength(1);
    expect(await stored(shown.id)).toEqual(["a.txt", "box/a.txt", "box/older/x", "older/deep/c"]);
  });

  test("work that is stopped", async () => {
    const { store, folder } = await newMany(1200);
    const abort = new AbortController();
    const onProgress = ({ done }: { done: number }) => done === 1000 && abort.abort();
    await folder.cursor.selectTo(1199);
    const entries = [...folder.cursor.selection.peek().values()];
    await readAgain(folder, () => deleteEntries(store, entries, { onProgress, signal: abort.signal }));
    expect(folder.listing.peek()?.count).toBe(1200 - 1000);
  });

  test("a file that is looked at and not there", async () => {
    const { store, folder, fileId } = await newDrive({ "a.txt": 1, "b.txt": 1 });
    const { length } = bench.requests.sent;
    await bench.owner.client.delete(`/v0/files/${fileId("a.txt")}`);
    store.fileMissing(fileId("a.txt"));
    expect(bench.requests.listsSince(length)).toEqual([]);
    await expectAsOnServer(folder);
  });
});

describe("an answer that comes after one went to another folder", () => {
  test("shows there", async () => {
    const { id } = await driveWith({ "a/one.txt": 1, "b/two.txt": 1 });
    const store = new DriveStore(id);
    const before = await show(store, "a/");
    const { come, release } = bench.requests.hold(/\/move$/);
    const moving = transfer(before, "move", ["a/one.txt"], "b/");
    await come;
    before[Symbol.dispose]();
    using after = await show(store, "b/");
    await readAgain(after.folder, async () => {
      release();
      await moving;
    });
    expect(pathsOf(after.folder)).toEqual(["b/one.txt", "b/two.txt"]);
  });

  test("leaves the active row there where it is", async () => {
    const { id } = await driveWith({ "a/one/1": 1, "b/two.txt": 1, "b/x.txt": 1 });
    const store = new DriveStore(id);
    const before = await show(store, "a/");
    const { come, release } = bench.requests.hold(/\/move$/);
    const renaming = store.rename(entryAt(before.folder, "a/one/"), "other");
    await come;
    before[Symbol.dispose]();
    using after = await show(store, "b/");
    after.folder.cursor.stand(1);
    release();
    await renaming;
    expect([before.memory.get("row"), after.memory.get("row")]).toEqual([
      { row: 0, key: "a/one/" },
      { row: 1, key: entryAt(after.folder, "b/x.txt").key },
    ]);
  });
});

test("the tree follows what is done to folders, without asking", async () => {
  const shown = await newDrive(["a/", "b/inner/", "c/"]);
  const { store, folder, id } = shown;
  const { length } = bench.requests.sent;
  store.tree.reveal("");
  await store.makeFolder("box/");
  await store.rename(entryAt(folder, "a/"), "first");
  await transfer(shown, "move", ["b/"], "box/");
  await deleteEntries(store, [entryAt(folder, "c/")], unwatched());
  expect(treeOf(store)).toEqual(["", "box/", "first/"]);
  expect(store.tree.rows[1]).toMatchObject({ path: "box/", isOpen: false });
  const body = { drive_id: id, path: "holiday/day 1/" };
  store.uploaded(folderEntry(await bench.owner.client.post<FolderRecord>("/v0/folders", body)));
  expect(treeOf(store)).toEqual(["", "box/", "first/", "holiday/"]);
  expect(bench.requests.sent.slice(length).filter((request) => request.includes("limit=200"))).toEqual([]);
});

test("counts that did not come come once they are asked for again", async () => {
  const shown = await newDrive({ "a.txt": 2, "b/c": 1 });
  const { folder } = shown;
  bench.requests.refuseNext(/GET .v0.folders/);
  await transfer(shown, "move", ["a.txt"], "b/");
  await comesTrue(() => folder.error.value !== null);
  const before = JSON.stringify(rowsOf(folder));
  folder.retry();
  await comesTrue(() => JSON.stringify(rowsOf(folder)) !== before);
  expect(folder.error.peek()).toBeNull();
  await expectAsOnServer(folder);
});

test("a list that cannot be read anew stays, with the reason, and comes once it is asked for again", async () => {
  const { folder } = await newDrive({ "a.txt": 1, "b.txt": 2 });
  bench.requests.refuseNext(/sort=-size/);
  folder.sortBy("size");
  await comesTrue(() => folder.error.value !== null);
  expect([pathsOf(folder), folder.error.peek()?.message]).toEqual([["a.txt", "b.txt"], "On fire."]);
  await readAgain(folder, () => folder.retry());
  expect([pathsOf(folder), folder.error.peek()]).toEqual([["b.txt", "a.txt"], null]);
});

/** Moves a file and a folder. What was done of it. */
async function moved(shown: Shown, toFolder: string, toDrive = shown.store.drive): Promise<Done[]> {
  const done: Done[] = [];
  const onDone = (some: Done) => void done.push(some);
  await transfer(shown, "move", ["a.txt", "b/"], toFolder, { toDrive, onDone });
  return done;
}

/** The writes since so many requests. */
function writesSince(length: number): string[] {
  return bench.requests.sent.slice(length).filter((request) => !request.startsWith("GET"));
}

test("what is deleted goes by few requests, and comes back by as many, with the progress told", async () => {
  const { store, folder, id } = await newMany(1200);
  await putFile(bench.owner, id, "many/box/inner.txt");
  await readAgain(folder, () => folder.reload());
  await folder.cursor.selectTo(1200);
  const { length } = bench.requests.sent;
  const done: Done[] = [];
  const onDone = (some: Done) => void done.push(some);
  const entries = [...folder.cursor.selection.peek().values()];
  expect(entries).toHaveLength(1201);
  expect(await deleteEntries(store, entries, { ...unwatched(), onDone })).toEqual([]);
  expect(folder.listing.peek()?.count).toBe(0);
  const progress: number[] = [];
  const onProgress = (now: { done: number }) => void progress.push(now.done);
  const said = await readAgain(folder, () => takeBack(store, done, { ...unwatched(), onProgress }));
  expect([said, progress]).toEqual(["Put back 1,201 items.", [0, 201, 1201]]);
  expect(folder.listing.peek()?.count).toBe(1201);
  const writes = ["POST /v0/files/bulk-delete", "POST /v0/undo"];
  expect(writesSince(length)).toEqual(writes.flatMap((write) => [write, write]));
});

describe("where something is there already,", () => {
  const TAKEN = {
    "a.txt": 1,
    "b.txt": 2,
    "box/a.txt": 3,
    "box/b.txt": 3,
    "box/d/y": 1,
    "c.txt": 1,
    "d/x": 1,
  };
  const all = ["a.txt", "b.txt", "c.txt", "d/"];

  /** Moves all into the box, by one answer after another, which may hold for all. What was asked, and what is there. */
  async function answered(...answers: readonly [Decision, boolean][]) {
    const shown = await newDrive(TAKEN);
    const asked: string[] = [];
    const left = answers.values();
    const ask: Ask = async ({ path }) => {
      asked.push(path);
      const [decision, forAll] = left.next().value ?? ["skip", false];
      return { decision, forAll };
    };
    const done: Done[] = [];
    const onDone = (some: Done) => void done.push(some);
    expect(await transfer(shown, "move", all, "box/", { ask, onDone })).toEqual([]);
    const after = await stored(shown.id);
    await takeBack(shown.store, done, unwatched());
    expect(await stored(shown.id)).toEqual(Object.keys(TAKEN));
    return [asked, after];
  }

  test("both are kept, once that is the answer for all", async () => {
    expect(await answered(["keep_both", true])).toEqual([
      ["a.txt"],
      ["box/a (2).txt", "box/a.txt", "box/b (2).txt", "box/b.txt", "box/c.txt", "box/d (2)/x", "box/d/y"],
    ]);
  });

  test("files replace files, and a folder is asked about all the same; undoing brings back what was replaced", async () => {
    expect(await answered(["replace", true], ["keep_both", false])).toEqual([
      ["a.txt", "d/"],
      ["box/a.txt", "box/b.txt", "box/c.txt", "box/d (2)/x", "box/d/y"],
    ]);
  });

  test("each may have another answer", async () => {
    expect(await answered(["skip", false], ["replace", false], ["skip", false])).toEqual([
      ["a.txt", "b.txt", "d/"],
      ["a.txt", "box/a.txt", "box/b.txt", "box/c.txt", "box/d/y", "d/x"],
    ]);
  });
});

const FILES = { "a.txt": 1, "b/c.txt": 1, "b/d/e.txt": 1, "z/there": 1 };

describe("what was moved goes back to its place:", () => {
  test("a file and a folder", async () => {
    const shown = await newDrive(FILES);
    const { store, folder, id, fileId } = shown;
    const done = await moved(shown, "z/");
    expect(await stored(id)).toEqual(["z/a.txt", "z/b/c.txt", "z/b/d/e.txt", "z/there"]);
    expect(await readAgain(folder, () => takeBack(store, done, unwatched()))).toBe("Put back 2 items.");
    expect([await stored(id), pathsOf(folder)]).toEqual([Object.keys(FILES), ["b/", "z/", "a.txt"]]);
    expect(entryAt(folder, "a.txt").key).toBe(fileId("a.txt"));
    expect(treeOf(store)).toEqual(["", "b/", "z/"]);
  });

  test("from another drive", async () => {
    const [one, other] = [await driveWith(FILES), await driveWith()];
    using shown = await show(one.id);
    const done = await moved(shown, "", other.id);
    expect(await stored(one.id)).toEqual(["z/there"]);
    await takeBack(shown.store, done, unwatched());
    expect([await stored(one.id), await stored(other.id)]).toEqual([Object.keys(FILES), []]);
  });

  test("but not over what stands there by now", async () => {
    const shown = await newDrive(FILES);
    const done = await moved(shown, "z/");
    await putFile(bench.owner, shown.id, "a.txt");
    expect(await takeBack(shown.store, done, unwatched())).toContain("a.txt");
    expect(await stored(shown.id)).toEqual(["a.txt", "b/c.txt", "b/d/e.txt", "z/a.txt", "z/there"]);
  });
});

test("a copy is nothing to take back", async () => {
  const done: Done[] = [];
  const onDone = (some: Done) => void done.push(some);
  await transfer(await newDrive(FILES), "copy", ["a.txt"], "z/", { onDone });
  expect(done).toEqual([{ paths: ["a.txt"], undo: null }]);
});

/** Shows the top of a drive, leaves it, does something meanwhile, and comes back: what was asked for then. */
async function comeBack(
  meanwhile: (store: DriveStore, made: Awaited<ReturnType<typeof driveWith>>) => unknown,
  { isFollowed = true, memory = new Map<string, unknown>() } = {},
): Promise<readonly string[]> {
  const made = await driveWith({ "a.txt": 1, "box/b.txt": 1 });
  const store = new DriveStore(made.id);
  if (isFollowed) store.begin();
  {
    using _ = await show(store);
  }
  {
    using _ = await show(store, "box/");
    await meanwhile(store, made);
  }
  const { length } = bench.requests.sent;
  using again = await show(store, "", memory);
  expect(pathsOf(again.folder)).toEqual(["box/", "a.txt"]);
  await expectAsOnServer(again.folder);
  return bench.requests.listsSince(length).slice(0, -2);
}

/** What the page is told once its person has changed a file. */
async function changeFile(
  store: DriveStore,
  { fileId }: { fileId: (path: string) => string },
): Promise<void> {
  store.fileChanged(await recordOf(fileId("a.txt")));
}

describe("who comes back to a folder", () => {
  const ASKED = [expect.stringContaining("/v0/folders?"), expect.stringContaining("/v0/files?")];

  test("sees its list at once, and asks for nothing, where nothing has changed", async () => {
    expect(await comeBack(() => {})).toEqual([]);
  });

  test("asks where one has changed something oneself, or others have", async () => {
    expect(await comeBack(changeFile)).toEqual(ASKED);
    expect(await comeBack((store) => store.tell([]))).toEqual(ASKED);
    expect(await comeBack((store) => store.reload())).toEqual(ASKED);
  });

  test("asks where nobody tells of changes, and for another order", async () => {
    expect(await comeBack(() => {}, { isFollowed: false })).toEqual(ASKED);
    const memory = new Map([["sort", { key: "size", descending: true }]]);
    expect(await comeBack(() => {}, { memory })).toEqual(ASKED);
  });
});
