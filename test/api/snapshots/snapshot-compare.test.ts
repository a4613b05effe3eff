import { expect, test } from "bun:test";
import type { Client } from "../../support/server/client.ts";
import { openStage, runScenarios } from "../../support/server/scenario.ts";
import { gives, refuses } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { takeSnapshot } from "../../support/server/targets.ts";

const stage = openStage();

interface Difference {
  readonly path: string;
  readonly change: string;
  readonly before: { path: string; size: number; file_id: string } | null;
  readonly after: { path: string; size: number; file_id: string } | null;
}

/** All differences, in pages of some length. */
async function differences(
  client: Client,
  drive: string,
  snapshot: string,
  { prefix = "", limit = 1000 } = {},
): Promise<Difference[]> {
  const pages = await client.pages<{ data: Difference[]; next_cursor: string | null }>(
    `/v0/drives/${drive}/snapshots/${snapshot}/compare?prefix=${prefix}&limit=${limit}`,
  );
  for (const { data } of pages) expect(data.length).toBeLessThanOrEqual(limit);
  return pages.flatMap(({ data }) => data);
}

function short({ path, change, before, after }: Difference): string {
  return `${path} ${change} ${before?.path ?? "-"} ${after?.path ?? "-"}`;
}

test("what was added, removed, changed and moved is told apart, on pages of any length", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const ids: Record<string, string> = {};
  for (const path of ["a/1", "a/2", "a/3", "a/4", "b/5", "b/6", "c/7", "d", "e", "f", "g"])
    ids[path] = await client.store(drive, path, path);
  const snapshot = await takeSnapshot(client, drive);
  expect(await differences(client, drive, snapshot)).toEqual([]);
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

  const all = await differences(client, drive, snapshot);
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
  for (const limit of [1, 2, 5]) expect(await differences(client, drive, snapshot, { limit })).toEqual(all);
  expect((await differences(client, drive, snapshot, { prefix: "b/" })).map(short)).toEqual([
    "b/3 moved a/3 b/3",
    "b/5 moved b/6 b/5",
    "b/5 moved b/5 z/5",
    "b/new added - b/new",
  ]);
});

test("more than one step looks at", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const paths = Array.from({ length: 1050 }, (_, n) => String(n).padStart(4, "0"));
  await Promise.all(paths.map((path) => client.store(drive, path, "x")));
  const snapshot = await takeSnapshot(client, drive);
  await Promise.all(paths.filter((_, n) => n % 2 === 0).map((path) => client.store(drive, path, "y")));
  const found = await differences(client, drive, snapshot, { limit: 300 });
  expect(found.map(({ path }) => path)).toEqual(paths.filter((_, n) => n % 2 === 0));
});

const taken = gives("POST /v0/drives/{drive}/snapshots", {}, { status: 201, keeps: "taken" });
const COMPARE = "/v0/drives/{drive}/snapshots/{taken.data.id}/compare";
runScenarios(stage, {
  "a cursor of another list is refused": [
    put("a"),
    taken,
    refuses(`GET ${COMPARE}?cursor=YQ`, "VALIDATION_ERROR", "cursor"),
  ],
});
