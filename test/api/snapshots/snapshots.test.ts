import { expect, test } from "bun:test";
import { rowsIn } from "../../support/faults/change-database.ts";
import { SNAPSHOTS } from "../../../src/domain/limits.ts";
import type { Json } from "../../support/server/client.ts";
import { openStage, runScenarios } from "../../support/server/scenario.ts";
import { gives, refused, refuses, type Step, step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
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
  "refuses a name of nothing": take({ name: " " }, refused("VALIDATION_ERROR", "name")),
  "refuses a name that is too long": take({ name: "x".repeat(65) }, refused("VALIDATION_ERROR", "name")),
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
  "has no cursor of another list": refuses(
    "GET /v0/drives/{drive}/snapshots?cursor=YQ",
    "VALIDATION_ERROR",
    "cursor",
  ),
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
  const count = 120;
  const putAll = async (content: string) => {
    const all = Array.from({ length: count }, (_, n) => `/v0/files?drive_id=${id}&path=d${n % 3}/${n}`);
    await Promise.all(all.map((path) => client.send("PUT", path, { body: content })));
  };
  const snapshot = async () => {
    const made = await client.post<{ data: { id: string } }>(`/v0/drives/${id}/snapshots`);
    return `/v0/drives/${id}/snapshots/${made.data.id}`;
  };
  await putAll("one");
  const first = await snapshot();
  await putAll("two");
  const second = await snapshot();
  await putAll("three");
  expect(rowsOf("held_file", id)).toBe(2 * count);
  const { sweep } = stage.coffer.appliance.services;
  await client.delete(first);
  await sweep.run();
  expect([rowsOf("held_file", id), rowsOf("snapshot", id)]).toEqual([count, 1]);
  await client.delete(second);
  await sweep.run();
  expect([rowsOf("held_file", id), rowsOf("held_folder", id), rowsOf("snapshot", id)]).toEqual([0, 0, 0]);
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
