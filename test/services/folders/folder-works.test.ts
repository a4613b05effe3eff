import { describe, expect, spyOn, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { ROOT } from "../../../src/domain/files/path.ts";
import { copyRows } from "../../support/samples/many-files.ts";
import {
  addCaller,
  type OpenedDrive as World,
  type OpenedServices,
  openServicesIn,
  openWithDrive,
  storeFile,
} from "../../support/server/services-drive.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { eventually } from "../../support/server/scenario.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";

/** More than fit into a few pieces. */
const FILES = 1000;
const KINDS = ["copy", "move", "remove"] as const;
type Kind = (typeof KINDS)[number];

/** A drive with `first.txt` and files like it in `many/`. */
async function open(files = FILES): Promise<World> {
  const world = await openWithDrive();
  const { database } = world;
  const { file } = await storeFile(world, "first.txt");
  await database.write(() => copyRows(database, file.id, files));
  return world;
}

function begin({ services, caller, drive }: World, kind: Kind, within?: () => void): Promise<unknown> {
  const to = { path: "x/more/", driveId: undefined };
  return kind === "remove"
    ? services.folders.remove(caller, drive, "many/", within)
    : services.folders[kind](caller, drive, "many/", to, within);
}

/** A change that has begun, and not ended. */
async function begun(world: World, kind: Kind): Promise<{ ended: Promise<unknown> }> {
  const ended = begin(world, kind);
  await eventually(() => worksIn(world) === 1);
  return { ended };
}

function idOf({ database }: OpenedServices, path: string): string {
  return String(database.sql.query("SELECT id FROM file WHERE path = ?").values(path)[0]?.[0]);
}

function worksIn(world: OpenedServices): number {
  return world.count("folder_work");
}

/** How many files stand in `many/` and in `x/more/`. */
function filesIn(world: OpenedServices): [number, number] {
  const below = (folder: string) => world.count(`file WHERE path LIKE '${folder}%'`);
  return [below("many/"), below("x/more/")];
}

const UNAVAILABLE = { status: "rejected", reason: { code: "UNAVAILABLE" } };
const DONE = { copy: [FILES, FILES], move: [0, FILES], remove: [0, 0] } satisfies Record<
  Kind,
  [number, number]
>;

const it = testWith(open);

describe.each(KINDS)("a folder in several pieces: %s", (kind) => {
  it("after each of them the counts are right, and a file that moves is found", async (world) => {
    const id = idOf(world, "many/0000700.txt");
    const faults: string[] = [];
    const halves: [number, number][] = [];
    using meter = new WriteMeter(world.database, () => {
      faults.push(...faultsOfTrees(world.database.sql));
      if (kind !== "remove") expect(world.services.files.get(world.caller, { id }).id === id).toBe(true);
      halves.push(filesIn(world));
    });
    await begin(world, kind);
    expect(faults).toEqual([]);
    expect(meter.count).toBeGreaterThan(4);
    expect(new Set(halves.map(String)).size).toBeGreaterThan(4);
    expect([filesIn(world), worksIn(world)]).toEqual([DONE[kind], 0]);
  });

  it("a write into it waits for the end, and is there afterwards", async (world) => {
    const order: string[] = [];
    const change = begin(world, kind).then(() => order.push("change"));
    await eventually(() => worksIn(world) === 1);
    const write = async (path: string) => {
      const { created } = await storeFile(world, path);
      order.push("upload");
      expect([created, world.count(`file WHERE path = '${path}'`)]).toEqual([true, 1]);
    };
    const elsewhere = storeFile(world, "many.txt");
    const inside = [
      write("many/new.txt"),
      ...(kind === "remove" ? [] : [write("x/new.txt"), write("x/more/new.txt")]),
    ];
    await Promise.all([change, elsewhere, ...inside]);
    expect(order[0]).toBe("change");
    const [left, made] = DONE[kind];
    expect(filesIn(world)).toEqual([left + 1, made + (kind === "remove" ? 0 : 1)]);
    expect(faultsOfTrees(world.database.sql)).toEqual([]);
  });

  it("a change of one of its files by its id waits, too", async (world) => {
    const { services, caller, database } = world;
    const id = idOf(world, "many/0000900.txt");
    const { ended: change } = await begun(world, kind);
    const changed = services.files.update(
      caller,
      { id },
      { filename: undefined, path: undefined, tags: ["new"], metadata: undefined, expiresAt: undefined },
      UNCONDITIONAL,
    );
    const [outcome] = await Promise.allSettled([changed, change]);
    expect(outcome).toMatchObject(
      kind === "remove"
        ? { status: "rejected", reason: { code: "NOT_FOUND" } }
        : { value: { path: kind === "move" ? "x/more/0000900.txt" : "many/0000900.txt", tags: ["new"] } },
    );
    expect(faultsOfTrees(database.sql)).toEqual([]);
  });

  it("what fails far down leaves all as it was, and a removal is finished later", async (world) => {
    const { database, services, caller, drive } = world;
    const event = { copy: "INSERT", move: "UPDATE", remove: "DELETE" }[kind];
    const path = kind === "remove" ? "OLD.path = 'many/0000900.txt'" : "NEW.path = 'x/more/0000900.txt'";
    database.sql.run(
      `CREATE TRIGGER sabotage BEFORE ${event} ON file WHEN ${path} BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
    );
    const { ended } = await begun(world, kind);
    const upload = storeFile(world, "many/new.txt");
    if (kind === "remove") {
      for (const outcome of await Promise.allSettled([ended, upload]))
        expect(outcome).toMatchObject(UNAVAILABLE);
      expect(worksIn(world)).toBe(1);
      expect(filesIn(world)[0]).toBeLessThan(FILES);
      database.sql.run("DROP TRIGGER sabotage");
      await services.folderWorks.stop();
      await using again = await openServicesIn(world.root);
      again.services.folderWorks.start();
      await eventually(() => worksIn(again) === 0);
      expect(filesIn(again)).toEqual([0, 0]);
    } else {
      const [outcome] = await Promise.allSettled([ended, upload]);
      expect(outcome).toMatchObject({ reason: { message: "sabotaged" } });
      expect([filesIn(world), worksIn(world)]).toEqual([[FILES + 1, 0], 0]);
      // Nor are the folders left that were made for it.
      expect(
        services.folders.list(caller, { driveId: drive, path: "", page: 1, limit: 9, after: null }).folders,
      ).toHaveLength(1);
    }
    expect(faultsOfTrees(database.sql)).toEqual([]);
  });

  it("what a stop cuts off is taken back at the next start, and a removal carried to its end", async (world) => {
    const { ended } = await begun(world, kind);
    const outcomes = Promise.allSettled([ended, storeFile(world, "many/new.txt")]);
    await world.services.folderWorks.stop();
    for (const outcome of await outcomes) expect(outcome).toMatchObject(UNAVAILABLE);
    expect(filesIn(world)).not.toEqual(DONE[kind]);
    await using again = await openServicesIn(world.root);
    // Not even before it has begun again does anything get in between.
    const early = storeFile({ ...world, ...again }, "many/early.txt");
    again.services.folderWorks.start();
    await early;
    expect([filesIn(again), worksIn(again)]).toEqual([[kind === "remove" ? 1 : FILES + 1, 0], 0]);
    expect(faultsOfTrees(again.database.sql)).toEqual([]);
  });

  it("a drive that is deleted on the way ends it", async (world) => {
    const { services, caller, drive } = world;
    const { ended } = await begun(world, kind);
    const [outcome] = await Promise.allSettled([ended, services.drives.remove(caller, drive)]);
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
    await eventually(() => worksIn(world) === 0);
    await services.sweep.run();
    expect(world.count("drive")).toBe(0);
  });
});

it("of two moves to one place one wins, and the other is refused once it has", async (world) => {
  const { services, caller, drive, database } = world;
  await services.folders.create(caller, drive, "other/");
  const first = begin(world, "move");
  const to = { path: "x/more/", driveId: undefined };
  const outcomes = await Promise.allSettled([first, services.folders.move(caller, drive, "other/", to)]);
  expect(outcomes).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "CONFLICT" } },
  ]);
  expect([filesIn(world), faultsOfTrees(database.sql)]).toEqual([DONE.move, []]);
});

it("a drive is deleted only once what a move brings into it is there", async (world) => {
  const { services, database } = world;
  const caller = await addCaller(services, "ada");
  const { id: other } = await services.drives.create(caller, "Other", "");
  database.sql.run("UPDATE drive SET user = (SELECT pk FROM user), expires_at = NULL");
  const order: string[] = [];
  const moved = services.folders
    .move(caller, world.drive, "many/", { path: "many/", driveId: other })
    .then(() => order.push("moved"));
  await eventually(() => worksIn(world) === 1);
  await Promise.all([moved, services.drives.remove(caller, other).then(() => order.push("deleted"))]);
  expect([order, filesIn(world)[0]]).toEqual([["moved", "deleted"], FILES]);
  expect(
    services.folders.list(caller, { driveId: world.drive, path: "", page: 1, limit: 9, after: null }),
  ).toMatchObject({ folders: [] });
});

test("changes of many folders at once, and of the same ones, all come to their ends", async () => {
  await using world = await open(400);
  const { services, caller, drive, database } = world;
  const copy = (from: string, path: string) =>
    services.folders.copy(caller, drive, from, { path, driveId: undefined });
  const move = (from: string, path: string) =>
    services.folders.move(caller, drive, from, { path, driveId: undefined });
  await Promise.all(Array.from({ length: 6 }, (_, n) => copy("many/", `c/${n}/`)));
  const outcomes = await Promise.allSettled([
    move("c/0/", "d/0/"),
    move("c/1/", "d/"),
    copy("c/2/", "c/0/again/"),
    services.folders.remove(caller, drive, "c/3/"),
    move("c/4/", "e/f/g/"),
    services.folders.remove(caller, drive, "c/"),
    copy("many/", "c/5/"),
  ]);
  for (const outcome of outcomes.filter(({ status }) => status === "rejected")) {
    expect(outcome).toMatchObject({ reason: { code: expect.stringMatching(/^(CONFLICT|NOT_FOUND)$/) } });
  }
  expect([worksIn(world), faultsOfTrees(database.sql)]).toEqual([0, []]);
});

test("the answer is given in the transaction that decides: the last, but the first of a removal", async () => {
  for (const kind of KINDS) {
    await using world = await open();
    let left = -1;
    await begin(world, kind, () => {
      left = filesIn(world)[0];
    });
    expect([kind, kind === "remove" ? left > 0 : left]).toEqual([
      kind,
      { copy: FILES, move: 0, remove: true }[kind],
    ]);
  }
});

it("a piece that was undone and runs again, as on a full disk, copies each file once", async (world) => {
  const { services, database, tables, caller, drive } = world;
  // Undoes each piece of the copy after the first once, and runs it again, as the queue of writes does.
  const write = spyOn(tables, "write").mockImplementation((job, within) =>
    database.write(() => {
      if (worksIn(world) === 0) return job();
      database.sql.run("SAVEPOINT first_time");
      job();
      database.sql.run("ROLLBACK TO first_time");
      return job();
    }, within),
  );
  await services.folders.copy(caller, drive, "many/", { path: "x/more/", driveId: undefined });
  write.mockRestore();
  expect([filesIn(world), worksIn(world), faultsOfTrees(database.sql)]).toEqual([DONE.copy, 0, []]);
});

it("a removal that meets a full disk tells that it goes on by itself", async (world) => {
  const { sql } = world.database;
  const failure: unknown = await begin(world, "remove", () => sql.run("PRAGMA max_page_count = 1")).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: "STORAGE_FULL",
    message: expect.stringContaining("goes on by itself"),
  });
});

test("a change that begins does not get the number of one whose record is gone, and which may still be running", async () => {
  await using world = await open(0);
  const { database, tables } = world;
  const drive = tables.drives.byId(world.drive, 0);
  if (drive === null) throw new Error("there is no drive");
  const place = { drive: drive.pk, path: ROOT, top: ROOT };
  const inserted = () =>
    database.write(() =>
      tables.folderWorks.insert(
        {
          work: { kind: "remove", from: place, to: null, trash: null },
          progress: { phase: 0, files: 0 },
          fileTotal: null,
          answer: null,
        },
        { now: 0, by: null },
      ),
    );
  const first = await inserted();
  await database.write(() => tables.folderWorks.remove(first));
  expect(await inserted()).toBeGreaterThan(first);
});
