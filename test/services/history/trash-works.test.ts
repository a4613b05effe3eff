import { expect } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import type { TrashId } from "../../../src/domain/id.ts";
import { copyRows } from "../../support/samples/many-files.ts";
import {
  type OpenedDrive,
  type OpenedServices,
  openServicesIn,
  openWithDrive,
  storeFile,
} from "../../support/server/services-drive.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { eventually } from "../../support/server/scenario.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";

/** More than fit into a few pieces. */
const FILES = 300;

interface World extends OpenedDrive {
  /** The entry of `many/`. */
  readonly entry: TrashId;
}

/** A drive with `first.txt`, and files like it in `many/`, which is in the trash. */
async function open(): Promise<World> {
  const opened = await openWithDrive();
  const { services, database, caller, drive } = opened;
  const id = await uploadAt(opened, "first.txt");
  await database.write(() => copyRows(database, id, FILES));
  const { trashId: entry } = await services.folders.remove(caller, drive, "many/");
  if (entry === null) throw new Error("the folder is not in the trash");
  return { ...opened, entry };
}

async function uploadAt(world: OpenedDrive, path: string, expiresAt?: string): Promise<string> {
  return (await storeFile(world, path, "x", { expiresAt })).file.id;
}

function restore({ services, caller, entry }: World): Promise<unknown> {
  return services.trash.restore(caller, entry, "x/more/");
}

/** How many files are in the trash, and how many are where they are restored to. */
function filesIn(world: OpenedServices): [number, number] {
  return [world.count("trash_file"), world.count("file WHERE path GLOB 'x/more/[0-9n]*'")];
}

const TRASHED: [number, number] = [FILES, 0];
const RESTORED: [number, number] = [0, FILES];

/** Nothing of a restore is left, and it can be done again. */
async function expectUndone(world: World): Promise<void> {
  await eventually(() => world.count("folder_work") === 0);
  expect([filesIn(world), world.count("folder WHERE path LIKE 'x/%'")]).toEqual([TRASHED, 0]);
  expect(world.services.trash.get(world.caller, world.entry)).toMatchObject({
    path: "many/",
    fileCount: FILES,
  });
  expect(faultsOfTrees(world.database.sql)).toEqual([]);
  await restore(world);
  expect([filesIn(world), world.count("trash")]).toEqual([RESTORED, 0]);
  expect(faultsOfTrees(world.database.sql)).toEqual([]);
}

const it = testWith(open);

it("after each piece of a removal and a restore the counts are right", async (world) => {
  const { services, caller, drive, database } = world;
  const faults: string[] = [];
  const halves = new Set<string>();
  using meter = new WriteMeter(database, () => {
    faults.push(...faultsOfTrees(database.sql));
    halves.add(String(filesIn(world)));
  });
  await restore(world);
  expect([filesIn(world), world.count("trash"), world.count("folder_work")]).toEqual([RESTORED, 0, 0]);
  const { trashId } = await services.folders.remove(caller, drive, "x/");
  expect(trashId === null ? null : services.trash.get(caller, trashId)).toMatchObject({ fileCount: FILES });
  expect(meter.count).toBeGreaterThan(8);
  expect(halves.size).toBeGreaterThan(4);
  expect(faults).toEqual([]);
});

it("writes to its destination and to its entry wait for a restore", async (world) => {
  const { services, caller, drive, entry } = world;
  const restored = restore(world).then(() => world.count("folder_work"));
  await eventually(() => world.count("folder_work") === 1);
  const outcomes = await Promise.allSettled([
    restored,
    uploadAt(world, "x/more/new.txt").then(() => filesIn(world)),
    services.trash.restore(caller, entry, undefined),
    services.trash.remove(caller, entry),
    services.trash.empty(caller, drive),
  ]);
  expect(outcomes).toMatchObject([
    { value: 0 },
    { value: [0, FILES + 1] },
    { reason: { code: "NOT_FOUND" } },
    { reason: { code: "NOT_FOUND" } },
    { value: { entries: 0 } },
  ]);
  expect(faultsOfTrees(world.database.sql)).toEqual([]);
});

it("what fails far down leaves all in the trash", async (world) => {
  const { database } = world;
  database.sql.run(
    `CREATE TRIGGER sabotage BEFORE INSERT ON file WHEN NEW.path = 'x/more/0000250.txt'
     BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
  );
  const [outcome] = await Promise.allSettled([restore(world)]);
  expect(outcome).toMatchObject({ reason: { message: "sabotaged" } });
  database.sql.run("DROP TRIGGER sabotage");
  await expectUndone(world);
});

it("what a stop cuts off is in the trash again after the next start", async (world) => {
  const ended = restore(world);
  await eventually(() => world.count("folder_work") === 1);
  const outcome = Promise.allSettled([ended]);
  await world.services.folderWorks.stop();
  expect(await outcome).toMatchObject([{ status: "rejected", reason: { code: "UNAVAILABLE" } }]);
  expect(filesIn(world)[0]).toBeLessThan(FILES);
  await using again = await openServicesIn(world.root);
  again.services.folderWorks.start();
  await expectUndone({ ...world, ...again });
});

it("a drive that is deleted on the way takes its trash with it", async (world) => {
  const { services, caller, drive } = world;
  const ended = restore(world);
  await eventually(() => world.count("folder_work") === 1);
  const [outcome] = await Promise.allSettled([ended, services.drives.remove(caller, drive)]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
  await services.sweep.run();
  expect(["drive", "trash", "trash_file", "folder_work"].map(world.count)).toEqual([0, 0, 0, 0]);
});

it("an expired file goes with the next sweep, and with it an entry that has nothing else", async (world) => {
  const { services, caller, drive, clock, database } = world;
  const expiresAt = new Date(clock.now() + 1000).toISOString();
  const id = await uploadAt(world, "single.txt", expiresAt);
  await uploadAt(world, "a/one.txt", expiresAt);
  await services.files.remove(caller, { id }, UNCONDITIONAL);
  await services.folders.remove(caller, drive, "a/");
  expect([world.count("trash"), world.count("trash_file")]).toEqual([3, FILES + 2]);
  clock.advance(1000);
  await services.sweep.run();
  expect([world.count("trash"), world.count("trash_file")]).toEqual([2, FILES]);
  expect(faultsOfTrees(database.sql)).toEqual([]);
});

it("what is deleted for good goes with the next sweep, in pieces", async (world) => {
  const { services, caller, drive, entry, database } = world;
  await services.trash.remove(caller, entry);
  expect(() => services.trash.get(caller, entry)).toThrow("No such trash entry.");
  for (let n = 0; n < 3; n += 1) {
    const id = await uploadAt(world, `${n}.txt`);
    await services.files.remove(caller, { id }, UNCONDITIONAL);
  }
  expect(await services.trash.previewEmptying(caller, drive)).toMatchObject({ entries: 3 });
  expect(await services.trash.empty(caller, drive)).toMatchObject({ entries: 3 });
  expect(await services.trash.previewEmptying(caller, drive)).toMatchObject({ entries: 0 });
  using meter = new WriteMeter(database);
  await services.sweep.run();
  expect(meter.count).toBeGreaterThan(2);
  expect(["trash", "trash_file", "trash_folder"].map(world.count)).toEqual([0, 0, 0]);
  expect(faultsOfTrees(database.sql)).toEqual([]);
});
