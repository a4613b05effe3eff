import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { statfs } from "node:fs/promises";
import { SHORTEST_GRACE_MS } from "../../../src/services/upkeep/early-removal.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { contentsIn, newContent } from "../../support/samples/contents.ts";
import { KEEPS_NOTHING, startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import { eventually, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { populate } from "../../support/server/world.ts";

const MIB = 1024 * 1024;
const REFUSED = "403 QUOTA_EXCEEDED";
/** An account that may store 1,000 bytes, and so take 3,000 on the disk. */
const SMALL = { ...KEEPS_NOTHING, "storage-limits": "team=1000" };

type Place = Pick<OwnDrive, "id" | "client">;

/** Uploads; the status, and the code of a refusal. */
async function put(drive: Place, path: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const { status, text } = await drive.client.send("PUT", `/v0/files?drive_id=${drive.id}&path=${path}`, {
    body,
  });
  return status < 400 ? String(status) : `${status} ${JSON.parse(text).error.code}`;
}

/** Uploads new contents of so many bytes to one path, one after the other. */
async function replace(drive: Place, times: number, bytes: number): Promise<string[]> {
  const answers: string[] = [];
  for (let n = 0; n < times; n += 1) answers.push(await put(drive, "f", newContent(bytes)));
  return answers;
}

async function adasDrives(coffer: TestAppliance): Promise<{ client: Client; one: Place; two: Place }> {
  const { clients, drives, files } = await populate(coffer);
  const { ada: client } = clients;
  await client.delete(`/v0/files/${files.ada}`);
  const drive = await client.makeDrive("Two");
  // The cast's file is the others' too: they let go of it last.
  return { client, one: { id: drives.ada, client }, two: { id: drive.id, client } };
}

/** Does something that `random` chooses to a drive with few paths and few contents, so that they meet often. */
async function change({ id, client }: Place, random: (below: number) => number): Promise<void> {
  const path = `d${random(2)}/f${random(3)}`;
  const body = { destination_path: path, overwrite: true };
  const { data } = await client.get<{ data: { id: string }[] }>(`/v0/files?drive_id=${id}`);
  const file = data[random(data.length + 1)];
  const upload = async () => void (await put({ id, client }, path, new Uint8Array(100 + random(6))));
  if (file === undefined) return upload();
  const changes = [
    upload,
    () => client.send("DELETE", `/v0/files/${file.id}`),
    () => client.send("POST", `/v0/files/${file.id}/move`, { body }),
    () => client.send("POST", `/v0/files/${file.id}/copy`, { body }),
    () => client.send("DELETE", "/v0/folders", { body: { drive_id: id, path: "d0/", confirm: true } }),
  ];
  await changes[random(changes.length)]?.();
}

/** Bytes of all contents, but for those of up to 12 bytes. */
function onDisk(coffer: TestAppliance): number {
  return contentsIn(coffer.dataDir)
    .filter(({ size }) => size > 12)
    .reduce((sum, { size }) => sum + size, 0);
}

/** What a query of the database answers, asked from outside. */
function ask(coffer: TestAppliance, query: string): unknown[] {
  return rowsIn(coffer.dataDir, query).flat();
}

function sweep(coffer: TestAppliance): Promise<unknown> {
  return coffer.appliance.services.sweep.run();
}

/** Every counter of what was let go of, less what it should be. */
function wrongCounts(coffer: TestAppliance): unknown[] {
  return ask(
    coffer,
    `SELECT released_size - (SELECT ifnull(sum(size), 0) FROM blob WHERE released_drive = drive.pk) FROM drive
     UNION ALL SELECT released_size - (SELECT ifnull(sum(size), 0) FROM blob WHERE released_user = user.pk) FROM user
     UNION ALL SELECT 'referred to' FROM blob WHERE refs > 0 AND (released_drive NOT NULL OR released_user NOT NULL)`,
  ).filter((difference) => difference !== 0);
}

const it = testWith(() => startAppliance(SMALL));

describe("replaces do not fill the disk", () => {
  test("of an anonymous drive: 60 MiB again and again take 300 MiB at most, and soon less", async () => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const drive = await provision(coffer);
    expect(await replace(drive, 7, 60 * MIB)).toEqual(["201", "200", "200", "200", "200", REFUSED, REFUSED]);
    expect(onDisk(coffer)).toBe(300 * MIB);
    await eventually(
      () => ask(coffer, "SELECT pk FROM blob WHERE refs = 0 AND orphaned_at IS NULL").length === 0,
    );
    coffer.clock.advance(SHORTEST_GRACE_MS);
    await sweep(coffer);
    expect([onDisk(coffer), await replace(drive, 1, 60 * MIB)]).toEqual([120 * MIB, ["200"]]);
  });

  it("of an account, in all its drives together, whether they get larger, smaller or stay", async (coffer) => {
    const { one, two } = await adasDrives(coffer);
    expect(await put(one, "f", newContent(500))).toBe("201");
    expect(await put(two, "f", newContent(500))).toBe("201");
    expect(await replace(one, 2, 500)).toEqual(["200", "200"]);
    expect(await replace(two, 2, 500)).toEqual(["200", "200"]);
    expect(await put(one, "f", newContent(499))).toBe(REFUSED);
    expect(await put(one, "f", newContent(500))).toBe(REFUSED);
    expect([await put(two, "other", new Uint8Array(13)), onDisk(coffer)]).toEqual([REFUSED, 3000]);
  });

  it("nor do deletions and uploads in turn", async (coffer) => {
    const { client, one } = await adasDrives(coffer);
    const answers: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      answers.push(await put(one, `f${n}`, newContent(900)));
      const { data } = await client.get<{ data: { id: string }[] }>(`/v0/files?drive_id=${one.id}`);
      for (const { id } of data) await client.delete(`/v0/files/${id}`);
    }
    expect([answers, onDisk(coffer)]).toEqual([["201", "201", "201", REFUSED, REFUSED], 2700]);
  });

  test.each(["swept", "not swept yet"])("nor do drives that are filled and deleted, %s", async (when) => {
    await using coffer = await startAppliance(SMALL);
    const { client } = await adasDrives(coffer);
    const answers: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const drive = await client.makeDrive(`D${n}`);
      answers.push(await put({ id: drive.id, client }, "f", newContent(900)));
      await client.delete(`/v0/drives/${drive.id}`);
      if (when === "swept") await sweep(coffer);
    }
    expect(answers).toEqual(["201", "201", "201", REFUSED]);
    expect(wrongCounts(coffer)).toEqual([]);
  });

  test("an account without a limit is never refused", async () => {
    await using coffer = await startAppliance({ ...KEEPS_NOTHING, "storage-limits": "free=1000" });
    const { one } = await adasDrives(coffer);
    expect(await replace(one, 10, 900)).toEqual(["201", ...Array<string>(9).fill("200")]);
  });

  it("what is refused changes nothing and says to try again", async (coffer) => {
    const { client, one } = await adasDrives(coffer);
    await replace(one, 3, 900);
    const list = `/v0/files?drive_id=${one.id}`;
    const before = (await client.send("GET", list)).text;
    const answer = await client.send("PUT", `/v0/files?drive_id=${one.id}&path=f`, { body: newContent(900) });
    expect(answer.text).toContain("try again in a minute");
    expect([(await client.send("GET", list)).text, onDisk(coffer)]).toEqual([before, 2700]);
    expect(wrongCounts(coffer)).toEqual([]);
    // Deleting is never refused.
    const [file]: { id: string }[] = JSON.parse(before).data;
    await client.delete(`/v0/files/${file?.id}`);
  });
});

describe("what was let go of is removed early", () => {
  it("as soon as it is more than may be stored, without a sweep: in a minute there is room again", async (coffer) => {
    const { one } = await adasDrives(coffer);
    expect(await replace(one, 4, 900)).toEqual(["201", "200", "200", REFUSED]);
    await eventually(
      () => ask(coffer, "SELECT pk FROM blob WHERE released_user = 1 AND orphaned_at IS NULL").length === 0,
    );
    coffer.clock.advance(SHORTEST_GRACE_MS - 1);
    expect(await replace(one, 1, 900)).toEqual([REFUSED]);
    await sweep(coffer);
    expect(onDisk(coffer)).toBe(2700);
    coffer.clock.advance(1);
    // Refused, and so removed.
    expect(await replace(one, 1, 900)).toEqual([REFUSED]);
    await eventually(() => onDisk(coffer) === 1800);
    expect(await replace(one, 1, 900)).toEqual(["200"]);
  });

  it("the oldest first, and no more than it takes", async (coffer) => {
    const { one } = await adasDrives(coffer);
    const sizes = [400, 410, 420, 430];
    for (const size of sizes) {
      await put(one, "f", newContent(size));
      await sweep(coffer);
      coffer.clock.advance(1000);
    }
    coffer.clock.advance(SHORTEST_GRACE_MS);
    await sweep(coffer);
    const released = () =>
      ask(coffer, "SELECT size FROM blob WHERE released_user = 1 AND size > 12 ORDER BY size");
    expect(released()).toEqual([410, 420]);
    coffer.clock.advance(ORPHAN_GRACE_MS);
    await sweep(coffer);
    expect(released()).toEqual([]);
    expect(wrongCounts(coffer)).toEqual([]);
  });

  it("only theirs: what others let go of stays its hour", async (coffer) => {
    const { one } = await adasDrives(coffer);
    const other = await provision(coffer);
    await replace(other, 3, 777);
    await replace(one, 3, 900);
    await sweep(coffer);
    coffer.clock.advance(SHORTEST_GRACE_MS);
    await sweep(coffer);
    expect(onDisk(coffer)).toBe(3 * 777 + 2 * 900);
    coffer.clock.advance(ORPHAN_GRACE_MS);
    await sweep(coffer);
    expect(onDisk(coffer)).toBe(777 + 900);
  });

  test("all of it, deleted drives' too, when the disk is near its reserve", async () => {
    const { bavail, frsize } = await statfs(FAST_DIRECTORY);
    await using coffer = await startAppliance({
      ...KEEPS_NOTHING,
      "disk-reserve": String(Math.floor(bavail * frsize * 0.75)),
    });
    const [drive, deleted] = [await provision(coffer), await provision(coffer)];
    await replace(drive, 2, 777);
    await put(deleted, "f", newContent(888));
    await deleted.client.delete(`/v0/drives/${deleted.id}`);
    await sweep(coffer);
    coffer.clock.advance(SHORTEST_GRACE_MS - 1);
    await sweep(coffer);
    expect(onDisk(coffer)).toBe(777 + 777 + 888);
    coffer.clock.advance(1);
    await sweep(coffer);
    expect(onDisk(coffer)).toBe(777);
  });
});

describe("for whom it counts", () => {
  it("whoever let go last of what several had, and nobody once it is in use again", async (coffer) => {
    const { one } = await adasDrives(coffer);
    const other = await provision(coffer);
    const shared = newContent(300);
    await put(one, "f", shared);
    await put(other, "f", shared);
    const sizes = () =>
      ask(
        coffer,
        "SELECT released_size FROM user WHERE pk = 1 UNION ALL SELECT max(released_size) FROM drive",
      );
    const [before] = sizes();
    await put(one, "f", newContent(20));
    expect(sizes()).toEqual([before, 0]);
    await put(other, "f", newContent(20));
    expect(sizes()).toEqual([before, 300]);
    await put(one, "again", shared);
    expect(sizes()).toEqual([before, 0]);
    expect(wrongCounts(coffer)).toEqual([]);
  });

  test("a deleted drive's does not count for the next one, which has its row's number", async () => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const drive = await provision(coffer);
    await replace(drive, 3, 777);
    await drive.client.delete(`/v0/drives/${drive.id}`);
    await sweep(coffer);
    await provision(coffer);
    expect(ask(coffer, "SELECT pk, released_size FROM drive")).toEqual([1, 0]);
    expect(ask(coffer, "SELECT count(*), count(released_drive) FROM blob")).toEqual([3, 0]);
  });

  test("a claimed drive's, from then on, for its owner", async () => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const { clients } = await populate(coffer);
    const drive = await provision(coffer);
    await replace(drive, 2, 300);
    await clients.ada.post("/v0/drives/claim", { token: drive.claimToken }, 200);
    await replace(drive, 1, 400);
    expect(ask(coffer, "SELECT released_size FROM user WHERE username = 'ada'")).toEqual([300]);
    expect(ask(coffer, "SELECT max(released_size) FROM drive")).toEqual([300]);
    expect(wrongCounts(coffer)).toEqual([]);
  });

  test("the counters are right whatever happens", async () => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const { client, one, two } = await adasDrives(coffer);
    const mine = await provision(coffer);
    let seed = 1;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    for (let n = 0; n < 150; n += 1) {
      const drive = [one, two, mine][random(3)] ?? one;
      await change(drive, random);
      if (random(20) === 0) {
        coffer.clock.advance(ORPHAN_GRACE_MS / 2);
        await sweep(coffer);
      }
      expect(wrongCounts(coffer)).toEqual([]);
    }
    await client.delete(`/v0/drives/${two.id}`);
    await sweep(coffer);
    expect(wrongCounts(coffer)).toEqual([]);
  });
});
