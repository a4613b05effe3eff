import { expect, test } from "bun:test";
import type { DifferenceRecord } from "../../../src/http/records/history-schemas.ts";
import type { DriveRecord } from "../../../src/http/records/record-schemas.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { SNAPSHOTS } from "../../../src/domain/limits.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { openStage, runScenarios } from "../../support/server/scenario.ts";
import { gives, invalid, refuses, type Step, step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { startWorld } from "../../support/server/world.ts";
import { takeSnapshot } from "../../support/server/targets.ts";
import { verified } from "../../support/faults/verified.ts";

const stage = openStage();

function take(body?: Json, more: Partial<Step> = {}): Step {
  return step("POST /v0/drives/{drive}/snapshots", {
    ...(body === undefined ? {} : { body }),
    status: 201,
    json: { data: { drive_id: "{drive}", automatic: false } },
    keeps: "taken",
    ...more,
  });
}

const SNAPSHOT = "/v0/drives/{drive}/snapshots/{taken.data.id}";

runScenarios(stage, {
  "says what the drive held, and who took it": [
    put("a.txt", "12345"),
    put("b/c.txt", "123"),
    take(
      { name: " Before the clean-up " },
      {
        json: {
          data: {
            name: "Before the clean-up",
            file_count: 2,
            total_size: 8,
            automatic: false,
            created_by: { type: "key", name: "Provisioned with the drive" },
          },
        },
      },
    ),
    put("d.txt", "1"),
    gives(`GET ${SNAPSHOT}`, { data: { id: "{taken.data.id}", file_count: 2 } }),
  ],
  "needs no body": take(undefined, { json: { data: { name: "Snapshot", file_count: 0 } } }),
  "needs no name": take({}, { json: { data: { name: "Snapshot" } } }),
  "refuses a name of nothing": take({ name: " " }, invalid("name")),
  "refuses a name that is too long": take({ name: "x".repeat(65) }, invalid("name")),
  "is listed, newest first": [
    take({ name: "One" }),
    take({ name: "Two" }),
    take({ name: "Three" }),
    gives(
      "GET /v0/drives/{drive}/snapshots?limit=2",
      { data: [{ name: "Three" }, { name: "Two" }], total: 3, next_cursor: expect.any(String) },
      { keeps: "page" },
    ),
    gives("GET /v0/drives/{drive}/snapshots?limit=2&cursor={page.next_cursor}", {
      data: [{ name: "One" }],
      total: 3,
      next_cursor: null,
    }),
  ],
  "has no cursor of another list, nor has what it is compared to": [
    take(),
    step("GET /v0/drives/{drive}/snapshots?cursor=YQ", invalid("cursor")),
    step(`GET ${SNAPSHOT}/compare?cursor=YQ`, invalid("cursor")),
  ],
  "is forked only by a name": step("ada POST /v0/drives/{drives.ada}/fork", {
    body: { name: " " },
    ...invalid("name"),
  }),
  "is gone once it is deleted": [
    take(),
    gives(`DELETE ${SNAPSHOT}`, { data: { id: "{taken.data.id}", deleted: true } }),
    refuses(`GET ${SNAPSHOT}`, "NOT_FOUND"),
    refuses(`DELETE ${SNAPSHOT}`, "NOT_FOUND"),
    gives("GET /v0/drives/{drive}/snapshots", { data: [], total: 0 }),
  ],
  "is not found in another drive of the same owner": [
    { ...take(), as: "ada", request: ["POST", "/v0/drives/{drives.ada}/snapshots"], json: { data: {} } },
    step("ada POST /v0/drives", { body: { name: "Second" }, status: 201, json: {}, keeps: "second" }),
    refuses("ada GET /v0/drives/{second.data.id}/snapshots/{taken.data.id}", "NOT_FOUND"),
    refuses("ada DELETE /v0/drives/{second.data.id}/snapshots/{taken.data.id}", "NOT_FOUND"),
  ],
});

test("a drive has only so many", async () => {
  const { id, client } = await stage.ownDrive();
  for (let n = 0; n < SNAPSHOTS.taken; n += 1) await client.post(`/v0/drives/${id}/snapshots`);
  const refusal = await client.send("POST", `/v0/drives/${id}/snapshots`);
  expect([refusal.status, refusal.text]).toEqual([403, expect.stringContaining("QUOTA_EXCEEDED")]);
});

/** How many rows a table has for a drive. */
function rowsOf(table: string, drive: string): number {
  const query = `SELECT 1 FROM ${table} t JOIN drive d ON d.pk = t.drive WHERE d.id = ?`;
  return rowsIn(stage.coffer.dataDir, query, drive).length;
}

test("what only a deleted snapshot needs goes with the next sweep, in pieces, and nothing else", async () => {
  const { id, client } = await stage.ownDrive();
  const paths = Array.from({ length: 120 }, (_, n) => `d${n % 3}/${n}`);
  const storeAll = (content: string) => Promise.all(paths.map((path) => client.store(id, path, content)));
  const rows = () => ["held_file", "snapshot", "held_folder"].map((table) => rowsOf(table, id));
  await storeAll("one");
  const first = await takeSnapshot(client, id);
  await storeAll("two");
  const second = await takeSnapshot(client, id);
  await storeAll("three");
  expect(rows()).toEqual([240, 2, expect.any(Number)]);
  const { sweep } = stage.coffer.appliance.services;
  await client.delete(`/v0/drives/${id}/snapshots/${first}`);
  await sweep.run();
  expect(rows()).toEqual([120, 1, expect.any(Number)]);
  await client.delete(`/v0/drives/${id}/snapshots/${second}`);
  await sweep.run();
  expect(rows()).toEqual([0, 0, 0]);
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("a deleted drive goes with its snapshots and what they held", async () => {
  const { id, client } = await stage.ownDrive();
  await client.put(id, "a/b", "one");
  await client.post(`/v0/drives/${id}/snapshots`);
  await client.put(id, "a/b", "two", 200);
  expect(rowsOf("held_file", id)).toBe(1);
  await client.delete(`/v0/drives/${id}`);
  await stage.coffer.appliance.services.sweep.run();
  expect(rowsIn(stage.coffer.dataDir, "SELECT 1 FROM drive WHERE id = ?", id)).toEqual([]);
});

function short({ path, change, before, after }: DifferenceRecord): string {
  return `${path} ${change} ${before?.path ?? "-"} ${after?.path ?? "-"}`;
}

test("what was added, removed, changed and moved is told apart, on pages of any length", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const ids: Record<string, string> = {};
  for (const path of ["a/1", "a/2", "a/3", "a/4", "b/5", "b/6", "c/7", "d", "e", "f", "g"])
    ids[path] = await client.store(drive, path, path);
  const snapshot = await takeSnapshot(client, drive);
  const differences = async (prefix = "", limit = 1000) => {
    const pages = await client.pages<{ data: DifferenceRecord[]; next_cursor: string | null }>(
      `/v0/drives/${drive}/snapshots/${snapshot}/compare?prefix=${prefix}&limit=${limit}`,
    );
    for (const { data } of pages) expect(data.length).toBeLessThanOrEqual(limit);
    return pages.flatMap(({ data }) => data);
  };
  expect(await differences()).toEqual([]);
  const move = (from: string, to: string) =>
    client.post(`/v0/files/${ids[from]}/move`, { destination_path: to }, 200);
  await client.store(drive, "a/1", "changed");
  await client.delete(`/v0/files/${ids["a/2"]}`);
  await move("a/3", "b/3");
  await client.patch(`/v0/files/${ids["a/4"]}`, { tags: ["new"] });
  await client.store(drive, "b/new", "new");
  // Into the place of another, which goes elsewhere.
  await move("b/5", "z/5");
  await move("b/6", "b/5");
  // Another file at the same path, with another content and with the same.
  await client.delete(`/v0/files/${ids["d"]}`);
  await client.store(drive, "d", "another");
  await move("e", "e2");
  await client.store(drive, "e", "new, where one was");
  await move("f", "f2");
  await client.delete(`/v0/files/${ids["g"]}`);
  await move("f", "g");
  // Back again.
  await client.store(drive, "c/7", "x");
  await client.store(drive, "c/7", "c/7");

  const all = await differences();
  expect(all.map(short)).toEqual([
    "a/1 changed a/1 a/1",
    "a/2 removed a/2 -",
    "a/4 changed a/4 a/4",
    "b/3 moved a/3 b/3",
    "b/5 moved b/6 b/5",
    "b/new added - b/new",
    "d changed d d",
    "e added - e",
    "e2 moved e e2",
    "g moved f g",
    "g removed g -",
    "z/5 moved b/5 z/5",
  ]);
  for (const limit of [1, 2, 5]) expect(await differences("", limit)).toEqual(all);
  expect((await differences("b/")).map(short)).toEqual([
    "b/3 moved a/3 b/3",
    "b/5 moved b/6 b/5",
    "b/5 moved b/5 z/5",
    "b/new added - b/new",
  ]);
});

/** The ids of a drive's files, and what else is said of them and of its folders. */
async function contentsOf(client: Client, drive: string) {
  const files = await client.get<{ data: { id: string }[] }>(`/v0/files?drive_id=${drive}&limit=1000`);
  const folders = await client.get<{ data: object[] }>(`/v0/folders?drive_id=${drive}`);
  const all = [...files.data, ...folders.data].map((each) => ({ ...each, id: "", drive_id: "" }));
  return { ids: files.data.map(({ id }) => id), all };
}

test("a fork holds what the drive did, with new ids, and lives by itself", async () => {
  const { ada } = stage.world.clients;
  const { id: source } = await ada.makeDrive("Source");
  await ada.store(source, "a/b/1.txt", "one", "&tags=red");
  await ada.store(source, "2.txt", "two");
  await ada.post("/v0/folders", { drive_id: source, path: "empty/" });
  const snapshot_id = await takeSnapshot(ada, source);
  const before = await contentsOf(ada, source);
  stage.coffer.clock.advance(1000);
  await ada.store(source, "2.txt", "changed");
  await ada.store(source, "new.txt", "new");

  const body = { name: "Fork" };
  const now = await ada.post<{ data: DriveRecord }>(`/v0/drives/${source}/fork`, body);
  expect(now.data).toMatchObject({ name: "Fork", file_count: 3, total_size: 13, role: "owner" });
  const then = await ada.post<{ data: DriveRecord }>(`/v0/drives/${source}/fork`, { ...body, snapshot_id });
  const forked = await contentsOf(ada, then.data.id);
  expect(forked.all).toEqual(before.all);
  expect(forked.ids.some((id) => before.ids.includes(id))).toBe(false);
  expect((await contentsOf(ada, now.data.id)).all).toEqual((await contentsOf(ada, source)).all);

  // The snapshot that a fork takes for itself is gone again.
  const { total } = await ada.get<{ total: number }>(`/v0/drives/${source}/snapshots`);
  expect(total).toBe(1);
  await ada.delete(`/v0/drives/${source}`);
  await stage.coffer.appliance.services.sweep.run();
  const query = `drive_id=${then.data.id}&path=a/b/1.txt`;
  expect((await ada.send("GET", `/v0/files/by-path/download?${query}`)).text).toBe("one");
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("a fork in many pieces: nobody waits for it or sees it, and a restart leaves none", async () => {
  await using coffer = await startWorld();
  const { ada } = coffer.clients;
  const { id: source } = await ada.makeDrive("Source");
  const paths = Array.from({ length: 300 }, (_, n) => `d${n % 5}/${n}`);
  await Promise.all(paths.map((path) => ada.store(source, path, path)));
  const fork = ada.post<{ data: DriveRecord }>(`/v0/drives/${source}/fork`, { name: "Fork" });
  await ada.store(source, "meanwhile", "x");
  expect((await fork).data.file_count).toBe(300);

  const cut = ada.send("POST", `/v0/drives/${source}/fork`, { body: { name: "Cut" } }).catch(() => null);
  await coffer.restart();
  await cut;
  const again = coffer.client(coffer.keys.ada);
  const seen = await again.get<{ data: { name: string; file_count: number }[] }>("/v0/drives");
  for (const { name, file_count: count } of seen.data) expect([name, count]).not.toEqual(["Cut", 0]);
  const { sweep } = coffer.appliance.services;
  await sweep.run();
  await sweep.run();
  expect(await verified(coffer.dataDir)).toEqual([]);
});
