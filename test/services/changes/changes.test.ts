import { describe, expect, test } from "bun:test";
import { cp, rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChangeType } from "../../../src/domain/changes/change-types.ts";
import { changeNumber, type ChangePosition } from "../../../src/domain/changes/change.ts";
import { WEBHOOKS } from "../../../src/domain/limits.ts";
import { parseFolderPath, ROOT } from "../../../src/domain/files/path.ts";
import { DAY_MS } from "../../../src/domain/time.ts";
import type { FeedDrive } from "../../../src/services/changes/changes.ts";
import { seenFrom } from "../../../src/services/changes/entries.ts";
import { accountClient, startWithAda } from "../../support/server/accounts.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { allChanges, changesPage } from "../../support/peers/event-reader.ts";
import type { OpenedServices } from "../../support/server/services-drive.ts";
import { callerWith, openWithDrive, otherDrive } from "../../support/server/services-drive.ts";
import { eventually, provision } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { TurnMeter } from "../../support/meters/turn-meter.ts";
import { numbersTo } from "../../support/samples/many-files.ts";

test("changes are kept as long as versions; then a reader that was away is told so, and starts anew", async () => {
  await using coffer = await startWithAda();
  const { client, id } = await provision(coffer);
  const ada = await accountClient(coffer, "ada");
  const drive = await ada.makeDrive("D");
  const put = (path: string) => ada.put(drive.id, path, "x");
  const start = await changesPage(ada, "");
  await put("a");
  await put("b");
  const [a, b] = (await changesPage(ada, "")).data;
  coffer.clock.advance(29 * DAY_MS);
  await put("c");
  coffer.clock.advance(1.5 * DAY_MS);
  await coffer.appliance.services.sweep.run();
  for (const gone of [start.next_cursor, a?.id]) {
    const answer = await ada.send("GET", `/v0/changes?cursor=${gone}`);
    expect([answer.status, answer.text]).toEqual([410, expect.stringContaining("cursor=latest")]);
  }
  // It has seen all that is gone.
  expect((await changesPage(ada, `cursor=${b?.id}`)).data.map(({ path }) => path)).toEqual(["c"]);
  // What is left of the feed is gone through as ever, also where another drive has older changes.
  await put("d");
  const rest = await allChanges(ada, "", 1);
  expect(rest.map(({ path }) => path)).toEqual(["c", "d"]);
  expect((await client.send("GET", `/v0/changes?drive_id=${id}`)).status).toBe(401);
});

test("the newest change before a time is found among numbers with gaps", async () => {
  await using one = await openWithDrive();
  const { database, tables, services, caller, drive, clock } = one;
  for (const [n, step] of [1, 0, 0, 5, 1, 0, 7, 2, 0, 1].entries()) {
    clock.advance(step);
    await services.folders.create(caller, drive, `${n}/`);
  }
  database.sql.run("DELETE FROM change WHERE pk IN (1, 4, 5, 9)");
  const kept = database.sql
    .query<{ number: number; at: number }, []>("SELECT pk AS number, at FROM change ORDER BY pk")
    .all();
  for (const time of kept.flatMap(({ at }) => [at, at + 1])) {
    const last = kept.findLast(({ at }) => at < time);
    expect([time, tables.changes.lastBefore(time)?.number]).toEqual([
      time,
      last && changeNumber(last.number),
    ]);
  }
});

test("what is gone of one drive does not end the way through the feed of several", async () => {
  await using one = await openWithDrive();
  const { services, tables } = one;
  const drives: FeedDrive[] = [];
  for (const { caller, drive } of [one, await otherDrive(one)]) {
    if (caller.kind !== "drive") throw new Error("the key is not of a drive");
    drives.push({ drive: caller.drivePk, prefix: ROOT, from: changeNumber(0) });
    for (const path of ["a/", "b/", "c/"]) await services.folders.create(caller, drive, path);
  }
  const [, two] = drives;
  if (two === undefined) throw new Error("there are not two drives");
  await tables.write(() => tables.changes.trim(two.drive, changeNumber(5), 10));
  const seen: string[] = [];
  for (let position: ChangePosition | null = null; seen.length < 10;) {
    const page = services.changes.page({ drives, position, limit: 1, newestFirst: false });
    seen.push(...page.changes.map(({ number, path }) => `${number} ${path}`));
    if (!page.hasMore) break;
    position = page.next;
  }
  expect(seen).toEqual(["1 a/", "2 b/", "3 c/", "6 c/"]);
  const gone = { number: changeNumber(4), at: 0, from: changeNumber(0) };
  expect(() => services.changes.page({ drives, position: gone, limit: 1, newestFirst: false })).toThrow(
    "not kept",
  );
});

test("a reader of what an older backup does not have is told so, also once its numbers are others'", async () => {
  await using restored = await startAppliance();
  const own = await provision(restored);
  const write = (path: string) => restored.client(own.key).put(own.id, path, path);
  await write("a");
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await restored.close();
  await cp(restored.dataDir, place.path, { recursive: true });
  await restored.restart();
  await write("lost");
  const lost = await changesPage(restored.client(own.key), "");
  await restored.close();
  await rm(restored.dataDir, { recursive: true });
  await cp(place.path, restored.dataDir, { recursive: true });
  restored.clock.advance(1000);
  await restored.restart();
  const status = async () =>
    (await restored.client(own.key).send("GET", `/v0/changes?cursor=${lost.next_cursor}`)).status;
  expect(await status()).toBe(410);
  await write("b");
  await write("c");
  expect(await status()).toBe(410);
  const all = await allChanges(restored.client(own.key), "");
  expect(all.map(({ path }) => path)).toEqual(["a", "b", "c"]);
  // What the backup has goes on as if nothing had happened.
  const rest = await changesPage(restored.client(own.key), `cursor=${lost.data[0]?.id}`);
  expect(rest.data.map(({ path }) => path)).toEqual(["b", "c"]);
});

test("a change is shown only once it is on the disk, and before its write is answered", async () => {
  await using opened = await openWithDrive();
  const { services, database, caller, drive: driveId } = opened;
  const request = { drives: [driveId], position: null, limit: 10, newestFirst: false };
  const states = new Set<string>();
  const state = { isAnswered: false };
  const written = services.folders.create(caller, driveId, "f/").then(() => {
    state.isAnswered = true;
  });
  for (; !state.isAnswered; await nextTurn()) {
    const isCommitted = database.sql.query("SELECT 1 FROM change").get() !== null;
    const isShown = services.feed.page(caller, request).changes.length > 0;
    states.add(`${isCommitted} ${isShown}`);
  }
  await written;
  // Committed and not synced: a power cut could undo it.
  expect(states).toContain("true false");
  expect(states).not.toContain("false true");
  expect(services.feed.page(caller, request).changes).toHaveLength(1);
});

/** Adds so many changes to the only drive. Inside a write. */
function addChanges({ sql }: OpenedServices["database"], count: number, at: number): void {
  sql.run(`${numbersTo(count)}
    INSERT INTO change (drive, type, path, actor, at)
    SELECT (SELECT pk FROM drive), 'folder.created', 'other/' || i || '/', NULL, ${at} FROM n`);
}

test("no reader of a long feed, and no list of many links, holds others up", async () => {
  const rows = 11_000;
  const turns = new TurnMeter();
  await using opened = await openWithDrive({ open: (tables) => turns.open(tables) });
  const { services, database, clock, caller: owner, drive: driveId } = opened;
  const request = { name: "", scope: "read-write", driveId, pathPrefix: "notes/", expiresAt: null } as const;
  const limited = callerWith(services, (await services.apiKeys.create(owner, request)).secret);
  await database.write(() => {
    addChanges(database, rows, clock.now());
    database.sql.run(`${numbersTo(rows)}
      INSERT INTO presigned_link (hash, id, file_id, drive_id, key_id, one_time, expires_at, created_at)
      SELECT i, i, 'none', '${driveId}', '${owner.keyId}', 0, ${clock.now()}, i FROM n`);
  });
  await services.folders.create(limited, driveId, "notes/");
  turns.largest();
  const newest = { drives: [driveId], position: null, limit: 5, newestFirst: true };
  const page = await services.feed.wholePage(limited, newest);
  expect([page.changes.map(({ path }) => path), page.hasMore]).toEqual([["notes/"], true]);
  for (const caller of [owner, limited]) {
    await nextTurn();
    const undone = services.undo.last(caller, driveId, "notes/nothing");
    expect(await undone.catch((error: unknown) => error)).toMatchObject({ code: "NOT_FOUND" });
  }
  await nextTurn();
  const { links, nextAfter } = await services.linkLists.list(owner, {
    drive: driveId,
    limit: 5,
    after: null,
  });
  expect([links, nextAfter]).toEqual([[], expect.anything()]);
  expect(turns.total).toBeGreaterThan(rows);
  expect(turns.largest()).toBeLessThan(1600);
});

test("webhooks that are told of nothing hold nobody up, and go on where they were", async () => {
  const rows = 900;
  const turns = new TurnMeter();
  await using opened = await openWithDrive({ open: (tables) => turns.open(tables) });
  const { services, database, clock, caller, drive: driveId } = opened;
  const wanted = { drive: undefined, url: "https://agent.example/", events: ["link.*"], secret: undefined };
  for (let n = 0; n < WEBHOOKS.each.unclaimed; n += 1) await services.webhooks.create(caller, wanted);
  await database.write(() => addChanges(database, rows, clock.now()));
  await services.folders.create(caller, driveId, "last/");
  const before = turns.total;
  turns.largest();
  services.webhookOutbox.start(() => ({}));
  const seen = () => turns.total - before;
  await eventually(() => seen() > WEBHOOKS.each.unclaimed * rows);
  expect(turns.largest()).toBeLessThan(2 * rows);
  const all = seen();
  for (const { pk } of services.webhooks.list(caller, undefined)) services.webhookOutbox.wake(pk);
  await eventually(() => seen() > all + WEBHOOKS.each.unclaimed);
  await services.folders.create(caller, driveId, "more/");
  await services.webhookOutbox.stop();
  expect(seen() - all).toBeLessThan(rows);
});

describe("who sees one folder only", () => {
  const folder = parseFolderPath("path", "notes/");
  const seen = (type: ChangeType, path: string, previousPath: string | null = null) => {
    const rest = { message: "Why", fileCount: 3, ref: "r", before: null, after: null };
    const shown = seenFrom({ type, path, previousPath, ...rest }, folder);
    if (shown === null) return null;
    // What was said of a change is told only with all of it.
    const isWhole = shown.type === type && shown.path === path;
    expect<string | null>(shown.message).toBe(isWhole ? "Why" : null);
    return [shown.type, shown.path, shown.previousPath];
  };

  test.each([
    ["what is in it", seen("file.created", "notes/a"), ["file.created", "notes/a", null]],
    ["nothing beside it", seen("file.created", "other/a"), null],
    ["nothing that only begins like it", seen("file.created", "notes-secret/a"), null],
    ["a move within it", seen("file.moved", "notes/b", "notes/a"), ["file.moved", "notes/b", "notes/a"]],
    ["what comes in as new", seen("file.moved", "notes/b", "other/a"), ["file.created", "notes/b", null]],
    ["what leaves as gone", seen("file.moved", "other/a", "notes/b"), ["file.deleted", "notes/b", null]],
    [
      "a copy that comes in",
      seen("folder.copied", "notes/b/", "other/"),
      ["folder.created", "notes/b/", null],
    ],
    ["no copy that leaves", seen("folder.copied", "other/", "notes/b/"), null],
    ["the removal of all of it", seen("folder.deleted", "notes/"), ["folder.deleted", "notes/", null]],
    ["the move of all of it", seen("folder.moved", "else/", "notes/"), ["folder.deleted", "notes/", null]],
    [
      "the whole drive's restore as its own",
      seen("drive.restored", ROOT),
      ["drive.restored", "notes/", null],
    ],
    ["no change of the drive itself", seen("drive.updated", ROOT), null],
  ])("sees %s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});
