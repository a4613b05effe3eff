import { expect, test } from "bun:test";
import { WEBHOOKS } from "../../../src/domain/limits.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { numbersTo } from "../../support/samples/many-files.ts";
import { openWithDrive } from "../../support/server/services-drive.ts";

/** As many as one webhook may have. */
const DELIVERIES = WEBHOOKS.pending.claimed + WEBHOOKS.kept;
const LINKS = 600;
/** Rows that one transaction changes: it takes a millisecond or two, in which everybody else waits. */
const MOST_ROWS = 200;

test.each([
  ["a webhook with as many deliveries as there may be", "webhook"],
  ["what a key made: its links, and a webhook with many deliveries", "key"],
  ["a deleted drive: its links, and a webhook with many deliveries", "drive"],
])("%s goes in pieces", async (_, what) => {
  await using opened = await openWithDrive();
  const { services, database, caller } = opened;
  if (caller.kind !== "drive" || caller.keyId === null) throw new Error("not the key of a drive");
  const request = { drive: undefined, url: "https://93.184.215.14/", events: ["*"], secret: undefined };
  const { webhook } = await services.webhooks.create(caller, request);
  database.sql.run(
    `${numbersTo(DELIVERIES)}
     INSERT INTO webhook_delivery (id, webhook, change, type, payload, state, next_at, created_at)
     SELECT hex(randomblob(16)), pk, i, 'file.created', hex(zeroblob(500)), 'pending', 1, 1 FROM webhook, n`,
  );
  if (what !== "webhook")
    database.sql.run(
      `${numbersTo(LINKS)}
       INSERT INTO share_link (hash, id, drive_id, path, key_id, expires_at, created_at)
       SELECT hex(randomblob(32)), hex(randomblob(16)), ?, 'a.txt', ?, 9000000000000, 1 FROM n`,
      [caller.driveId, caller.keyId],
    );
  // Its keys are removed with a drive, and what these made: only what is left to the drive itself.
  if (what === "drive") await services.drives.remove(caller, caller.driveId);
  using meter = new WriteMeter(database);
  if (what === "webhook") await services.webhooks.remove(caller, webhook.id);
  else if (what === "key") await services.apiKeys.revoke(caller, caller.keyId);
  else await services.sweep.run();
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(["webhook", "webhook_delivery", "share_link"].map(opened.count)).toEqual([0, 0, 0]);
});
