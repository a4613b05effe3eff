import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { statfs } from "node:fs/promises";
import { HistoryRemoval } from "../../../src/services/history/history-removal.ts";
import { Pruning } from "../../../src/services/history/pruning.ts";
import { SnapshotRemoval } from "../../../src/services/snapshots/snapshot-removal.ts";
import { SHORTEST_GRACE_MS } from "../../../src/services/upkeep/early-removal.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { contentsIn, newContent } from "../../support/samples/contents.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import { eventually, provision } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { verified } from "../../support/faults/verified.ts";
import { populate } from "../../support/server/world.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { openWithDrive, storeFile } from "../../support/server/services-drive.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** An account that may store 1,000 bytes. */
const SMALL = { "storage-limits": "team=1000" };

interface Place {
  readonly id: string;
  readonly client: Client;
}

async function put(
  { id, client }: Place,
  path: string,
  bytes: number,
): Promise<{ id: string; status: number }> {
  const address = `/v0/files?drive_id=${id}&path=${path}`;
  const { status, text } = await client.send("PUT", address, { body: newContent(bytes) });
  return { id: JSON.parse(text).id, status };
}

async function numbersOf({ client }: Place, id: string): Promise<number[]> {
  const { data } = await client.get<{ data: { version: number }[] }>(`/v0/files/${id}/versions`);
  return data.map(({ version }) => version);
}

async function trashOf({ id, client }: Place): Promise<string[]> {
  const { data } = await client.get<{ data: { path: string }[] }>(`/v0/trash?drive_id=${id}`);
  return data.map(({ path }) => path);
}

/** A drive of Ada's without anything in it. */
async function adasDrive(coffer: TestAppliance): Promise<Place> {
  const { clients, files } = await populate(coffer);
  await clients.ada.delete(`/v0/files/${files.ada}`);
  const drive = await clients.ada.makeDrive("Two");
  return { id: drive.id, client: clients.ada };
}

function rowsOf(coffer: TestAppliance, table: string): number {
  return Number(rowsIn(coffer.dataDir, `SELECT count(*) FROM ${table}`)[0]?.[0]);
}

function onDisk(coffer: TestAppliance): number {
  return contentsIn(coffer.dataDir).reduce((sum, { size }) => sum + size, 0);
}

describe("what is kept ends", () => {
  test("after its days, in the sweep, and its contents after that", async () => {
    await using coffer = await startAppliance({ "keep-days": "2" });
    const own = await provision(coffer);
    const { id } = await put(own, "f", 20_000);
    await put(own, "f", 20_001);
    await own.client.delete(`/v0/files/${(await put(own, "g", 20_002)).id}`);
    const { sweep } = coffer.appliance.services;
    coffer.clock.advance(2 * DAY_MS - 1);
    await sweep.run();
    expect([rowsOf(coffer, "file_version"), rowsOf(coffer, "trash_file")]).toEqual([1, 1]);
    coffer.clock.advance(1);
    await sweep.run();
    expect([rowsOf(coffer, "file_version"), rowsOf(coffer, "trash"), rowsOf(coffer, "kept_content")]).toEqual(
      [0, 0, 0],
    );
    expect(await numbersOf(own, id)).toEqual([]);
    coffer.clock.advance(ORPHAN_GRACE_MS);
    await sweep.run();
    expect([onDisk(coffer), await verified(coffer.dataDir)]).toEqual([20_001, []]);
  });

  test("at once after a start that keeps fewer, or nothing", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    for (let n = 1; n <= 6; n += 1) await put(own, "f", n);
    await coffer.restart({ "keep-versions": "2" });
    await coffer.appliance.services.sweep.run();
    expect(rowsOf(coffer, "file_version")).toBe(2);
    await coffer.restart({ "keep-days": "0" });
    await coffer.appliance.services.sweep.run();
    expect(rowsOf(coffer, "file_version")).toBe(0);
  });

  test("with its file, once that is in no trash any more", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    const { id } = await put(own, "f", 10);
    await put(own, "f", 11);
    const { trash_id: entry } = await own.client.delete<{ trash_id: string }>(`/v0/files/${id}`);
    const { sweep } = coffer.appliance.services;
    await sweep.run();
    expect([rowsOf(coffer, "file_version"), rowsOf(coffer, "gone_file")]).toEqual([1, 1]);
    await own.client.json(200, "POST", `/v0/trash/${entry}/restore`);
    await sweep.run();
    expect([rowsOf(coffer, "file_version"), rowsOf(coffer, "gone_file")]).toEqual([1, 0]);
    const again = await own.client.delete<{ trash_id: string }>(`/v0/files/${id}`);
    await own.client.delete(`/v0/trash/${again.trash_id}`);
    await sweep.run();
    await sweep.run();
    expect([rowsOf(coffer, "file_version"), rowsOf(coffer, "gone_file")]).toEqual([0, 0]);
  });

  test("also if the file comes back and goes again while the sweep looks at it", async () => {
    await using opened = await openWithDrive();
    const { services, database, caller, drive: driveId } = opened;
    for (const bytes of [20, 21]) await storeFile(opened, "f", newContent(bytes));
    const remove = () => services.files.remove(caller, { drive: driveId, path: "f" }, UNCONDITIONAL);
    const { trashId } = await remove();
    await services.trash.restore(caller, trashId ?? "", undefined);
    /** It is deleted before the write that the historyRemoval asks for. */
    const writeFromReserve = async <T>(job: () => T): Promise<T> => {
      await remove();
      return opened.tables.writeFromReserve(job);
    };
    const tables = { ...opened.tables, writeFromReserve };
    await new HistoryRemoval({ tables, retention: { days: 1, versions: 1 } }).removeSomeOfGone();
    expect(database.sql.query("SELECT file_id FROM gone_file").all()).toHaveLength(1);
  });

  test("with its drive", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    const { id } = await put(own, "f", 10);
    await put(own, "f", 11);
    await own.client.delete(`/v0/files/${id}`);
    await put(own, "g", 12);
    await put(own, "g", 13);
    await own.client.delete(`/v0/drives/${own.id}`);
    await coffer.appliance.services.sweep.run();
    expect(["drive", "file_version", "trash", "kept_content"].map((table) => rowsOf(coffer, table))).toEqual([
      0, 0, 0, 0,
    ]);
  });
});

const it = testWith(() => startAppliance(SMALL));

describe("what is kept goes first where room is needed", () => {
  it("the oldest of it, and no more than is needed; no upload is refused for it", async (coffer) => {
    const own = await adasDrive(coffer);
    const replaced = await put(own, "replaced", 200);
    coffer.clock.advance(1000);
    await put(own, "replaced", 100);
    coffer.clock.advance(1000);
    const deleted = await put(own, "deleted", 200);
    await own.client.delete(`/v0/files/${deleted.id}`);
    coffer.clock.advance(1000);
    await put(own, "replaced", 101);
    // 101 stored, 500 kept.
    expect([(await put(own, "large", 350)).status, await numbersOf(own, replaced.id)]).toEqual([201, [2, 1]]);
    expect((await put(own, "larger", 200)).status).toBe(201);
    await eventually(async () => (await numbersOf(own, replaced.id)).length === 1);
    expect([await trashOf(own), (await put(own, "largest", 300)).status]).toEqual([["deleted"], 201]);
    await eventually(async () => (await trashOf(own)).length === 0);
    expect(await verified(coffer.dataDir)).toEqual([]);
  });

  test("but nothing that is deleted in between", async () => {
    await using opened = await openWithDrive();
    const { services, database, caller, drive: driveId } = opened;
    for (const path of ["old", "new"]) await storeFile(opened, path, newContent(20));
    const remove = (path: string) => services.files.remove(caller, { drive: driveId, path }, UNCONDITIONAL);
    await remove("old");
    let entry: string | null = null;
    /** Deletes the other file as soon as the first is gone: its entry gets the number of that. */
    const writeFromReserve = async <T>(job: () => T): Promise<T> => {
      const result = await opened.tables.writeFromReserve(job);
      if (entry === null && database.sql.query("SELECT 1 FROM trash").get() === null)
        entry = (await remove("new")).trashId;
      return result;
    };
    const tables = { ...opened.tables, writeFromReserve };
    const { quota, changes } = services;
    const parts = { ...opened, tables, quota, changes, retention: { days: 1, versions: 1 } };
    const historyRemoval = new HistoryRemoval(parts);
    await new Pruning({
      ...parts,
      historyRemoval,
      snapshotRemoval: new SnapshotRemoval(parts),
    }).pruneForTheDisk(1);
    expect(services.trash.get(caller, entry ?? "")).toMatchObject({ path: "new" });
  });

  it("replaces again and again take three times the limit at most, and are let in again in a minute", async (coffer) => {
    const own = await adasDrive(coffer);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      statuses.push((await put(own, "f", 600)).status);
      expect(onDisk(coffer)).toBeLessThan(3 * 1000 + 100);
    }
    expect([statuses.at(0), statuses.at(-1)]).toEqual([201, 403]);
    coffer.clock.advance(SHORTEST_GRACE_MS);
    await coffer.appliance.services.sweep.run();
    expect([(await put(own, "f", 600)).status, await verified(coffer.dataDir)]).toEqual([200, []]);
  });

  it("but what a snapshot needs counts like files", async (coffer) => {
    const own = await adasDrive(coffer);
    await put(own, "f", 600);
    await own.client.post(`/v0/drives/${own.id}/snapshots`);
    const refused = await own.client.send("PUT", `/v0/files?drive_id=${own.id}&path=f`, {
      body: newContent(601),
    });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("snapshots")]);
    expect((await put(own, "g", 300)).status).toBe(201);
  });

  it("what others keep stays", async (coffer) => {
    const own = await adasDrive(coffer);
    const other = await provision(coffer);
    const { id } = await put(other, "f", 500);
    await put(other, "f", 501);
    await put(own, "f", 600);
    await put(own, "f", 700);
    await eventually(() => rowsOf(coffer, "file_version") === 1);
    expect(await numbersOf(other, id)).toEqual([1]);
  });

  test("all of it when the disk is near its reserve, whoever keeps it", async () => {
    const { bavail, frsize } = await statfs(FAST_DIRECTORY);
    await using coffer = await startAppliance({ "disk-reserve": String(Math.floor(bavail * frsize * 0.75)) });
    const own = await provision(coffer);
    await put(own, "f", 20_000);
    await put(own, "f", 20_001);
    await coffer.appliance.services.sweep.run();
    expect(rowsOf(coffer, "file_version")).toBe(0);
    const told = () => coffer.lines.filter((line) => line.includes("removed before their time")).length;
    expect(told()).toBe(1);
    await coffer.appliance.services.sweep.run();
    expect(told()).toBe(1);
  });
});
