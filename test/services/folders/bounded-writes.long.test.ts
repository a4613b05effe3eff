import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { DriveId, FileId } from "../../../src/domain/id.ts";
import { addFolders, copyRows, numbersTo } from "../../support/samples/many-files.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { eventually } from "../../support/server/scenario.ts";
import { TurnMeter } from "../../support/meters/turn-meter.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { type OpenedDrive, openWithDrive, storeFile } from "../../support/server/services-drive.ts";
import { fileOf } from "../../support/samples/contents.ts";

/** The most rows that one transaction may change, while all other requests wait: at most some ten milliseconds' worth. */
const MOST_ROWS = 2500;
/** The most calls of statements, and rows from them, in one turn of the event loop. */
const MOST_UNITS = 4000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Files, each below 400 folders of its own: more rows than one transaction may change. */
const DEEP_FILES = 15;
const TAGS = Array.from({ length: 64 }, (_, n) => `tag ${n}`);

interface World extends OpenedDrive {
  readonly meter: WriteMeter;
  readonly turns: TurnMeter;
}

/** Services with a drive, and meters that have seen nothing yet. */
async function open(): Promise<World> {
  const turns = new TurnMeter();
  const opened = await openWithDrive({ open: (database) => turns.open(database) });
  const meter = new WriteMeter(opened.database);
  return {
    ...opened,
    meter,
    turns,
    [Symbol.asyncDispose]: async () => {
      meter[Symbol.dispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

async function uploadAt(world: World, path: string, more?: Parameters<typeof storeFile>[3]): Promise<FileId> {
  return (await storeFile(world, path, `content of ${path}`, more)).file.id;
}

/** Forgets what was counted so far. */
function begin({ meter, turns }: World): void {
  meter.largest();
  turns.largest();
}

function requireSmall({ meter, turns }: World): void {
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(turns.largest()).toBeLessThan(MOST_UNITS);
}

/** Files in `many/` like `first`, each of which is given a content of its own. */
async function fill(world: World, first: FileId, files: number): Promise<void> {
  const { database } = world;
  const { sql } = database;
  await database.write(() => {
    copyRows(database, first, files);
    sql.run(
      "INSERT INTO blob (digest, size, preview) SELECT id, size, 'A preview' FROM file WHERE path LIKE 'many/%'",
    );
    sql.run("UPDATE file SET blob = (SELECT pk FROM blob WHERE digest = file.id) WHERE path LIKE 'many/%'");
  });
  begin(world);
}

/** Runs a statement behind so many numbers `n`, and forgets what it took. */
async function addMany(world: World, count: number, statement: string): Promise<void> {
  const { database } = world;
  await database.write(() => database.sql.run(`${numbersTo(count)} ${statement}`));
  begin(world);
}

/** A sweep in small pieces leaves so many rows of a table. */
async function expectSwept(world: World, table: string, left = 0): Promise<void> {
  await world.services.sweep.run();
  expect(world.count(table)).toBe(left);
  requireSmall(world);
}

/** How many contents are files. */
async function filesIn({ root }: World): Promise<number> {
  const names = await readdir(join(root, "blobs"), { recursive: true });
  return names.filter((name) => name.length > 64).length;
}

/** Deletes a folder. Returns its entry in the trash. */
async function folderInTrash({ services, caller, drive }: World, path: string): Promise<string> {
  return (await services.folders.remove(caller, drive, path)).trashId ?? "";
}

const it = testWith(open);

describe("no piece of a large work is longer than requests can wait for", () => {
  it("when 6,000 contents become orphans at once", async (world) => {
    await fill(world, await uploadAt(world, "first.txt"), 6000);
    await world.database.write(() => world.database.sql.run("DELETE FROM file WHERE path LIKE 'many/%'"));
    begin(world);
    await expectSwept(world, "blob WHERE refs = 0 AND orphaned_at IS NOT NULL", 6000);
    world.clock.advance(DAY_MS);
    await expectSwept(world, "blob", 1);
  });

  it("when a drive of 6,000 files and 5,000 keys is deleted", async (world) => {
    const { services, caller, drive } = world;
    await fill(world, await uploadAt(world, "first.txt"), 6000);
    await addMany(
      world,
      5000,
      `INSERT INTO api_key (id, hash, prefix, name, scope, drive, created_at)
       SELECT i, i, '', '', 'read-write', (SELECT pk FROM drive), 0 FROM n`,
    );
    await services.drives.remove(caller, drive);
    expect(services.drives.list(caller, null)).toEqual([]);
    requireSmall(world);
    await services.sweep.run();
    expect(["file", "folder", "api_key", "drive"].map((table) => world.count(table))).toEqual([0, 0, 0, 0]);
    requireSmall(world);
  });

  test.each([
    ["a drive of files with 64 tags each expires", { tags: TAGS }, 31 * DAY_MS],
    ["files with 64 tags each expire", { tags: TAGS, expiresAt: "2030-01-01T01:00:00.000Z" }, DAY_MS],
  ])("when %s", async (_, attributes, age) => {
    await using world = await open();
    await fill(world, await uploadAt(world, "first.txt", attributes), 1000);
    world.clock.advance(age);
    await expectSwept(world, "file");
  });

  it("when 1,000 contents are removed that are files", async (world) => {
    const digests = Array.from({ length: 1000 }, (_, n) => Bun.SHA256.hash(String(n), "hex"));
    for (const digest of digests) {
      await Bun.write(fileOf(world.root, digest), "x");
    }
    const add = world.database.sql.query<null, [string]>(
      "INSERT INTO blob (digest, size, orphaned_at) VALUES (?, 20000, 0)",
    );
    await world.database.write(() => digests.forEach((digest) => add.run(digest)));
    begin(world);
    await world.services.sweep.run();
    expect([world.count("blob"), await filesIn(world)]).toEqual([0, 0]);
    requireSmall(world);
  });

  it("when the index is made for 2,000 files, and cleaned after they are deleted", async (world) => {
    const { services, caller, drive } = world;
    const first = await uploadAt(world, "first.txt");
    services.indexer.start();
    await fill(world, first, 2000);
    services.indexer.wake();
    await eventually(() => world.count("search_job WHERE part = 0") === 0);
    requireSmall(world);
    await services.folders.remove(caller, drive, "many/");
    await eventually(() => world.count("search_job WHERE part = 2") === 0);
    await services.indexer.stop();
    requireSmall(world);
  });

  it("when files that each stand in hundreds of folders expire", async (world) => {
    const { services } = world;
    const expiresAt = new Date(world.clock.now() + DAY_MS).toISOString();
    for (let n = 0; n < DEEP_FILES; n += 1)
      await uploadAt(world, `${n}/${"d/".repeat(400)}file`, { expiresAt });
    world.clock.advance(DAY_MS);
    begin(world);
    await services.sweep.run();
    expect(world.count("file")).toBe(0);
    expect(world.count("folder WHERE file_count <> 0 OR total_size <> 0 OR own_file_count <> 0")).toBe(0);
    requireSmall(world);
  });

  test.each([
    ["of 1,000 files with 64 tags each", { tags: TAGS }, false],
    ["of files that each stand in hundreds of folders", {}, true],
  ])("when a snapshot %s is looked into, compared, restored and deleted", async (_, attributes, isDeep) => {
    await using world = await open();
    const { services, caller, drive } = world;
    const first = await uploadAt(world, "first.txt", attributes);
    if (isDeep)
      for (let n = 0; n < DEEP_FILES; n += 1) await uploadAt(world, `many/${n}/${"d/".repeat(400)}file`);
    else await fill(world, first, 1000);
    begin(world);
    const { id } = await services.snapshots.create(caller, drive, undefined);
    await services.folders.remove(caller, drive, "many/");
    requireSmall(world);
    const list = { driveId: drive, prefix: "", tags: [], sort: "path", page: 1, limit: 50 } as const;
    await services.snapshotViews.list(caller, id, { ...list, grouped: false, after: null });
    await services.snapshots.compare(caller, drive, id, { prefix: "", limit: 50, after: null });
    requireSmall(world);
    const { restored } = await services.snapshots.restore(caller, drive, id, undefined);
    expect([restored, faultsOfTrees(world.database.sql)]).toEqual([isDeep ? DEEP_FILES : 1000, []]);
    requireSmall(world);
    for (const taken of services.snapshots.list(caller, drive, { limit: 50, before: null }).snapshots)
      await services.snapshots.remove(caller, drive, taken.id);
    await services.sweep.run();
    expect([world.count("held_file"), world.count("held_folder"), world.count("snapshot")]).toEqual([
      0, 0, 0,
    ]);
    requireSmall(world);
  });

  it("when 6,000 claim tokens ended long ago", async (world) => {
    const { clock } = world;
    await addMany(
      world,
      6000,
      `INSERT INTO claim_token (hash, drive, expires_at, used_at, created_at)
       SELECT i, NULL, ${clock.now() - 365 * DAY_MS}, iif(i % 2, 1, NULL), 0 FROM n`,
    );
    await expectSwept(world, "claim_token", 1);
  });

  it("when a file goes that 5,000 links lead to", async (world) => {
    const { services, caller } = world;
    const id = await uploadAt(world, "first.txt");
    const { token } = await services.links.createPresigned(caller, { id }, { expiresIn: 60 });
    await addMany(
      world,
      5000,
      `INSERT INTO presigned_link (hash, file_id, key_id, user, one_time, expires_at, created_at, drive_id)
       SELECT i, l.file_id, l.key_id, l.user, 0, l.expires_at, 0, l.drive_id
         FROM presigned_link l CROSS JOIN n`,
    );
    await services.files.remove(caller, { id }, UNCONDITIONAL);
    expect(() => services.fileLinks.open(token)).toThrow("No such link.");
    requireSmall(world);
    world.clock.advance(100 * DAY_MS);
    await expectSwept(world, "presigned_link");
  });

  it("when 5,000 upload links have expired", async (world) => {
    const { services, caller, drive } = world;
    await services.links.createUpload(caller, { drive: drive, path: "f" });
    world.clock.advance(100 * DAY_MS);
    await addMany(
      world,
      5000,
      `INSERT INTO upload_link (hash, drive_id, path, key_id, user, expires_at, created_at)
       SELECT i, l.drive_id, l.path, l.key_id, l.user, l.expires_at, 0
         FROM upload_link l CROSS JOIN n`,
    );
    await expectSwept(world, "upload_link");
  });

  it("when 5,000 links have expired, and when a drive goes that has as many", async (world) => {
    const { services, caller, drive } = world;
    const { link } = await services.links.createShare(caller, { drive: drive, path: "/" });
    world.clock.advance(20 * DAY_MS);
    await addMany(
      world,
      5000,
      `INSERT INTO share_link (hash, id, drive_id, path, key_id, user, expires_at, created_at)
       SELECT i, i, l.drive_id, l.path, l.key_id, l.user, l.expires_at, 0
         FROM share_link l CROSS JOIN n WHERE l.id = '${link.id}'`,
    );
    await services.drives.remove(caller, drive);
    await expectSwept(world, "share_link");
  });

  it("when 5,000 drives were used since it was last written down", async (world) => {
    const { services } = world;
    const drives: DriveId[] = [];
    await world.database.write(() => {
      world.database.sql.run(
        `${numbersTo(5000)}
         INSERT INTO drive (id, name, description, created_at, updated_at) SELECT 'drive ' || i, '', '', 0, 0 FROM n`,
      );
      drives.push(
        ...world.database.sql
          .query<{ id: DriveId }, []>("SELECT id FROM drive WHERE id LIKE 'drive %'")
          .all()
          .map(({ id }) => id),
      );
    });
    for (const drive of drives) services.usage.countBytes(drive, 1);
    begin(world);
    await services.usage.flush();
    expect(world.count("drive_usage")).toBe(5000);
    requireSmall(world);
  });

  it("when somebody who signed in 3,000 times signs out everywhere", async (world) => {
    const { services, database } = world;
    const user = await services.users.createFromShell("ada", "ada's password");
    for (let n = 0; n < 30; n += 1) {
      await database.write(() => {
        for (let k = 0; k < 100; k += 1) services.sessions.begin(user, "");
      });
    }
    begin(world);
    const { caller, token } = await database.write(() => services.sessions.begin(user, ""));
    expect(services.sessions.authenticate(token)).toMatchObject({ sessionId: caller.sessionId });
    expect(await services.sessions.endAll(caller)).toBe(500);
    requireSmall(world);
  });

  test.each([
    ["a folder of 5,000 contents is copied", 5000, "copy"],
    ["a folder of 6,000 files is moved", 6000, "move"],
    ["a folder of 6,000 files is deleted", 6000, "remove"],
    ["a folder of 3,000 files comes back from the trash", 3000, "restore"],
  ] as const)("when %s", async (_, files, how) => {
    await using world = await open();
    const { services, caller, drive } = world;
    await fill(world, await uploadAt(world, "first.txt"), files);
    if (how === "remove") await services.folders.remove(caller, drive, "many/");
    else if (how === "restore") {
      const trash = await folderInTrash(world, "many/");
      begin(world);
      await services.trash.restore(caller, trash, undefined);
    } else await services.folders[how](caller, drive, "many/", { path: "x/more/", driveId: undefined });
    expect(world.meter.count).toBeGreaterThan(files / 100);
    requireSmall(world);
    expect(world.count("file")).toBe(1 + { copy: 2 * files, move: files, remove: 0, restore: files }[how]);
    expect([world.count("folder_work"), faultsOfTrees(world.database.sql)]).toEqual([0, []]);
  });

  it("when a folder of 3,000 files is deleted for good, and goes with the sweep", async (world) => {
    const { services, caller } = world;
    await fill(world, await uploadAt(world, "first.txt"), 3000);
    await services.trash.remove(caller, await folderInTrash(world, "many/"));
    begin(world);
    await services.sweep.run();
    expect([world.count("trash"), world.count("trash_file"), world.count("kept_content")]).toEqual([0, 0, 0]);
    requireSmall(world);
  });

  test.each([
    ["is deleted", "remove"],
    ["comes back", "restore"],
  ] as const)("when a folder %s that a snapshot has", async (_, how) => {
    await using world = await open();
    const { services, caller, drive, database } = world;
    await fill(world, await uploadAt(world, "first.txt"), 500);
    for (let n = 0; n < 3; n += 1) await uploadAt(world, `many/${n}/${"d/".repeat(400)}file`, { tags: TAGS });
    if (how === "remove") await services.snapshots.create(caller, drive, undefined);
    begin(world);
    const trash = await folderInTrash(world, "many/");
    if (how === "restore") {
      await services.snapshots.create(caller, drive, undefined);
      begin(world);
      await services.trash.restore(caller, trash, undefined);
    }
    requireSmall(world);
    expect(faultsOfTrees(database.sql)).toEqual([]);
  });

  test.each(["copy", "move", "remove", "restore"] as const)(
    "in the %s of files with 64 tags in hundreds of folders each, and of thousands of folders",
    async (how) => {
      await using world = await open();
      const { services, caller, drive, database } = world;
      for (let n = 0; n < DEEP_FILES; n += 1) {
        await uploadAt(world, `a/${n}/${"d/".repeat(400)}file`, { tags: TAGS });
      }
      await services.folders.create(caller, drive, "folders/");
      await database.write(() => addFolders(database, 3000));
      await services.folders.move(caller, drive, "folders/", { path: "a/z/", driveId: undefined });
      begin(world);
      if (how === "remove") await services.folders.remove(caller, drive, "a/");
      else if (how === "restore") {
        const trash = await folderInTrash(world, "a/");
        begin(world);
        await services.trash.restore(caller, trash, "other/");
      }
      // All of it is more than a copy takes.
      else if (how === "move")
        await services.folders.move(caller, drive, "a/", { path: "b/", driveId: undefined });
      else await services.folders.copy(caller, drive, "a/z/", { path: "b/", driveId: undefined });
      requireSmall(world);
      expect(faultsOfTrees(database.sql)).toEqual([]);
    },
  );

  test.each(["old", "too many", "of a file that is gone"])(
    "when 2,000 versions go that are %s",
    async (why) => {
      await using world = await open();
      const { services, caller, database } = world;
      const id = await uploadAt(world, "first.txt");
      await database.write(() => {
        const numbers = numbersTo(2000);
        database.sql.run(`INSERT INTO blob (digest, size) ${numbers} SELECT printf('%064d', i), i FROM n`);
        database.sql.run(
          `INSERT INTO file_version (drive, file_id, version, filename, mime_type, mime_given, size, blob, replaced_at)
         SELECT f.drive, f.id, b.size, f.filename, f.mime_type, 0, b.size, b.pk, ${why === "old" ? 1 : "f.created_at"}
           FROM file f, blob b WHERE b.digest LIKE '00000%'`,
        );
        database.sql.run("UPDATE file SET version = 2001");
      });
      if (why === "of a file that is gone") {
        const { trashId } = await services.files.remove(caller, { id }, UNCONDITIONAL);
        await services.trash.remove(caller, trashId ?? "");
      }
      begin(world);
      await services.sweep.run();
      await services.sweep.run();
      expect(world.count("file_version")).toBe(why === "too many" ? 50 : 0);
      requireSmall(world);
      expect(faultsOfTrees(database.sql)).toEqual([]);
    },
  );

  it("when 1,000 files with 64 tags each are deleted by their ids", async (world) => {
    const { services, caller, drive, database } = world;
    await fill(world, await uploadAt(world, "first.txt", { tags: TAGS }), 1000);
    const ids = database.sql.query<{ id: string }, []>("SELECT id FROM file WHERE path LIKE 'many/%'").all();
    const answers: number[] = [];
    const asked = ids.map(({ id }) => id);
    const removed = await services.files.removeMany(caller, asked, ({ deleted }) =>
      answers.push(deleted.length),
    );
    expect([removed.deleted, removed.failed, answers]).toEqual([asked, [], [1000]]);
    expect(new Set(removed.trashIds).size).toBe(1000);
    requireSmall(world);
    expect(faultsOfTrees(database.sql)).toEqual([]);
    // And then their entries for good.
    const emptied: number[] = [];
    await services.trash.empty(caller, drive, ({ entries }) => emptied.push(entries));
    await services.sweep.run();
    expect([emptied, world.count("trash"), world.count("trash_file")]).toEqual([[1000], 0, 0]);
    requireSmall(world);
  });
});
