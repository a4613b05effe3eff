import { expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { SESSIONS_A_USER } from "../../../src/domain/accounts/sign-in.ts";
import { DOUBT_MS } from "../../../src/services/upkeep/clock-watch.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { KEEPS_NOTHING, startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { contentsOnDisk, provision, type UnclaimedDrive } from "../../support/server/scenario.ts";
import { isSignedIn, signIn } from "../../support/server/sign-in.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A drive with a file that expires in ten days. */
async function withDrive(coffer: TestAppliance): Promise<UnclaimedDrive> {
  const drive = await provision(coffer);
  const expiry = new Date(coffer.clock.now() + 10 * DAY_MS).toISOString();
  const target = `/v0/files?drive_id=${drive.id}&path=a.txt&expires_at=${encodeURIComponent(expiry)}`;
  await drive.client.json(201, "PUT", target, { body: "still here" });
  return drive;
}

function sweep(coffer: TestAppliance) {
  return coffer.appliance.services.sweep.run();
}

async function filesOf(coffer: TestAppliance, { key, id }: UnclaimedDrive): Promise<number | string> {
  const answer = await coffer.client(key).send("GET", `/v0/files?drive_id=${id}`);
  return answer.status === 200 ? JSON.parse(answer.text).total : `status ${answer.status}`;
}

const it = testWith(() => startAppliance(KEEPS_NOTHING));

it("what a clock that is a month ahead makes expire is there again when it is set right within an hour", async (coffer) => {
  const drive = await withDrive(coffer);
  coffer.clock.set(31 * DAY_MS);
  expect(await filesOf(coffer, drive)).toBe("status 401");
  expect(await sweep(coffer)).toEqual({ files: 0, drives: 0, blobs: 0 });
  coffer.clock.advance(DOUBT_MS - 1);
  expect(await sweep(coffer)).toEqual({ files: 0, drives: 0, blobs: 0 });
  expect(coffer.lines.filter((line) => line.includes("the clock was set forward"))).toEqual([
    expect.stringContaining('"hours":744'),
  ]);
  coffer.clock.set(-31 * DAY_MS);
  expect(await filesOf(coffer, drive)).toBe(1);
  await sweep(coffer);
  expect(await filesOf(coffer, drive)).toBe(1);
  // After an hour the clock is believed.
  coffer.clock.set(31 * DAY_MS);
  await sweep(coffer);
  coffer.clock.advance(DOUBT_MS);
  expect(await sweep(coffer)).toMatchObject({ files: 1, drives: 1 });
  expect(rowsIn(coffer.dataDir, "SELECT 1 FROM drive")).toEqual([]);
});

test.each([
  ["has swept", true],
  ["is new", false],
])(
  "a start with a clock that is a month ahead removes nothing for an hour either: a store that %s",
  async (_, hasSwept) => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const drive = await withDrive(coffer);
    if (hasSwept) await sweep(coffer);
    await coffer.close();
    coffer.clock.set(31 * DAY_MS);
    for (const starts of [1, 2]) {
      await coffer.restart();
      expect(await sweep(coffer)).toEqual({ files: 0, drives: 0, blobs: 0 });
      expect(coffer.lines.filter((line) => line.includes("or the clock is wrong"))).toHaveLength(starts);
      await provision(coffer);
    }
    coffer.clock.set(-31 * DAY_MS);
    expect(await filesOf(coffer, drive)).toBe(1);
  },
);

it("small corrections of the clock hold nothing up", async (coffer) => {
  await withDrive(coffer);
  coffer.clock.advance(31 * DAY_MS);
  coffer.clock.set(60_000);
  expect(await sweep(coffer)).toMatchObject({ files: 1, drives: 1 });
});

it("sessions that a clock a month ahead ends are there again when it is set right", async (coffer) => {
  addAccount(coffer, "ada");
  const browser = await signIn(coffer, "ada");
  coffer.clock.set(31 * DAY_MS);
  expect(await isSignedIn(browser)).toBe(false);
  await coffer.appliance.services.sessions.removeExpired();
  coffer.clock.set(-31 * DAY_MS);
  expect(await isSignedIn(browser)).toBe(true);
});

it("contents that were deleted while the clock was a month ahead are removed an hour after it is set right", async (coffer) => {
  const { client, id } = await provision(coffer);
  const target = `/v0/files?drive_id=${id}&path=a.txt`;
  const file = await client.json<{ id: string }>(201, "PUT", target, {
    body: "x".repeat(SMALL_CONTENT_BYTES + 1),
  });
  coffer.clock.set(20 * DAY_MS);
  await client.delete(`/v0/files/${file.id}`);
  await sweep(coffer);
  coffer.clock.set(-20 * DAY_MS);
  await sweep(coffer);
  coffer.clock.advance(ORPHAN_GRACE_MS);
  expect(await sweep(coffer)).toMatchObject({ blobs: 1 });
  expect((await contentsOnDisk(coffer.dataDir)).blobs).toEqual([]);
});

it("a link that was made while the clock was a month ahead does not live for a month", async (coffer) => {
  const { client, id } = await provision(coffer);
  const file = await client.put(id, "a.txt", "x");
  coffer.clock.set(20 * DAY_MS);
  const link = await client.post<{ token: string }>(
    `/v0/files/${file.id}/presigned-url`,
    { expires_in: 60 },
    200,
  );
  const open = async () => (await coffer.client().send("GET", `/v0/presigned/${link.token}`)).status;
  expect(await open()).toBe(200);
  coffer.clock.set(-20 * DAY_MS);
  expect(await open()).toBe(410);
});

it("a clock that was set back does not end the session that has just begun", async (coffer) => {
  addAccount(coffer, "ada");
  // As many as there may be, all from before it was set back.
  changeDatabase(
    coffer.dataDir,
    `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${SESSIONS_A_USER})
     INSERT INTO session (id, hash, user, user_agent, created_at, last_used_at, expires_at)
     SELECT 'id-' || value, 'hash-' || value, (SELECT pk FROM user), '', ${coffer.clock.now()}, 1, 9e15
       FROM n`,
  );
  coffer.clock.set(-DAY_MS);
  expect(await isSignedIn(await signIn(coffer, "ada"))).toBe(true);
});
