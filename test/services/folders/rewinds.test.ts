import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { releaserOf } from "../../../src/db/contents/blobs.ts";
import { PIECE_ROWS } from "../../../src/domain/folders/piece.ts";
import type { FileId } from "../../../src/domain/id.ts";
import { advance, type Progress, type Reached, START } from "../../../src/services/folders/phases.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { type OpenedDrive, openWithDrive, storeFile } from "../../support/server/services-drive.ts";

/** A drive of its own, and what a test does with it. */
class Place implements AsyncDisposable {
  readonly opened: OpenedDrive;

  private constructor(opened: OpenedDrive) {
    this.opened = opened;
  }

  static async open(): Promise<Place> {
    const opened = await openWithDrive();
    opened.services.folderWorks.start();
    return new Place(opened);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.opened[Symbol.asyncDispose]();
  }

  async put(path: string, text: string): Promise<void> {
    await storeFile(this.opened, path, text);
  }

  async makeFolders(count: number): Promise<void> {
    const { folders } = this.opened.services;
    const names = Array.from({ length: count }, (_, n) => `m/${String(n).padStart(5, "0")}/`);
    await Promise.all(names.map((path) => folders.create(this.opened.caller, this.opened.drive, path)));
  }

  async putMany(count: number, text: string): Promise<void> {
    for (let n = 0; n < count; n += 1) await this.put(`m/${String(n).padStart(5, "0")}`, text);
  }

  async removeFolder(path: string): Promise<void> {
    await this.opened.services.folders.remove(this.opened.caller, this.opened.drive, path);
  }

  async move(path: string, to: string): Promise<void> {
    const [file] = this.#files().filter((each) => each.path === path);
    if (file === undefined) throw new Error(`${path} is missing`);
    const destination = { driveId: undefined, path: to, overwrite: false };
    await this.opened.services.files.move(this.opened.caller, { id: file.id }, destination, UNCONDITIONAL);
  }

  async take(): Promise<string> {
    return (await this.opened.services.snapshots.create(this.opened.caller, this.opened.drive, undefined)).id;
  }

  restore(snapshot: string): Promise<unknown> {
    return this.opened.services.snapshots.restore(this.opened.caller, this.opened.drive, snapshot, undefined);
  }

  removeSnapshot(snapshot: string): Promise<string> {
    return this.opened.services.snapshots.remove(this.opened.caller, this.opened.drive, snapshot);
  }

  newestSnapshot(): string {
    const { snapshots } = this.opened.services.snapshots.list(this.opened.caller, this.opened.drive, {
      limit: 1,
      before: null,
    });
    return snapshots[0]?.id ?? "";
  }

  #files() {
    const sql = "SELECT id, path, filename, blob AS content FROM file ORDER BY path";
    return this.opened.database.sql.query<{ id: FileId; path: string; content: number }, []>(sql).all();
  }

  ids(): Set<string> {
    return new Set(this.#files().map(({ id }) => id));
  }

  contents(): unknown {
    const folders = this.opened.database.sql.query("SELECT path FROM folder ORDER BY path").values().flat();
    return { files: this.#files(), folders };
  }
}

const SHAPES: Readonly<Record<string, Partial<Record<"before" | "after", (drive: Place) => Promise<void>>>>> =
  {
    "thousands of empty folders that the snapshot does not have": {
      after: (drive) => drive.makeFolders(2200),
    },
    "thousands of empty folders after the last that it has": {
      before: (drive) => drive.makeFolders(2200),
    },
    "thousands of empty folders that are gone": {
      before: (drive) => drive.makeFolders(2200),
      after: (drive) => drive.removeFolder("m/"),
    },
    "many files that are gone": {
      before: (drive) => drive.putMany(300, "x"),
      after: (drive) => drive.removeFolder("m/"),
    },
    "many files that it does not have": {
      after: (drive) => drive.putMany(300, "x"),
    },
    "many files that have changed": {
      before: (drive) => drive.putMany(300, "before"),
      after: (drive) => drive.putMany(300, "after"),
    },
    "a file where a folder was, a folder where a file was, and two files that changed places": {
      before: async (drive) => {
        await drive.putMany(100, "before");
        for (const path of ["file", "folder/in/it", "x", "y"]) await drive.put(path, path);
      },
      after: async (drive) => {
        await drive.removeFolder("folder/");
        await drive.put("folder", "now a file");
        await drive.move("file", "away/file");
        await drive.put("file/in/it", "now a folder");
        await drive.move("x", "t");
        await drive.move("y", "x");
        await drive.move("t", "y");
        await drive.putMany(100, "after");
      },
    },
  };

test.each(Object.entries(SHAPES))(
  "a restore ends, and hides no file that is there before and after it: %s",
  async (_, { before, after }) => {
    await using drive = await Place.open();
    await drive.put("a/one.txt", "one");
    await drive.put("z/two.txt", "two");
    await before?.(drive);
    const then = { contents: drive.contents(), ids: drive.ids() };
    const snapshot = await drive.take();
    await drive.put("z/two.txt", "changed");
    await after?.(drive);
    const now = drive.ids();
    const stay = [...then.ids].filter((id) => now.has(id));

    const state = { isDone: false };
    const done = drive.restore(snapshot).finally(() => {
      state.isDone = true;
    });
    const hidden = new Set<string>();
    while (!state.isDone) {
      await nextTurn();
      const present = drive.ids();
      for (const id of stay) if (!present.has(id)) hidden.add(id);
    }
    await done;
    expect([[...hidden], drive.contents()]).toEqual([[], then.contents]);
  },
);

test("the snapshot that undoes a restore cannot be deleted before its end", async () => {
  await using drive = await Place.open();
  await drive.putMany(200, "before");
  const snapshot = await drive.take();
  await drive.putMany(200, "after");
  const changed = drive.contents();
  const order: string[] = [];
  const restored = drive.restore(snapshot).then(() => order.push("restored"));
  while (drive.newestSnapshot() === snapshot) await nextTurn();
  const undo = drive.newestSnapshot();
  const removed = drive.removeSnapshot(undo).then(() => order.push("deleted"));
  await Promise.all([restored, removed]);
  expect(order).toEqual(["restored", "deleted"]);
  expect(drive.contents()).not.toEqual(changed);
});

test("the snapshot that undoes a restore does not make room for others before its end", async () => {
  await using drive = await Place.open();
  const { tables, clock, drive: id } = drive.opened;
  const { snapshots } = tables;
  const found = tables.drives.byId(id, clock.now());
  if (found === null) throw new Error("the drive is missing");
  const owner = releaserOf(found);
  await drive.putMany(200, "before");
  const snapshot = await drive.take();
  await drive.putMany(200, "after");
  const restored = drive.restore(snapshot);
  while (drive.newestSnapshot() === snapshot) await nextTurn();
  expect(snapshots.oldestAutomatic(owner)).toBeNull();
  await restored;
  expect(snapshots.oldestAutomatic(owner)).toMatchObject({ id: drive.newestSnapshot() });
});

function at(after: string | null): Progress {
  return { phase: 0, after, files: 0 };
}

const reached = (progress: Progress): Reached => ({ progress, files: 0 });
const stamp = { now: 0, by: null };

test("a piece that gets nowhere is tried larger, and in the end refused", () => {
  const stalls: number[] = [];
  const onStall = (rows: number) => stalls.push(rows);
  // As a phase that reads more than a piece holds before it finds something.
  const needs = (rows: number) =>
    advance({
      begun: at("a"),
      phases: [
        (piece) => {
          piece.takeReads(rows * 4);
          return piece.isFull ? at("a") : at("b");
        },
      ],
      stamp,
      onStall,
    });
  expect([needs(PIECE_ROWS - 1), stalls]).toEqual([reached(at("b")), []]);
  expect([needs(PIECE_ROWS * 2), stalls]).toEqual([reached(at("b")), [PIECE_ROWS]]);
  expect(() => advance({ begun: START, phases: [() => START], stamp, onStall })).toThrow("cannot go on");
  expect(stalls).toHaveLength(4);
});

/** A piece that changes so many rows, and has no position. */
function takes(rows: number): Reached {
  return advance({
    begun: START,
    phases: [
      (piece) => {
        piece.takeRows(rows);
        return START;
      },
    ],
    stamp,
    onStall: () => {},
  });
}

test("a piece without a position gets further by what it takes away", () => {
  expect(takes(1)).toEqual(reached(START));
  expect(() => takes(0)).toThrow();
});
