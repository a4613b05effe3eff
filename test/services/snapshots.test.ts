import { expect, test } from "bun:test";
import { SNAPSHOTS } from "../../src/domain/limits.ts";
import { openServicesIn } from "../support/opened-services.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/temporary-directory.ts";

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
});
