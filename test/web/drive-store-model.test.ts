import { expect, test } from "bun:test";
import { type Entry, fileEntry } from "../../web/lib/files.ts";
import type { Sort, SortKey } from "../../web/lib/files/sort.ts";
import type { FileRecord } from "../../web/lib/api/types.ts";
import { DriveStore } from "../../web/pages/drive/store/drive.ts";
import { follow } from "../../web/pages/drive/store/follow.ts";
import { deleteEntries, transferEntries } from "../../web/pages/drive/store/work.ts";
import { openStoreBench, rowsOf, show, skipAll, unwatched } from "../support/browser/drive-store.ts";
import { Random } from "../support/server/random.ts";
import { eventually } from "../support/server/scenario.ts";
import { someOf } from "../support/server/thorough.ts";

// Whatever is done in the page or elsewhere, in whatever order: the list comes to be what the server has. It asks for
// that only where the answers did not tell it.

const FOLDER = "many/";
/** What names begin with: also letters that UTF-8 and UTF-16 order in another way. */
const LETTERS = ["a", "b", "m", "y", "0", "\u00e4", "\uff5a", "\u{1f5c0}"];

const bench = await openStoreBench();
const elsewhere = await bench.driveWith();

/** Uploads as the queue does: a new file, or another content of one that stands there. */
async function upload(store: DriveStore, path: string, size: number): Promise<void> {
  const query = new URLSearchParams({ drive_id: store.drive, path });
  const body = "y".repeat(size);
  const answer = await bench.owner.client.send("PUT", `/v0/files?${query.toString()}`, { body });
  const file: FileRecord = JSON.parse(answer.text);
  if (answer.status < 300) store.uploaded(fileEntry(file));
  store.settle();
}

/** Whether something is done, and not refused. */
function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Does one thing, by chance; whether the answer to it tells the list everything. */
async function doSomething(
  store: DriveStore,
  rows: readonly Entry[],
  chance: (most: number) => number,
): Promise<boolean> {
  const some = rows.filter(() => chance(Math.max(10, rows.length / 4)) === 0);
  const one = rows[chance(Math.max(1, rows.length))];
  const name = `${LETTERS[chance(LETTERS.length)]}${chance(1000)}`;
  const transfer = async (how: "move" | "copy", toDrive: string, toFolder: string) => {
    const entries = some.filter(({ path }) => path !== toFolder);
    return transferEntries(store, { how, entries, toDrive, toFolder, ask: skipAll }, unwatched());
  };
  switch (chance(7)) {
    case 0:
      return one !== undefined && isDone(store.rename(one, name));
    case 1: {
      const expires_at = chance(2) === 0 ? null : "2999-01-01T00:00:00.000Z";
      return one?.kind === "file" && isDone(store.changeFile(one.key, { tags: [name], expires_at }));
    }
    case 2:
      return isDone(store.makeFolder(`${FOLDER}${name}/`));
    case 3:
      return (await deleteEntries(store, some, unwatched())).length === 0;
    case 4:
      return (await transfer("move", elsewhere.id, `${name}/`)).length === 0;
    case 5: {
      const folder = rows.find(({ kind }) => kind === "folder")?.path ?? `${FOLDER}${name}/`;
      await transfer(chance(2) === 0 ? "move" : "copy", store.drive, folder);
      return false;
    }
    default: {
      const to = chance(2) === 0 ? (one?.path ?? name) : `${FOLDER}${name}/${name}`;
      await upload(store, to.endsWith("/") ? `${to}${name}` : to, chance(5));
      return false;
    }
  }
}

/** What a list of the folder that is loaded now has, whole. */
async function listed(drive: string, sort: Sort): Promise<readonly (Entry | undefined)[]> {
  using fresh = await show(drive, FOLDER, new Map([["sort", sort]]));
  const listing = fresh.folder.listing.peek();
  await listing?.ensure({ first: 0, last: listing.count - 1 });
  return rowsOf(fresh.folder);
}

const RUNS: readonly (readonly [seed: number, files: number, steps: number, by: SortKey, down: boolean])[] = [
  [1, 20, 60, "size", true],
  [5, 20, 60, "size", false],
  [2, 20, 60, "modified", false],
  [6, 20, 60, "modified", true],
  [3, 20, 60, "name", true],
  [4, 20, 60, "name", false],
  [7, 1600, 12, "size", true],
  [8, 1600, 12, "name", true],
  [9, 1600, 12, "name", false],
];

test.each(someOf(RUNS, 2))(
  "seed %d: %d files, %d things are done, ordered by %s, descending: %p",
  async (seed, files, steps, key, descending) => {
    const random = new Random(seed);
    const chance = (most: number) => random.below(most);
    const sort = { key, descending };
    const { store, folder, id } = await bench.newMany(files, new Map([["sort", sort]]));
    const others = new DriveStore(id);
    const happened = await bench.feedOf(id);
    for (let step = 0; step < steps; step += 1) {
      bench.coffer.clock.advance(chance(3));
      const first = chance(files);
      await folder.listing.peek()?.ensure({ first, last: first + 9 });
      const rows = rowsOf(folder).filter((entry) => entry !== undefined);
      const isOwn = chance(2) === 0;
      const { length } = bench.requests.sent;
      const isTold = await doSomething(isOwn ? store : others, rows, chance);
      if (!isOwn) await follow(store, await happened());
      else if (isTold) expect([step, bench.requests.listsSince(length)]).toEqual([step, []]);
      const expected = await listed(id, sort);
      // What the answers did not tell is on its way.
      await eventually(async () => {
        const shown = rowsOf(folder);
        const isRight = shown.every((row, at) => row === undefined || Bun.deepEquals(row, expected[at]));
        return isRight && shown.length === expected.length && (files > 500 || !shown.includes(undefined));
      });
    }
  },
);
