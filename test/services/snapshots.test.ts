import { expect, test } from "bun:test";
import type { Caller } from "../../src/domain/caller.ts";
import { SNAPSHOTS } from "../../src/domain/limits.ts";
import { SnapshotRemoval } from "../../src/services/snapshots/snapshot-removal.ts";
import { type OpenedServices, openServicesIn } from "../support/opened-services.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/temporary-directory.ts";
import { UNCONDITIONAL } from "../support/unconditional.ts";

test("of snapshots that the server takes and does not give back, only the newest stay", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using opened = await openServicesIn(place.path);
  const { services, database, clock } = opened;
  const { apiKey, driveId } = await services.drives.provision("Drive");
  const caller = services.apiKeys.authenticate(apiKey);
  if (caller === null) throw new Error("the key is not known");
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
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using opened = await openServicesIn(place.path);
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

/** A drive of its own, with a file that was replaced since a snapshot which is deleted. */
async function deletedSnapshot({ services }: OpenedServices): Promise<void> {
  const { apiKey, driveId } = await services.drives.provision("Drive");
  const caller = services.apiKeys.authenticate(apiKey);
  if (caller === null) throw new Error("the key is not known");
  await store(services, caller, driveId, "before");
  const { id } = await services.snapshots.create(caller, driveId, undefined);
  await store(services, caller, driveId, "after");
  await services.snapshots.remove(caller, driveId, id);
}

async function store(
  { uploads }: OpenedServices["services"],
  caller: Caller,
  driveId: string,
  text: string,
): Promise<void> {
  const upload = await uploads.begin(caller, driveId);
  await upload.write(Buffer.from(text));
  const unset = { filename: undefined, contentType: undefined, metadata: undefined, tags: undefined };
  await upload.finish({ ...unset, driveId, path: "f", expiresAt: undefined }, UNCONDITIONAL);
}
