import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { releaserOf } from "../../../src/db/contents/blobs.ts";
import { PIECE_ROWS } from "../../../src/domain/folders/piece.ts";
import { advance, type Progress, type Reached, START } from "../../../src/services/folders/phases.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { type OpenedDrive, openWithDrive, storeFile } from "../../support/server/services-drive.ts";

/** Paths in `m/`. */
function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `m/${String(n).padStart(5, "0")}`);
}

const createFolders = ({ services, caller, drive }: OpenedDrive) =>
  Promise.all(numbered(2200).map((path) => services.folders.create(caller, drive, `${path}/`)));

const removeFolder = ({ services, caller, drive }: OpenedDrive, path = "m/") =>
  services.folders.remove(caller, drive, path);

/** Uploads files, each with its path as content unless there is another for all. */
const put =
  (text?: string, paths: readonly string[] = numbered(300)) =>
  async (world: OpenedDrive) => {
    for (const path of paths) await storeFile(world, path, text ?? path);
  };

function restore({ services, caller, drive }: OpenedDrive, snapshot: string): Promise<unknown> {
  return services.snapshots.restore(caller, drive, snapshot, undefined);
}

async function take({ services, caller, drive }: OpenedDrive): Promise<string> {
  return (await services.snapshots.create(caller, drive, undefined)).id;
}

function newestSnapshot({ services, caller, drive }: OpenedDrive): string {
  const { snapshots } = services.snapshots.list(caller, drive, { limit: 1, before: null });
  return snapshots[0]?.id ?? "";
}

function ids({ database }: OpenedDrive): Set<unknown> {
  return new Set(database.sql.query("SELECT id FROM file").values().flat());
}

function contents({ database }: OpenedDrive): unknown {
  const queries = ["id, path, filename, blob FROM file", "path FROM folder"];
  return queries.map((each) => database.sql.query(`SELECT ${each} ORDER BY path`).values());
}

type Change = (world: OpenedDrive) => Promise<unknown>;

/** What is done before a snapshot, and after it. */
const SHAPES: Readonly<Record<string, { readonly before?: Change; readonly after?: Change }>> = {
  "thousands of empty folders that the snapshot does not have": { after: createFolders },
  "thousands of empty folders after the last that it has": { before: createFolders },
  "thousands of empty folders that are gone": { before: createFolders, after: removeFolder },
  "many files that are gone": { before: put("x"), after: removeFolder },
  "many files that it does not have": { after: put("x") },
  "many files that have changed": { before: put("before"), after: put("after") },
  "a file where a folder was, a folder where a file was, and two files that changed places": {
    before: async (world) => {
      await put("before", numbered(100))(world);
      await put(undefined, ["file", "folder/in/it", "x", "y"])(world);
    },
    after: async (world) => {
      const { services, caller, drive } = world;
      const move = (from: string, path: string) => {
        const to = { driveId: undefined, path, onConflict: "fail" as const };
        return services.files.move(caller, { drive, path: from }, to, UNCONDITIONAL);
      };
      await removeFolder(world, "folder/");
      await storeFile(world, "folder", "now a file");
      await move("file", "away/file");
      await storeFile(world, "file/in/it", "now a folder");
      await move("x", "t");
      await move("y", "x");
      await move("t", "y");
      await put("after", numbered(100))(world);
    },
  },
};

test.each(Object.entries(SHAPES))(
  "a restore ends, and hides no file that is there before and after it: %s",
  async (_, { before, after }) => {
    await using world = await openWithDrive();
    await put(undefined, ["a/one.txt", "z/two.txt"])(world);
    await before?.(world);
    const [had, were] = [contents(world), ids(world)];
    const snapshot = await take(world);
    await storeFile(world, "z/two.txt", "changed");
    await after?.(world);
    const stay = ids(world).intersection(were);

    const state = { isDone: false };
    const done = restore(world, snapshot).finally(() => {
      state.isDone = true;
    });
    const hidden = new Set<unknown>();
    while (!state.isDone) {
      await nextTurn();
      for (const id of stay.difference(ids(world))) hidden.add(id);
    }
    await done;
    expect([[...hidden], contents(world)]).toEqual([[], had]);
  },
);

test("the snapshot that undoes a restore makes no room for others before its end, and cannot be deleted", async () => {
  await using world = await openWithDrive();
  const { services, tables, clock, caller, drive } = world;
  const found = tables.drives.byId(drive, clock.now());
  if (found === null) throw new Error("the drive is missing");
  const oldest = () => tables.snapshots.oldestAutomatic(releaserOf(found))?.id;
  await put("before")(world);
  const snapshot = await take(world);
  await put("after")(world);
  const changed = contents(world);
  const order: string[] = [];
  const restored = restore(world, snapshot).then(() => order.push("restored", oldest() ?? "none"));
  while (newestSnapshot(world) === snapshot) await nextTurn();
  const undo = newestSnapshot(world);
  expect(oldest()).toBeUndefined();
  const removed = services.snapshots.remove(caller, drive, undo).then(() => order.push("deleted"));
  await Promise.all([restored, removed]);
  expect(order).toEqual(["restored", undo, "deleted"]);
  expect(contents(world)).not.toEqual(changed);
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
