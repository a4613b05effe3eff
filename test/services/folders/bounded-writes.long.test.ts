import { describe, expect } from "bun:test";
import type { DriveId, FileId } from "../../../src/domain/id.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { TurnMeter } from "../../support/meters/turn-meter.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { fileOf, filesIn } from "../../support/samples/contents.ts";
import { addFolders, copyRows, numbersTo } from "../../support/samples/many-files.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { eventually } from "../../support/server/scenario.ts";
import { openWithDrive, storeFile, sweep } from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";

/** The most rows that one transaction may change, while all other requests wait: at most some ten milliseconds' worth. */
const MOST_ROWS = 2500;
/** The most calls of statements, and rows from them, in one turn of the event loop. */
const MOST_UNITS = 4000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Files, each below 400 folders of its own: more rows than one transaction may change. */
const DEEP_FILES = 15;
const TAGS = Array.from({ length: 64 }, (_, n) => `tag ${n}`);

type World = Awaited<ReturnType<typeof open>>;

/** Services with a drive, and meters that have seen nothing yet. */
async function open() {
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

const it = testWith(open);

/** What is done, once all that it takes is there. */
type Work = () => Promise<unknown>;

/** A work none of whose pieces may be too large. It leaves so many rows, and right counts. */
function bounded(
  name: string,
  left: Readonly<Record<string, number>>,
  prepare: (world: World) => Promise<Work>,
): void {
  it(`when ${name}`, async (world) => {
    const { meter, turns, count, database } = world;
    const work = await prepare(world);
    for (const each of [meter, turns]) each.largest();
    await work();
    expect(turns.largest()).toBeLessThan(MOST_UNITS);
    expect(meter.largest()).toBeLessThan(MOST_ROWS);
    expect(Object.keys(left).map((table) => [table, count(table)])).toEqual(Object.entries(left));
    expect(faultsOfTrees(database.sql)).toEqual([]);
  });
}

async function uploadAt(world: World, path: string, more?: Parameters<typeof storeFile>[3]): Promise<FileId> {
  return (await storeFile(world, path, `content of ${path}`, more)).file.id;
}

/** A file, and as many in `many/` like it, each of which has a content of its own. */
async function fill(
  world: World,
  files: number,
  attributes?: Parameters<typeof storeFile>[3],
): Promise<FileId> {
  const { database } = world;
  const { sql } = database;
  const first = await uploadAt(world, "first.txt", attributes);
  await database.write(() => {
    copyRows(database, first, files);
    sql.run(
      "INSERT INTO blob (digest, size, preview) SELECT id, size, 'A preview' FROM file WHERE path LIKE 'many/%'",
    );
    sql.run("UPDATE file SET blob = (SELECT pk FROM blob WHERE digest = file.id) WHERE path LIKE 'many/%'");
  });
  return first;
}

async function fillDeep(
  world: World,
  folder: string,
  files: number,
  attributes?: Parameters<typeof storeFile>[3],
): Promise<void> {
  for (let n = 0; n < files; n += 1)
    await uploadAt(world, `${folder}${n}/${"d/".repeat(400)}file`, attributes);
}

/** Runs a statement behind so many numbers `n`. */
function addMany({ database }: World, count: number, statement: string): Promise<unknown> {
  return database.write(() => database.sql.run(`${numbersTo(count)} ${statement}`));
}

function to(path: string) {
  return { path, driveId: undefined };
}

/** Deletes a folder. Returns its entry in the trash. */
async function folderInTrash({ services, caller, drive }: World, path: string): Promise<string> {
  return (await services.folders.remove(caller, drive, path)).trashId ?? "";
}

describe("no piece of a large work is longer than requests can wait for", () => {
  bounded("6,000 contents become orphans at once", { blob: 1 }, async (world) => {
    await uploadAt(world, "first.txt");
    const contents =
      "INSERT INTO blob (digest, size, preview) SELECT printf('%064d', i), 20, 'A preview' FROM n";
    await addMany(world, 6000, contents);
    return async () => {
      await sweep(world);
      expect(world.count("blob WHERE refs = 0 AND orphaned_at IS NOT NULL")).toBe(6000);
      world.clock.advance(DAY_MS);
      await sweep(world);
    };
  });

  const nothing = { file: 0, folder: 0, api_key: 0, drive: 0 };
  bounded("a drive of 6,000 files and 5,000 keys is deleted", nothing, async (world) => {
    const { services, caller, drive } = world;
    await fill(world, 6000);
    await addMany(
      world,
      5000,
      `INSERT INTO api_key (id, hash, prefix, name, scope, drive, created_at)
       SELECT i, i, '', '', 'read-write', (SELECT pk FROM drive), 0 FROM n`,
    );
    return async () => {
      await services.drives.remove(caller, drive);
      expect(services.drives.list(caller, null)).toEqual([]);
      await sweep(world);
    };
  });

  for (const [name, attributes, age] of [
    ["a drive of files with 64 tags each expires", { tags: TAGS }, 31 * DAY_MS],
    ["files with 64 tags each expire", { tags: TAGS, expiresAt: "2030-01-01T01:00:00.000Z" }, DAY_MS],
  ] as const)
    bounded(name, { file: 0 }, async (world) => {
      await fill(world, 1000, attributes);
      world.clock.advance(age);
      return () => sweep(world);
    });

  bounded("1,000 contents are removed that are files", { blob: 0 }, async (world) => {
    const digests = Array.from({ length: 1000 }, (_, n) => Bun.SHA256.hash(String(n), "hex"));
    for (const digest of digests) await Bun.write(fileOf(world.root, digest), "x");
    const add = world.database.sql.query<null, [string]>(
      "INSERT INTO blob (digest, size, orphaned_at) VALUES (?, 20000, 0)",
    );
    await world.database.write(() => digests.forEach((digest) => add.run(digest)));
    return async () => {
      await sweep(world);
      expect(filesIn(world.root)).toEqual([]);
    };
  });

  bounded("the index is made for 2,000 files, and cleaned after they are deleted", {}, async (world) => {
    const { services, caller, drive, count } = world;
    services.indexer.start();
    await fill(world, 2000);
    return async () => {
      services.indexer.wake();
      await eventually(() => count("search_job WHERE parts IN (1, 3)") === 0);
      await services.folders.remove(caller, drive, "many/");
      await eventually(() => count("search_job WHERE parts = 4") === 0);
      await services.indexer.stop();
    };
  });

  bounded("files that each stand in hundreds of folders expire", { file: 0 }, async (world) => {
    const expiresAt = new Date(world.clock.now() + DAY_MS).toISOString();
    await fillDeep(world, "", DEEP_FILES, { expiresAt });
    world.clock.advance(DAY_MS);
    return () => sweep(world);
  });

  const noSnapshot = { held_file: 0, held_folder: 0, snapshot: 0 };
  for (const [of, files, prepare] of [
    ["of 1,000 files with 64 tags each", 1000, (world: World) => fill(world, 1000, { tags: TAGS })],
    [
      "of files that each stand in hundreds of folders",
      DEEP_FILES,
      (world: World) => fillDeep(world, "many/", DEEP_FILES),
    ],
  ] as const)
    bounded(`a snapshot ${of} is looked into, compared, restored and deleted`, noSnapshot, async (world) => {
      const { services, caller, drive } = world;
      await prepare(world);
      return async () => {
        const { id } = await services.snapshots.create(caller, drive, undefined);
        await services.folders.remove(caller, drive, "many/");
        const list = { driveId: drive, prefix: "", tags: [], sort: "path", page: 1, limit: 50 } as const;
        await services.snapshotViews.list(caller, id, { ...list, grouped: false, after: null });
        await services.snapshots.compare(caller, drive, id, { prefix: "", limit: 50, after: null });
        const { restored } = await services.snapshots.restore(caller, drive, id, undefined);
        expect([restored, faultsOfTrees(world.database.sql)]).toEqual([files, []]);
        for (const taken of services.snapshots.list(caller, drive, { limit: 50, before: null }).snapshots)
          await services.snapshots.remove(caller, drive, taken.id);
        await sweep(world);
      };
    });

  bounded("6,000 claim tokens ended long ago", { claim_token: 1 }, async (world) => {
    await addMany(
      world,
      6000,
      `INSERT INTO claim_token (hash, drive, expires_at, used_at, created_at)
       SELECT i, NULL, ${world.clock.now() - 365 * DAY_MS}, iif(i % 2, 1, NULL), 0 FROM n`,
    );
    return () => sweep(world);
  });

  bounded("a file goes that 5,000 links lead to", { presigned_link: 0 }, async (world) => {
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
    return async () => {
      await services.files.remove(caller, { id }, UNCONDITIONAL);
      expect(() => services.fileLinks.open(token)).toThrow("No such link.");
      world.clock.advance(100 * DAY_MS);
      await sweep(world);
    };
  });

  bounded("5,000 upload links have expired", { upload_link: 0 }, async (world) => {
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
    return () => sweep(world);
  });

  const noLinks = { share_link: 0 };
  bounded("5,000 links have expired, and when a drive goes that has as many", noLinks, async (world) => {
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
    return () => sweep(world);
  });

  bounded("5,000 drives were used since it was last written down", { drive_usage: 5000 }, async (world) => {
    const { services, database } = world;
    await addMany(
      world,
      5000,
      "INSERT INTO drive (id, name, description, created_at, updated_at) SELECT 'drive ' || i, '', '', 0, 0 FROM n",
    );
    const drives = database.sql.query<{ id: DriveId }, []>("SELECT id FROM drive WHERE id LIKE 'drive %'");
    for (const { id } of drives.all()) services.usage.countSent(null, id, 1);
    return () => services.usage.flush();
  });

  bounded("somebody who signed in 3,000 times signs out everywhere", {}, async (world) => {
    const { services, database } = world;
    const user = await services.users.createFromShell("ada", "ada's password");
    for (let n = 0; n < 30; n += 1) {
      await database.write(() => {
        for (let k = 0; k < 100; k += 1) services.sessions.begin(user, "");
      });
    }
    return async () => {
      const { caller, token } = await database.write(() => services.sessions.begin(user, ""));
      expect(services.sessions.authenticate(token)).toMatchObject({ sessionId: caller.sessionId });
      expect(await services.sessions.endAll(caller)).toBe(500);
    };
  });

  for (const [name, files, left, how] of [
    ["a folder of 5,000 contents is copied", 5000, 10_000, "copy"],
    ["a folder of 6,000 files is moved", 6000, 6000, "move"],
    ["a folder of 6,000 files is deleted", 6000, 0, "remove"],
    ["a folder of 3,000 files comes back from the trash", 3000, 3000, "restore"],
  ] as const)
    bounded(name, { file: 1 + left, folder_work: 0 }, async (world) => {
      const { services, caller, drive } = world;
      await fill(world, files);
      const trash = how === "restore" ? await folderInTrash(world, "many/") : "";
      return async () => {
        if (how === "remove") await services.folders.remove(caller, drive, "many/");
        else if (how === "restore") await services.trash.restore(caller, trash, undefined);
        else await services.folders[how](caller, drive, "many/", to("x/more/"));
        expect(world.meter.count).toBeGreaterThan(files / 100);
      };
    });

  const noTrash = { trash: 0, trash_file: 0, kept_content: 0 };
  bounded("a folder of 3,000 files is deleted for good, and goes with the sweep", noTrash, async (world) => {
    const { services, caller } = world;
    await fill(world, 3000);
    await services.trash.remove(caller, await folderInTrash(world, "many/"));
    return () => sweep(world);
  });

  for (const [name, how] of [
    ["is deleted", "remove"],
    ["comes back", "restore"],
  ] as const)
    bounded(`a folder ${name} that a snapshot has`, {}, async (world) => {
      const { services, caller, drive } = world;
      await fill(world, 500);
      await fillDeep(world, "many/", 3, { tags: TAGS });
      const trash = how === "restore" ? await folderInTrash(world, "many/") : "";
      await services.snapshots.create(caller, drive, undefined);
      return () =>
        how === "remove"
          ? services.folders.remove(caller, drive, "many/")
          : services.trash.restore(caller, trash, undefined);
    });

  for (const [done, how] of [
    ["copied", "copy"],
    ["moved", "move"],
    ["deleted", "remove"],
    ["restored", "restore"],
  ] as const)
    bounded(
      `files with 64 tags in hundreds of folders each, and thousands of folders, are ${done}`,
      {},
      async (world) => {
        const { services, caller, drive, database } = world;
        await fillDeep(world, "a/", DEEP_FILES, { tags: TAGS });
        await services.folders.create(caller, drive, "folders/");
        await database.write(() => addFolders(database, 3000));
        await services.folders.move(caller, drive, "folders/", to("a/z/"));
        const trash = how === "restore" ? await folderInTrash(world, "a/") : "";
        const works = {
          // All of it is more than a copy takes.
          copy: () => services.folders.copy(caller, drive, "a/z/", to("b/")),
          move: () => services.folders.move(caller, drive, "a/", to("b/")),
          remove: () => services.folders.remove(caller, drive, "a/"),
          restore: () => services.trash.restore(caller, trash, "other/"),
        };
        return works[how];
      },
    );

  for (const [why, left] of [
    ["old", 0],
    ["too many", 50],
    ["of a file that is gone", 0],
  ] as const)
    bounded(`2,000 versions go that are ${why}`, { file_version: left }, async (world) => {
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
      return async () => {
        await sweep(world);
        await sweep(world);
      };
    });

  const emptied = { trash: 0, trash_file: 0 };
  bounded("1,000 files with 64 tags each are deleted by their ids", emptied, async (world) => {
    const { services, caller, drive, database } = world;
    await fill(world, 1000, { tags: TAGS });
    const ids = database.sql.query<{ id: string }, []>("SELECT id FROM file WHERE path LIKE 'many/%'").all();
    const asked = ids.map(({ id }) => id);
    return async () => {
      const counts: number[] = [];
      const removed = await services.files.removeMany(caller, { ids: asked }, ({ deleted }) =>
        counts.push(deleted.length),
      );
      expect([removed.deleted, removed.failed, new Set(removed.trashIds).size]).toEqual([asked, [], 1000]);
      expect(faultsOfTrees(database.sql)).toEqual([]);
      // And then their entries for good.
      await services.trash.empty(caller, drive, ({ entries }) => counts.push(entries));
      expect(counts).toEqual([1000, 1000]);
      await sweep(world);
    };
  });
});
