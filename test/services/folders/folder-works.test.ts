import { describe, expect, spyOn, test } from "bun:test";
import { ROOT } from "../../../src/domain/files/path.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { eventually } from "../../support/server/scenario.ts";
import { type OpenedServices, openServicesIn, storeFile } from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";
import { longTest, someOf } from "../../support/server/thorough.ts";
import { beginWork, openForWork, recordedWorks, type WorkDrive } from "../../support/server/works.ts";

/** More than fit into a few pieces. */
const FILES = 1000;

/** How many files are in `many/`, in `x/more/` and in the trash. */
type Places = readonly [many: number, more: number, trash: number];

function filesIn({ count }: OpenedServices): Places {
  const below = (folder: string) => count(`file WHERE path LIKE '${folder}%'`);
  return [below("many/"), below("x/more/"), count("trash_file")];
}

/** The places, after files were added to these folders. */
function withNew([many, more, trash]: Places, ...folders: readonly string[]): Places {
  const added = (folder: string) => folders.filter((each) => each === folder).length;
  return [many + added("many/"), more + added("x/more/"), trash];
}

function idOf({ database }: OpenedServices, path: string): string {
  return String(database.sql.query("SELECT id FROM file WHERE path = ?").values(path)[0]?.[0]);
}

/** The paths of the folders at the top. */
function foldersOf({ services, caller, drive }: WorkDrive): string[] {
  const { folders } = services.folders.list(caller, {
    driveId: drive,
    path: "",
    sort: "path",
    page: 1,
    limit: 9,
    after: null,
  });
  return folders.map(({ folder }) => folder.path);
}

const UNAVAILABLE = { status: "rejected", reason: { code: "UNAVAILABLE" } };

/** Where the files are before and after a work, and what folders writes wait for. */
const WORKS = [
  { kind: "copy", before: [FILES, 0, 0], done: [FILES, FILES, 0], held: ["many/", "x/", "x/more/"] },
  { kind: "move", before: [FILES, 0, 0], done: [0, FILES, 0], held: ["many/", "x/", "x/more/"] },
  { kind: "remove", before: [FILES, 0, 0], done: [0, 0, FILES], held: ["many/"] },
  { kind: "restore", before: [0, 0, FILES], done: [0, FILES, 0], held: ["x/", "x/more/"] },
] as const;

describe.each(WORKS)("a folder in several pieces: $kind", ({ kind, before, done, held }) => {
  const isOdd = WORKS.findIndex((work) => work.kind === kind) % 2 === 1;
  const open = () => openForWork(kind, FILES);
  // Each is tried with every other kind in an ordinary run.
  const itOfEven = testWith(open, isOdd ? longTest : test);
  const itOfOdd = testWith(open, isOdd ? test : longTest);
  const begin = (world: WorkDrive) => beginWork(world, kind);
  /** Begins it, and waits until it is under way. */
  const begun = async (world: WorkDrive) => {
    const ended = begin(world);
    await eventually(() => recordedWorks(world) === 1);
    return { ended };
  };

  itOfEven("after each of them the counts are right, and a file that moves is found", async (world) => {
    const id = idOf(world, "many/0000700.txt");
    const faults: string[] = [];
    const halves = new Set<string>();
    using meter = new WriteMeter(world.database, () => {
      faults.push(...faultsOfTrees(world.database.sql));
      if (kind === "copy" || kind === "move")
        expect(world.services.files.get(world.caller, { id }).id === id).toBe(true);
      halves.add(String(filesIn(world)));
    });
    await begin(world);
    expect(faults).toEqual([]);
    expect(meter.count).toBeGreaterThan(4);
    expect(halves.size).toBeGreaterThan(4);
    expect([filesIn(world), recordedWorks(world)]).toEqual([done, 0]);
    expect(world.count("trash")).toBe(kind === "remove" ? 1 : 0);
  });

  itOfOdd("a write into it waits for the end, and is there afterwards", async (world) => {
    const order: string[] = [];
    const { ended } = await begun(world);
    const change = ended.then(() => order.push("change"));
    const inside = held.map(async (folder) => {
      const { created } = await storeFile(world, `${folder}new.txt`);
      order.push("upload");
      expect([created, world.count(`file WHERE path = '${folder}new.txt'`)]).toEqual([true, 1]);
    });
    await Promise.all([change, storeFile(world, "many.txt"), ...inside]);
    expect(order[0]).toBe("change");
    expect(filesIn(world)).toEqual(withNew(done, ...held));
    expect(faultsOfTrees(world.database.sql)).toEqual([]);
  });

  itOfEven("what fails far down leaves all as it was, and a removal is finished later", async (world) => {
    const { database, services } = world;
    const event = { copy: "INSERT", move: "UPDATE", remove: "DELETE", restore: "INSERT" }[kind];
    const path = kind === "remove" ? "OLD.path = 'many/0000900.txt'" : "NEW.path = 'x/more/0000900.txt'";
    database.sql.run(
      `CREATE TRIGGER sabotage BEFORE ${event} ON file WHEN ${path} BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
    );
    const { ended } = await begun(world);
    const upload = storeFile(world, "many/new.txt");
    const outcomes = await Promise.allSettled([ended, upload]);
    database.sql.run("DROP TRIGGER sabotage");
    if (kind === "remove") {
      expect(outcomes).toMatchObject([UNAVAILABLE, UNAVAILABLE]);
      expect(recordedWorks(world)).toBe(1);
      expect(filesIn(world)[0]).toBeLessThan(FILES);
      await services.folderWorks.stop();
      await using again = await openServicesIn(world.root);
      again.services.folderWorks.start();
      await eventually(() => recordedWorks(again) === 0);
      expect(filesIn(again)).toEqual(done);
    } else {
      expect(outcomes[0]).toMatchObject({ reason: { message: "sabotaged" } });
      expect([filesIn(world), recordedWorks(world)]).toEqual([withNew(before, "many/"), 0]);
      // Nor are the folders left that were made for it.
      expect(foldersOf(world)).toEqual(["many/"]);
      expect(faultsOfTrees(database.sql)).toEqual([]);
      await begin(world);
      expect(filesIn(world)[1]).toBeGreaterThanOrEqual(FILES);
    }
    expect(faultsOfTrees(database.sql)).toEqual([]);
  });

  itOfEven(
    "what a stop cuts off is taken back at the next start, and a removal carried to its end",
    async (world) => {
      const { ended } = await begun(world);
      const [folder] = held;
      const outcomes = Promise.allSettled([ended, storeFile(world, `${folder}new.txt`)]);
      await world.services.folderWorks.stop();
      expect(await outcomes).toMatchObject([UNAVAILABLE, UNAVAILABLE]);
      expect(filesIn(world)).not.toEqual(done);
      await using again = await openServicesIn(world.root);
      const later = { ...world, ...again };
      // Not even before it has begun again does anything get in between.
      const early = storeFile(later, `${folder}early.txt`);
      again.services.folderWorks.start();
      await early;
      expect([filesIn(again), recordedWorks(again)]).toEqual([
        withNew(kind === "remove" ? done : before, folder),
        0,
      ]);
      expect(faultsOfTrees(again.database.sql)).toEqual([]);
      await begin(later);
      expect(filesIn(again)[1]).toBeGreaterThanOrEqual(done[1]);
      expect(faultsOfTrees(again.database.sql)).toEqual([]);
    },
  );

  itOfOdd("a drive that is deleted on the way ends it", async (world) => {
    const { services, caller, drive } = world;
    const { ended } = await begun(world);
    const [outcome] = await Promise.allSettled([ended, services.drives.remove(caller, drive)]);
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
    await eventually(() => recordedWorks(world) === 0);
    await services.sweep.run();
    expect(["drive", "trash", "trash_file"].map(world.count)).toEqual([0, 0, 0]);
  });
});

test.each(someOf(["copy", "move", "remove"], 2))(
  "a change of a file in it by its id waits, too: %s",
  async (kind) => {
    await using world = await openForWork(kind, FILES);
    const { services, caller, database } = world;
    const id = idOf(world, "many/0000900.txt");
    const change = beginWork(world, kind);
    await eventually(() => recordedWorks(world) === 1);
    const unset = { filename: undefined, path: undefined, metadata: undefined, expiresAt: undefined };
    const changed = services.files.update(caller, { id }, { ...unset, tags: ["new"] }, UNCONDITIONAL);
    const [outcome] = await Promise.allSettled([changed, change]);
    expect(outcome).toMatchObject(
      kind === "remove"
        ? { status: "rejected", reason: { code: "NOT_FOUND" } }
        : { value: { path: kind === "move" ? "x/more/0000900.txt" : "many/0000900.txt", tags: ["new"] } },
    );
    expect(faultsOfTrees(database.sql)).toEqual([]);
  },
);

const it = testWith(() => openForWork("copy", FILES));

test("what is being restored can be restored or deleted for good by nobody else", async () => {
  await using world = await openForWork("restore", FILES);
  const { services, caller, drive, entry } = world;
  const restored = beginWork(world, "restore");
  await eventually(() => recordedWorks(world) === 1);
  const outcomes = await Promise.allSettled([
    services.trash.restore(caller, entry, undefined),
    services.trash.remove(caller, entry),
    services.trash.empty(caller, drive),
    restored,
  ]);
  expect(outcomes).toMatchObject([
    { reason: { code: "NOT_FOUND" } },
    { reason: { code: "NOT_FOUND" } },
    { value: { entries: 0 } },
    { status: "fulfilled" },
  ]);
  expect(faultsOfTrees(world.database.sql)).toEqual([]);
});

it("of two moves to one place one wins, and the other is refused once it has", async (world) => {
  const { services, caller, drive, database } = world;
  await services.folders.create(caller, drive, "other/");
  const first = beginWork(world, "move");
  const to = { path: "x/more/", driveId: undefined };
  const outcomes = await Promise.allSettled([first, services.folders.move(caller, drive, "other/", to)]);
  expect(outcomes).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "CONFLICT" } },
  ]);
  expect([filesIn(world), faultsOfTrees(database.sql)]).toEqual([[0, FILES, 0], []]);
});

it("a drive is deleted only once what a move brings into it is there", async (world) => {
  const { services, caller, drive } = world;
  const { id: other } = await services.drives.create(caller, "Other", "");
  const order: string[] = [];
  const moved = services.folders
    .move(caller, drive, "many/", { path: "many/", driveId: other })
    .then(() => order.push("moved"));
  await eventually(() => recordedWorks(world) === 1);
  await Promise.all([moved, services.drives.remove(caller, other).then(() => order.push("deleted"))]);
  expect([order, filesIn(world)[0], foldersOf(world)]).toEqual([["moved", "deleted"], FILES, []]);
});

test("the answer is given in the transaction that decides: the last, but the first of a removal", async () => {
  const left: Partial<Record<string, number>> = {};
  for (const kind of ["copy", "move", "remove"] as const) {
    await using world = await openForWork(kind, FILES);
    await beginWork(world, kind, () => {
      [left[kind]] = filesIn(world);
    });
  }
  expect(left).toMatchObject({ copy: FILES, move: 0 });
  expect(left["remove"]).toBeGreaterThan(0);
});

it("a piece that was undone and runs again, as on a full disk, copies each file once", async (world) => {
  const { database, tables } = world;
  // Undoes each piece of the copy after the first once, and runs it again, as the queue of writes does.
  const write = spyOn(tables, "write").mockImplementation((job, within) =>
    database.write(() => {
      if (recordedWorks(world) === 0) return job();
      database.sql.run("SAVEPOINT first_time");
      job();
      database.sql.run("ROLLBACK TO first_time");
      return job();
    }, within),
  );
  await beginWork(world, "copy");
  write.mockRestore();
  expect([filesIn(world), recordedWorks(world), faultsOfTrees(database.sql)]).toEqual([
    [FILES, FILES, 0],
    0,
    [],
  ]);
});

it("a removal that meets a full disk tells that it goes on by itself", async (world) => {
  const { sql } = world.database;
  const removed = beginWork(world, "remove", () => sql.run("PRAGMA max_page_count = 1"));
  expect(await Promise.allSettled([removed])).toMatchObject([
    { reason: { code: "STORAGE_FULL", message: expect.stringContaining("goes on by itself") } },
  ]);
});

it("a change that begins does not get the number of one whose record is gone, and which may still be running", async (world) => {
  const { database, tables } = world;
  const drive = tables.drives.byId(world.drive, 0);
  if (drive === null) throw new Error("there is no drive");
  const place = { drive: drive.pk, path: ROOT, top: ROOT };
  const record = {
    work: { kind: "remove", from: place, to: null, trash: null },
    progress: { phase: 0, files: 0 },
    fileTotal: null,
    answer: null,
  } as const;
  const inserted = () => database.write(() => tables.folderWorks.insert(record, { now: 0, by: null }));
  const first = await inserted();
  await database.write(() => tables.folderWorks.remove(first));
  expect(await inserted()).toBeGreaterThan(first);
});
