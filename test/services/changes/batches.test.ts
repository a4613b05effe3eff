import { expect } from "bun:test";
import { copyRows } from "../../support/samples/many-files.ts";
import {
  ask,
  type OpenedDrive,
  openServicesIn,
  openWithDrive,
  storeFile,
} from "../../support/server/services-drive.ts";
import { eventually } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";

const it = testWith(openWithDrive);

const FILES = 200;

/** Makes many files, of which deleting one late fails. Returns a deletion of them all, which takes several pieces. */
async function sabotaged(world: OpenedDrive): Promise<() => Promise<unknown>> {
  const { database, services, caller } = world;
  const { file } = await storeFile(world, "first.txt");
  await database.write(() => copyRows(database, file.id, FILES));
  const ids = database.sql.query<{ id: string }, []>("SELECT id FROM file ORDER BY path").all();
  database.sql.run(
    `CREATE TRIGGER sabotage BEFORE DELETE ON file WHEN OLD.path = 'many/0000150.txt'
     BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
  );
  return () => services.files.removeMany(caller, { ids: ids.map(({ id }) => id) });
}

async function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(() => "done", String);
}

/** The changes that sum batches up, and how many batches are under way. */
function closed(world: Pick<OpenedDrive, "database">) {
  const query = "SELECT type, path, file_count, ref = batch FROM change WHERE type LIKE 'files.%'";
  return [ask(world, query), ask(world, "SELECT count(*) FROM batch")];
}

function deletedIn(world: Pick<OpenedDrive, "database">): unknown {
  return ask(world, "SELECT count(*) FROM change WHERE type = 'file.deleted' AND batch IS NOT NULL")[0];
}

it("a batch that fails in a later piece is summed up with what it did", async (world) => {
  const remove = await sabotaged(world);
  expect(await outcome(remove())).toContain("sabotaged");
  const done = deletedIn(world);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(FILES);
  expect(closed(world)).toEqual([["files.deleted", "", done, 1], [0]]);
});

it("a batch that the last process left is summed up by the next start", async (world) => {
  const remove = await sabotaged(world);
  world.database.sql.run(
    `CREATE TRIGGER crash BEFORE INSERT ON change WHEN NEW.type = 'files.deleted'
     BEGIN SELECT RAISE(ABORT, 'crashed'); END`,
  );
  expect(await outcome(remove())).toContain("sabotaged");
  expect(closed(world)).toEqual([[], [1]]);
  world.database.sql.run("DROP TRIGGER crash");
  await using again = await openServicesIn(world.root);
  void again.services.batches.start();
  await eventually(() => closed(again)[0]?.length === 4);
  expect(closed(again)).toEqual([["files.deleted", "", deletedIn(again), 1], [0]]);
});
