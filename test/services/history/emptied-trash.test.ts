import { expect } from "bun:test";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { storeFile } from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";
import { openForWork } from "../../support/server/works.ts";

/** More than fit into a few pieces. */
const FILES = 300;

/** With them all in one entry of the trash. */
const it = testWith(() => openForWork("restore", FILES));

it("an expired file goes with the next sweep, and with it an entry that has nothing else", async (world) => {
  const { services, caller, drive, clock, database } = world;
  const expiresAt = new Date(clock.now() + 1000).toISOString();
  const { file } = await storeFile(world, "single.txt", "x", { expiresAt });
  await storeFile(world, "a/one.txt", "x", { expiresAt });
  await services.files.remove(caller, { id: file.id }, UNCONDITIONAL);
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
    const { file } = await storeFile(world, `${n}.txt`);
    await services.files.remove(caller, { id: file.id }, UNCONDITIONAL);
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
