import { expect, test } from "bun:test";
import { SNAPSHOTS } from "../../../src/domain/limits.ts";
import { SnapshotRemoval } from "../../../src/services/snapshots/snapshot-removal.ts";
import { copyRows } from "../../support/samples/many-files.ts";
import type { OpenedServices } from "../../support/server/services-drive.ts";
import { driveIn, openOwnServices, openWithDrive, storeFile } from "../../support/server/services-drive.ts";
import { TurnMeter } from "../../support/meters/turn-meter.ts";

test("of snapshots that the server takes and does not give back, only the newest stay", async () => {
  await using opened = await openWithDrive();
  const { services, database, clock, caller, drive: driveId } = opened;
  const drive = services.drives.get(caller, driveId);
  const stamp = { now: clock.now(), by: null };
  // As for forks that are cut off.
  for (let n = 0; n <= SNAPSHOTS.automatic; n += 1)
    await database.write(() => services.snapshots.takeFor(drive, `For the fork ${n}`, stamp));
  const { snapshots } = services.snapshots.list(caller, driveId, { limit: 100, before: null });
  expect(snapshots).toHaveLength(SNAPSHOTS.automatic);
  expect(snapshots.at(-1)?.name).toBe("For the fork 1");
  const feed = { drives: [driveId], position: null, limit: 1, newestFirst: true };
  expect(services.feed.page(caller, feed).changes).toMatchObject([{ type: "snapshot.deleted", by: null }]);
});

test("what only a deleted snapshot needs goes, also if it has the row of one that went with its drive", async () => {
  await using opened = await openOwnServices();
  const { database } = opened;
  const removal = new SnapshotRemoval({ ...opened, changes: opened.services.changes });
  await deletedSnapshot(opened);
  await removal.piece();
  await database.write(() => database.sql.run("DELETE FROM snapshot"));
  await deletedSnapshot(opened);
  while ((await removal.piece()) > 0);
  const held = "SELECT 1 FROM held_file WHERE drive = (SELECT max(pk) FROM drive)";
  expect(database.sql.query(held).all()).toEqual([]);
});

test("a folder of a snapshot is listed without a look at what has expired elsewhere", async () => {
  const costs: number[] = [];
  for (const count of [10, 3000]) {
    const meter = new TurnMeter();
    await using opened = await openWithDrive({ open: (tables) => meter.open(tables) });
    const { services, database, clock, caller, drive: driveId } = opened;
    const soon = new Date(clock.now() + 60_000).toISOString();
    const { file } = await storeFile(opened, "f", "goes", { expiresAt: soon });
    await database.write(() => copyRows(database, file.id, count));
    await storeFile(opened, "docs/f", "stays");
    const snapshot = await services.snapshots.create(caller, driveId, undefined);
    clock.advance(120_000);
    const page = { driveId, page: 1, limit: 50, after: null };
    const before = meter.total;
    const files = { ...page, prefix: "docs/", grouped: true, tags: [], sort: "path" } as const;
    expect(await services.snapshotViews.list(caller, snapshot.id, files)).toMatchObject({ total: 1 });
    const folders = { ...page, path: "docs/", sort: "path" } as const;
    expect(await services.snapshotViews.folders(caller, snapshot.id, folders)).toMatchObject({ total: 0 });
    costs.push(meter.total - before);
    const all = { ...files, prefix: "", grouped: false };
    expect(await services.snapshotViews.list(caller, snapshot.id, all)).toMatchObject({ total: 1 });
  }
  expect(costs[1]).toBe(costs[0] ?? 0);
});

/** A drive of its own, with a file that was replaced since a snapshot which is deleted. */
async function deletedSnapshot({ services }: OpenedServices): Promise<void> {
  const { caller, drive } = await driveIn(services);
  const place = { services, caller, drive };
  await storeFile(place, "f", "before");
  const { id } = await services.snapshots.create(caller, drive, undefined);
  await storeFile(place, "f", "after");
  await services.snapshots.remove(caller, drive, id);
}
