import { afterEach, beforeEach, expect, test } from "bun:test";
import { WEBHOOKS } from "../../../src/domain/limits.ts";
import { numbersTo } from "../../support/samples/many-files.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { type OpenedDrive, openWithDrive } from "../../support/server/services-drive.ts";

/** As many as one webhook may have. */
const DELIVERIES = WEBHOOKS.pending.claimed + WEBHOOKS.kept;
const LINKS = 600;
/** Rows that one transaction changes: it takes a millisecond or two, in which everybody else waits. */
const MOST_ROWS = 200;

let opened: OpenedDrive;
let webhook: string;
beforeEach(async () => {
  opened = await openWithDrive();
  const request = { drive: undefined, url: "https://93.184.215.14/", events: ["*"], secret: undefined };
  const created = await opened.services.webhooks.create(opened.caller, request);
  webhook = created.webhook.id;
  addDeliveries();
});
afterEach(() => opened[Symbol.asyncDispose]());

function addDeliveries(): void {
  opened.database.sql.run(
    `${numbersTo(DELIVERIES)}
     INSERT INTO webhook_delivery (id, webhook, change, type, payload, state, next_at, created_at)
     SELECT hex(randomblob(16)), pk, i, 'file.created', hex(zeroblob(500)), 'pending', 1, 1 FROM webhook, n`,
  );
}

function addLinks(driveId: string, keyId: string | null): void {
  const insert = opened.database.sql.query(
    `${numbersTo(LINKS)}
     INSERT INTO share_link (hash, id, drive_id, path, key_id, expires_at, created_at)
     SELECT hex(randomblob(32)), hex(randomblob(16)), ?, 'a.txt', ?, 9000000000000, 1 FROM n`,
  );
  insert.run(driveId, keyId);
}

/** How many webhooks, deliveries and links there are. */
function left(): number[] {
  return ["webhook", "webhook_delivery", "share_link"].map(opened.count);
}

const NOTHING = [0, 0, 0];

test("a webhook with as many deliveries as there may be is removed in pieces", async () => {
  using meter = new WriteMeter(opened.database);
  await opened.services.webhooks.remove(opened.caller, webhook);
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(left()).toEqual(NOTHING);
});

test("what a key made goes in pieces: its links, and a webhook with many deliveries", async () => {
  const { caller } = opened;
  if (caller.kind !== "drive" || caller.keyId === null) throw new Error("not the key of a drive");
  addLinks(caller.driveId, caller.keyId);
  using meter = new WriteMeter(opened.database);
  await opened.services.apiKeys.revoke(caller, caller.keyId);
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(left()).toEqual(NOTHING);
});

test("a deleted drive goes in pieces: its links, and a webhook with many deliveries", async () => {
  const { caller } = opened;
  if (caller.kind !== "drive") throw new Error("not the key of a drive");
  addLinks(caller.driveId, caller.keyId);
  await opened.services.drives.remove(caller, caller.driveId);
  // Its keys are removed with it, and what these made: only what is left to the drive itself.
  using meter = new WriteMeter(opened.database);
  await opened.services.sweep.run();
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(left()).toEqual(NOTHING);
});
