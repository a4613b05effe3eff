import { test } from "bun:test";
import { type Entry, fileEntry } from "../../web/lib/files.ts";
import type { Sort } from "../../web/lib/files/sort.ts";
import type { FileRecord } from "../../web/lib/api/types.ts";
import type { DriveStore } from "../../web/pages/drive/store/drive.ts";
import type { FolderStore } from "../../web/pages/drive/store/folder.ts";
import { deleteEntries, transferEntries } from "../../web/pages/drive/store/work.ts";
import { openStoreBench, rowsOf, show, unwatched } from "../support/browser/drive-store.ts";
import { eventually } from "../support/server/scenario.ts";

// Whatever is done, in whatever order: the list comes to be what the server has.

const FOLDER = "many/";

const bench = await openStoreBench();

/** Numbers below `most` that look random and are the same each time. */
function numbersFrom(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % most;
  };
}

/** Uploads as the queue does: a new file, or another content of one that stands there. */
async function upload(store: DriveStore, path: string, size: number): Promise<void> {
  const query = new URLSearchParams({ drive_id: store.drive, path });
  const body = "y".repeat(size);
  const answer = await bench.owner.client.send("PUT", `/v0/files?${query.toString()}`, { body });
  const file: FileRecord = JSON.parse(answer.text);
  if (answer.status < 300) store.uploaded(fileEntry(file));
  store.settle();
}

/** Does one thing, by chance. */
async function doSomething(
  store: DriveStore,
  rows: readonly Entry[],
  chance: (most: number) => number,
): Promise<void> {
  const some = rows.filter(() => chance(Math.max(10, rows.length / 4)) === 0);
  const one = rows[chance(Math.max(1, rows.length))];
  const name = `${"abcdefghij"[chance(10)]}${chance(1000)}`;
  switch (chance(6)) {
    case 0:
      if (one !== undefined) await store.rename(one, name).catch(() => {});
      return;
    case 1:
      if (one?.kind === "file") await store.changeFile(one.key, { tags: [name] });
      return;
    case 2:
      return store.makeFolder(`${FOLDER}${name}/`);
    case 3:
      await deleteEntries(store, some, unwatched());
      return;
    case 4: {
      const to = rows.find(({ kind }) => kind === "folder")?.path ?? `${FOLDER}${name}/`;
      const entries = some.filter(({ path }) => path !== to);
      const how = chance(2) === 0 ? "move" : "copy";
      await transferEntries(store, { how, entries, toDrive: store.drive, toFolder: to }, unwatched());
      return;
    }
    default: {
      const to = chance(2) === 0 ? (one?.path ?? name) : `${FOLDER}${name}/${name}`;
      return upload(store, to.endsWith("/") ? `${to}${name}` : to, chance(5));
    }
  }
}

/** All rows, loaded for this where they are not. */
async function allRows(folder: FolderStore): Promise<string> {
  const listing = folder.listing.peek();
  await listing?.ensure({ first: 0, last: listing.count - 1 });
  return JSON.stringify(rowsOf(folder));
}

const BY_SIZE: Sort = { key: "size", descending: true };
const BY_TIME: Sort = { key: "modified", descending: false };
const BY_NAME: Sort = { key: "name", descending: true };

test.each([
  [1, 20, 40, BY_SIZE],
  [2, 20, 40, BY_TIME],
  [3, 20, 40, BY_NAME],
  [4, 1100, 10, BY_SIZE],
  [5, 1100, 10, BY_NAME],
])("seed %d: %d files, %d things are done to them, ordered by %j", async (seed, files, steps, sort) => {
  const chance = numbersFrom(seed);
  const { store, folder, id } = await bench.newMany(files, new Map([["sort", sort]]));
  for (let step = 0; step < steps; step += 1) {
    bench.coffer.clock.advance(chance(3));
    await doSomething(
      store,
      rowsOf(folder).filter((entry) => entry !== undefined),
      chance,
    );
    using fresh = await show(id, FOLDER, new Map([["sort", sort]]));
    const expected = await allRows(fresh.folder);
    // What the answers did not tell is on its way.
    await eventually(async () => (await allRows(folder)) === expected);
  }
});
