import { describe, expect, test } from "bun:test";
import { recordKeys } from "../../../src/domain/idempotency.ts";
import type { FeedStream } from "../../../src/services/changes/feed.ts";
import type { ShownWork } from "../../../src/services/folders/works-under-way.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { eventually } from "../../support/server/scenario.ts";
import {
  addCaller,
  callerWith,
  type OpenedServices,
  openServicesIn,
} from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";
import { longTest } from "../../support/server/thorough.ts";
import { beginWork, openForWork, type WorkDrive as World } from "../../support/server/works.ts";

/** All in one folder: the other side of each work has none. More than fit into many pieces. */
const FILES = 2000;

const KINDS = ["copy", "move", "remove", "restore", "fork"] as const;

/** What is in all drives and in the trash, but for when things happened. */
function contentsOf({ database }: OpenedServices): unknown {
  const rows = (sql: string) => database.sql.query(sql).values();
  return {
    files: rows("SELECT f.id, f.path, o.path FROM file f JOIN folder o ON o.pk = f.folder ORDER BY f.id"),
    folders: rows(
      "SELECT drive, path, file_count FROM folder WHERE drive IN (SELECT pk FROM drive WHERE deleted_at IS NULL) ORDER BY drive, path",
    ),
    trash: rows("SELECT path, state FROM trash ORDER BY pk"),
    trashed: rows("SELECT file_id, path FROM trash_file ORDER BY file_id"),
    snapshots: rows("SELECT name FROM snapshot ORDER BY pk"),
    drives: rows("SELECT name FROM drive ORDER BY pk"),
  };
}

function works({ services, caller, drive }: World): readonly ShownWork[] {
  return services.worksUnderWay.list(caller, drive, { limit: 10, after: null }).works;
}

/** The one work that is under way, once it has done something in more than its first piece. */
async function underWay(world: World, files = 100): Promise<ShownWork> {
  await eventually(() => (works(world)[0]?.progress.files ?? 0) > files);
  const [work] = works(world);
  if (work === undefined) throw new Error("there is no work");
  return work;
}

function cancel({ services, caller, drive }: World, { id }: ShownWork): Promise<ShownWork> {
  return services.worksUnderWay.cancel(caller, drive, id);
}

const NOT_FOUND = { reason: { code: "NOT_FOUND" } };

/** Gives up what has begun, after something `during` it; then its request is refused. Returns it before and after. */
async function giveUp(
  world: World,
  ended: Promise<unknown>,
  during: (work: ShownWork) => unknown = () => {},
  message = "All is as it was before.",
): Promise<{ work: ShownWork; cancelled: ShownWork }> {
  const outcome = Promise.allSettled([ended]);
  const work = await underWay(world);
  await during(work);
  const cancelled = await cancel(world, work);
  const reason = { code: "CONFLICT", message: expect.stringContaining(message) };
  expect(await outcome).toMatchObject([{ reason }]);
  return { work, cancelled };
}

describe.each(KINDS)("a work that is given up: %s", (kind) => {
  const begin = (world: World) => beginWork(world, kind);
  /** Tests that an ordinary run tries with every third kind. */
  const itOfThird = (third: 0 | 1 | 2) =>
    testWith(() => openForWork(kind, FILES), KINDS.indexOf(kind) % 3 === third ? test : longTest);

  itOfThird(1)(
    "is taken back before its request is refused, and the counts are right all the time",
    async (world) => {
      const before = contentsOf(world);
      const faults: string[] = [];
      using meter = new WriteMeter(world.database, () => faults.push(...faultsOfTrees(world.database.sql)));
      const { work, cancelled } = await giveUp(world, begin(world));
      const fileTotal = FILES + (kind === "fork" ? 1 : 0);
      expect(work).toMatchObject({ isUndone: false, by: { name: "night shift" }, fileTotal });
      expect(cancelled).toMatchObject({ isUndone: true, progress: { files: 0 } });
      expect(works(world)).toEqual([]);
      await world.services.sweep.run();
      expect([contentsOf(world), faults]).toEqual([before, []]);
      expect(meter.count).toBeGreaterThan(4);
      const done = begin(world);
      const another = await underWay(world);
      await done;
      expect(contentsOf(world)).not.toEqual(before);
      expect(faultsOfTrees(world.database.sql)).toEqual([]);
      // Once it has ended, there is none to give up.
      expect(await Promise.allSettled([cancel(world, another)])).toMatchObject([NOT_FOUND]);
    },
  );

  itOfThird(2)("is taken back after a restart that comes in between", async (world) => {
    const before = contentsOf(world);
    const ended = Promise.allSettled([begin(world)]);
    await cancel(world, await underWay(world, 600));
    // A fork has only to be forgotten, so that is one piece.
    if (kind !== "fork") await underWay(world);
    await world.services.folderWorks.stop();
    expect(await ended).toMatchObject([{ status: "rejected" }]);
    await using again = await openServicesIn(world.root);
    const later = { ...world, ...again };
    if (kind !== "fork") expect(works(later)).toMatchObject([{ isUndone: true }]);
    again.services.folderWorks.start();
    await eventually(() => works(later).length === 0);
    await again.services.sweep.run();
    expect([contentsOf(later), faultsOfTrees(again.database.sql)]).toEqual([before, []]);
  });
});

const open = () => openForWork("move", FILES);
const it = testWith(open);
const longIt = testWith(open, longTest);

describe("a work that is given up where nothing can be taken back", () => {
  test("leaves what a removal without a trash has done, also after a restart", async () => {
    await using world = await openForWork("remove", FILES, { keepDays: 0 });
    await giveUp(world, beginWork(world, "remove"), undefined, "stays deleted.");
    const left = world.count("file");
    expect([left > 1, left < FILES]).toEqual([true, true]);
    expect(works(world)).toEqual([]);
    const again = Promise.allSettled([beginWork(world, "remove")]);
    const work = await underWay(world);
    const cancelled = cancel(world, work);
    const stopped = world.services.folderWorks.stop();
    await Promise.all([again, cancelled, stopped]);
    const halfway = world.count("file");
    await using later = await openServicesIn(world.root);
    later.services.folderWorks.start();
    await eventually(() => works({ ...world, ...later }).length === 0);
    expect([later.count("file"), halfway < left, halfway > 1]).toEqual([halfway, true, true]);
    expect(faultsOfTrees(later.database.sql)).toEqual([]);
  });

  longIt(
    "leaves what a restore of a snapshot has done, and the snapshot before it brings back the rest",
    async (world) => {
      const { services, caller, drive } = world;
      const snapshot = await services.snapshots.create(caller, drive, "Full");
      await services.folders.remove(caller, drive, "many/");
      const restored = services.snapshots.restore(caller, drive, snapshot.id, undefined);
      const { work } = await giveUp(world, restored, undefined, "newest");
      expect(work).toMatchObject({ fileTotal: null, phases: 5 });
      const left = world.count("file");
      expect([left > 100, left < FILES]).toEqual([true, true]);
      expect(faultsOfTrees(world.database.sql)).toEqual([]);
      const { snapshots } = services.snapshots.list(caller, drive, { limit: 9, before: null });
      expect(snapshots[0]).toMatchObject({ name: "Before the restore of Full", fileCount: 1 });
      await services.snapshots.restore(caller, drive, String(snapshots[0]?.id), undefined);
      expect(world.count("file")).toBe(1);
      await services.snapshots.restore(caller, drive, snapshot.id, undefined);
      expect([world.count("file"), faultsOfTrees(world.database.sql)]).toEqual([FILES + 1, []]);
    },
  );
});

longIt("to give up twice changes nothing more, and writes that wait go on", async (world) => {
  const { services, caller, drive } = world;
  const made: Promise<unknown>[] = [];
  await giveUp(world, beginWork(world, "move"), (work) => {
    made.push(services.folders.create(caller, drive, "many/new/"));
    return cancel(world, work);
  });
  await Promise.all(made);
  const { folder } = services.folders.get(caller, drive, "many/");
  expect(folder).toMatchObject({ fileCount: FILES, ownFolderCount: 1 });
});

it("a work that fails again and again is given up at once", async (world) => {
  const { services, caller, drive, database } = world;
  database.sql.run(
    `CREATE TRIGGER sabotage BEFORE DELETE ON file WHEN OLD.path = 'many/0000900.txt'
     BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
  );
  const removed = Promise.allSettled([beginWork(world, "remove")]);
  expect(await removed).toMatchObject([{ reason: { code: "UNAVAILABLE" } }]);
  await cancel(world, await underWay(world));
  await eventually(() => works(world).length === 0);
  expect(services.folders.get(caller, drive, "many/").folder.fileCount).toBe(FILES);
  expect(faultsOfTrees(database.sql)).toEqual([]);
});

it("a removal that is given up is not answered again as done", async (world) => {
  const { tables, clock } = world;
  const { name } = recordKeys(new Uint8Array(32), "ada", "once");
  const kept = () => tables.idempotencyRecords.find(name, clock.now()) !== null;
  const keep = () => tables.idempotencyRecords.put(name, null, new Uint8Array(1), clock.now() + 1000);
  await giveUp(world, beginWork(world, "remove", keep), () => expect(kept()).toBe(true));
  expect(kept()).toBe(false);
});

longTest("what goes back into a drive that is full by now goes back", async () => {
  await using world = await openForWork("remove", FILES, { storageLimit: 1_000_000 });
  const { services, caller, drive, database } = world;
  const fillUp = () => database.sql.run("UPDATE drive SET record_size = 1000000000000");
  await giveUp(world, beginWork(world, "remove"), fillUp);
  expect(services.folders.get(caller, drive, "many/").folder.fileCount).toBe(FILES);
});

it("a key of a folder sees what is done in there, and not where it comes from or goes to", async (world) => {
  const { services, caller, drive } = world;
  const keyOf = async (pathPrefix: string) => {
    const request = { name: "", scope: "read-write", driveId: drive, pathPrefix, expiresAt: null } as const;
    const { secret } = await services.apiKeys.create(caller, request);
    return { ...world, caller: callerWith(services, secret) };
  };
  const [source, destination, beside] = [await keyOf("many/"), await keyOf("x/"), await keyOf("y/")];
  await giveUp(world, beginWork(world, "move"), async (work) => {
    expect(works(world)).toMatchObject([{ from: { path: "many/" }, to: { path: "x/more/" } }]);
    expect(works(source)).toMatchObject([{ from: { path: "many/" }, to: null }]);
    expect(works(destination)).toMatchObject([{ from: null, to: { path: "x/more/" } }]);
    expect(works(beside)).toEqual([]);
    const asked = [source, destination, beside].map((holder) => cancel(holder, work));
    const FORBIDDEN = { reason: { code: "FORBIDDEN" } };
    expect(await Promise.allSettled(asked)).toMatchObject([FORBIDDEN, FORBIDDEN, NOT_FOUND]);
  });
  // What a copy only reads is not changed by giving it up.
  await giveUp(destination, beginWork(world, "copy"));
});

function follow({ services, caller, drive }: World): FeedStream {
  const listener = { wake: () => {}, tick: () => {}, end: () => stream.close() };
  const stream = services.feed.open(caller, "client", { drives: [drive], position: "latest" }, listener);
  return stream;
}

it("a fork is shown to who makes it, and to nobody else in the drive", async (world) => {
  const { services, caller, drive } = world;
  const bob = await addCaller(services, "bob");
  await services.members.add(caller, drive, "bob", "editor");
  const bobs = { ...world, caller: bob };
  await giveUp(bobs, beginWork(bobs, "fork"), async (work) => {
    expect(work).toMatchObject({ from: { path: "" }, to: null });
    expect(works(world)).toEqual([]);
    expect(await Promise.allSettled([cancel(world, work)])).toMatchObject([NOT_FOUND]);
  });
});

describe("a stream is told of works", () => {
  it("as they begin, at most once a second, and as they end", async (world) => {
    const stream = follow(world);
    expect(stream.read().works).toEqual([]);
    const copied = beginWork(world, "copy");
    await underWay(world);
    expect(stream.read().works).toMatchObject([{ hasEnded: false, work: { to: { path: "x/more/" } } }]);
    const { progress } = await underWay(world, 200);
    expect(stream.read().works).toEqual([]);
    world.clock.advance(1000);
    await underWay(world, progress.files + 100);
    const [told] = stream.read().works;
    expect(told?.work.progress.files).toBeGreaterThanOrEqual(progress.files);
    const late = follow(world);
    expect(late.read().works).toMatchObject([{ hasEnded: false }]);
    await copied;
    // However long ago they were told how far it was.
    const ended = { isUndone: false, progress: { files: FILES }, fileTotal: FILES };
    for (const each of [stream, late])
      expect(each.read().works).toMatchObject([{ hasEnded: true, work: ended }]);
    const tooLate = follow(world);
    expect(tooLate.read().works).toEqual([]);
    for (const each of [stream, late, tooLate]) each.close();
  });

  longIt("that are given up, and of none in another drive", async (world) => {
    const { services, caller } = world;
    const { id: drive } = await services.drives.create(caller, "Other", "");
    const [stream, other] = [follow(world), follow({ ...world, drive })];
    for (const each of [stream, other]) expect(each.read().works).toEqual([]);
    await giveUp(world, beginWork(world, "remove"));
    const [told] = stream.read().works;
    expect(told).toMatchObject({ hasEnded: true, work: { isUndone: true } });
    expect(told?.work.progress.files).toBe(told?.work.fileTotal ?? 0);
    expect(other.read().works).toEqual([]);
    for (const each of [stream, other]) each.close();
  });
});
