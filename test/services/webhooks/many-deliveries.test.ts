import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Caller } from "../../../src/domain/accounts/caller.ts";
import { WEBHOOKS } from "../../../src/domain/limits.ts";
import { type OpenedServices, openServicesIn } from "../../support/server/opened-services.ts";
import {
  FAST_DIRECTORY,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../../support/server/temporary-directory.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import { driveIn } from "../../support/server/services-drive.ts";

/** As many as one webhook may have. */
const DELIVERIES = WEBHOOKS.pending.claimed + WEBHOOKS.kept;
const LINKS = 600;
/** Rows that one transaction changes: it takes a millisecond or two, in which everybody else waits. */
const MOST_ROWS = 200;

let place: TemporaryDirectory;
let opened: OpenedServices;
let caller: Caller;
let webhook: string;
beforeEach(async () => {
  place = await temporaryDirectory(FAST_DIRECTORY);
  opened = await openServicesIn(place.path);
  const { services } = opened;
  const { caller: authenticated } = await driveIn(services);
  caller = authenticated;
  const request = { drive: undefined, url: "https://93.184.215.14/", events: ["*"], secret: undefined };
  const created = await services.webhooks.create(caller, request);
  webhook = created.webhook.id;
  addDeliveries();
});
afterEach(async () => {
  await opened[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

function addDeliveries(): void {
  opened.database.sql.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${DELIVERIES})
     INSERT INTO webhook_delivery (id, webhook, change, type, payload, state, next_at, created_at)
     SELECT hex(randomblob(16)), pk, i, 'file.created', hex(zeroblob(500)), 'pending', 1, 1 FROM webhook, n`,
  );
}

function addLinks(driveId: string, keyId: string | null): void {
  const insert = opened.database.sql.query(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LINKS})
     INSERT INTO share_link (hash, id, drive_id, path, key_id, expires_at, created_at)
     SELECT hex(randomblob(32)), hex(randomblob(16)), ?, 'a.txt', ?, 9000000000000, 1 FROM n`,
  );
  insert.run(driveId, keyId);
}

function left(): unknown {
  return opened.database.sql
    .query(
      `SELECT (SELECT count(*) FROM webhook) AS webhooks, (SELECT count(*) FROM webhook_delivery) AS deliveries,
              (SELECT count(*) FROM share_link) AS links`,
    )
    .get();
}

const NOTHING = { webhooks: 0, deliveries: 0, links: 0 };

test("a webhook with as many deliveries as there may be is removed in pieces", async () => {
  using meter = new WriteMeter(opened.database);
  await opened.services.webhooks.remove(caller, webhook);
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(left()).toEqual(NOTHING);
});

test("what a key made goes in pieces: its links, and a webhook with many deliveries", async () => {
  if (caller.kind !== "drive" || caller.keyId === null) throw new Error("not the key of a drive");
  addLinks(caller.driveId, caller.keyId);
  using meter = new WriteMeter(opened.database);
  await opened.services.apiKeys.revoke(caller, caller.keyId);
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(left()).toEqual(NOTHING);
});

test("a deleted drive goes in pieces: its links, and a webhook with many deliveries", async () => {
  if (caller.kind !== "drive") throw new Error("not the key of a drive");
  addLinks(caller.driveId, caller.keyId);
  await opened.services.drives.remove(caller, caller.driveId);
  // Its keys are removed with it, and what these made: only what is left to the drive itself.
  using meter = new WriteMeter(opened.database);
  await opened.services.sweep.run();
  expect(meter.largest()).toBeLessThan(MOST_ROWS);
  expect(left()).toEqual(NOTHING);
});
