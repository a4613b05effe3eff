import { expect } from "bun:test";
import type { BatchOptions } from "../../../src/services/contents/batch-upload.ts";
import { contentsOnDisk, eventually } from "../../support/server/scenario.ts";
import {
  ask,
  type OpenedDrive,
  openServicesIn,
  openWithDrive,
  removeFile,
  storeFile,
} from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";

const it = testWith(openWithDrive);

const FILES = 50;
const LATE = "new/40.txt";

/** Writes many files, all or nothing: those in `old/` are there, but for their content. @param between before the writes */
async function writeAll(world: OpenedDrive, options: Partial<BatchOptions> = {}, between = () => {}) {
  const { services, caller, drive } = world;
  const asked = { drive, prefix: "", onConflict: "replace", isAtomic: true, ...options } as const;
  await using batch = await services.batchUploads.begin(caller, "client", asked, null);
  return batch.whole(async () => {
    for (let n = 0; n < FILES; n += 1) {
      const path = n % 10 === 0 && n < 40 ? `old/${n}.txt` : `new/${n}.txt`;
      await batch.add({
        line: n + 1,
        path: null,
        isFolder: false,
        read: async (write) => {
          await write(Buffer.from(`new ${path}`.repeat(n * 50)));
          return { path, tags: ["new"] };
        },
      });
    }
    between();
    return batch.finish();
  });
}

async function withOld(world: OpenedDrive): Promise<unknown[]> {
  for (const n of [0, 10, 20, 30]) await storeFile(world, `old/${n}.txt`, `old ${n}`, { tags: ["old"] });
  return stateOf(world);
}

function stateOf(world: Pick<OpenedDrive, "database">): unknown[] {
  return [
    ...ask(world, "SELECT path, hex(digest), tags FROM file JOIN blob ON blob.pk = blob ORDER BY path"),
    ...ask(world, "SELECT path, file_count, total_size, own_folder_count FROM folder ORDER BY path"),
  ];
}

function sabotage({ database }: OpenedDrive, table: string, when: string): void {
  database.sql.run(
    `CREATE TRIGGER sabotage_${table} BEFORE ${table === "change" ? "INSERT" : "DELETE"} ON ${table} WHEN ${when}
     BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
  );
}

const failure = (work: Promise<unknown>) => work.then(() => "none", String);

it("what fails late is taken back: contents, tags, new folders, and nothing is in the trash", async (world) => {
  const before = await withOld(world);
  sabotage(world, "change", `NEW.path = '${LATE}'`);
  expect(await failure(writeAll(world))).toContain("sabotaged");
  expect(stateOf(world)).toEqual(before);
  expect(
    ask(
      world,
      "SELECT (SELECT count(*) FROM trash), (SELECT count(*) FROM batch), count(*) FROM change WHERE type LIKE 'files.%'",
    ),
  ).toEqual([0, 0, 0]);
});

it("what a crash cut off is taken back by the next start, but not what somebody has changed since", async (world) => {
  const before = await withOld(world);
  sabotage(world, "change", `NEW.path = '${LATE}'`);
  // Nor can it be taken back now.
  sabotage(world, "file", "OLD.path = 'new/38.txt'");
  expect(await failure(writeAll(world))).toContain("sabotaged");
  expect(stateOf(world)).not.toEqual(before);
  for (const table of ["change", "file"]) world.database.sql.run(`DROP TRIGGER sabotage_${table}`);
  await storeFile(world, "new/11.txt", "mine", { tags: ["mine"] });
  await using again = await openServicesIn(world.root);
  void again.services.batches.start();
  await eventually(() => ask(again, "SELECT count(*) FROM batch")[0] === 0);
  await removeFile({ ...world, ...again }, "new/11.txt");
  await again.services.folders.remove(world.caller, world.drive, "new/");
  expect(stateOf(again)).toEqual(before);
});

it("a key that is revoked before the writes, and one in between, leave nothing", async (world) => {
  const before = await withOld(world);
  const revoke = () => world.database.sql.run("UPDATE api_key SET expires_at = 1");
  expect(await failure(writeAll(world, {}, revoke))).toContain("revoked or expired");
  expect(stateOf(world)).toEqual(before);
});

it("contents that are refused leave no blob behind", async (world) => {
  await storeFile(world, "new", "a file where a folder is needed");
  const { outcomes, batch } = await writeAll(world, { isAtomic: false });
  expect(outcomes.filter(({ status }) => status === "failed")).toHaveLength(FILES - 4);
  expect([batch !== null, ask(world, "SELECT count(*) FROM file")]).toEqual([true, [5]]);
  expect((await contentsOnDisk(world.root)).blobs).toHaveLength(5);
});
