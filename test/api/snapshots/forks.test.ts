import { expect, test } from "bun:test";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import { openStage, runScenarios } from "../../support/server/scenario.ts";
import { refused, step } from "../../support/server/steps.ts";
import { verified } from "../../support/faults/verified.ts";
import { populate } from "../../support/server/world.ts";

const stage = openStage();

interface Drive {
  readonly data: { readonly id: string; readonly file_count: number; readonly total_size: number };
}

interface File {
  readonly id: string;
  readonly path: string;
}

async function makeDrive(client: Client): Promise<string> {
  return (await client.post<Drive>("/v0/drives", { name: "Source" })).data.id;
}

/** The records of a drive's files, and its folders. */
async function holds(client: Client, drive: string, snapshot?: string) {
  const inside = snapshot === undefined ? "" : `&snapshot_id=${snapshot}`;
  const list = `/v0/files?drive_id=${drive}&limit=1000${inside}`;
  const { data } = await client.get<{ data: File[] }>(list);
  const folders = await client.get<{ data: object[] }>(`/v0/folders?drive_id=${drive}${inside}`);
  const rest = data.map((file) => ({ ...file, id: "", drive_id: "" }));
  return {
    ids: data.map(({ id }) => id),
    files: rest,
    folders: folders.data.map((folder) => ({ ...folder, drive_id: "" })),
  };
}

test("a fork holds what the drive did, with new ids, and lives by itself", async () => {
  const { ada } = stage.world.clients;
  const source = await makeDrive(ada);
  await ada.store(source, "a/b/1.txt", "one", "&tags=red");
  await ada.store(source, "2.txt", "two");
  await ada.post("/v0/folders", { drive_id: source, path: "empty/" });
  const { data } = await ada.post<{ data: { id: string } }>(`/v0/drives/${source}/snapshots`);
  const before = await holds(ada, source);
  stage.coffer.clock.advance(1000);
  await ada.store(source, "2.txt", "changed");
  await ada.store(source, "new.txt", "new");

  const body = { name: "Fork" };
  const now = await ada.post<Drive>(`/v0/drives/${source}/fork`, body);
  expect(now.data).toMatchObject({ name: "Fork", file_count: 3, total_size: 13, role: "owner" });
  const then = await ada.post<Drive>(`/v0/drives/${source}/fork`, { ...body, snapshot_id: data.id });
  const forked = await holds(ada, then.data.id);
  expect([forked.files, forked.folders]).toEqual([before.files, before.folders]);
  expect(forked.ids.some((id) => before.ids.includes(id))).toBe(false);
  expect((await holds(ada, now.data.id)).files).toEqual((await holds(ada, source)).files);

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
  await using coffer = await startAppliance();
  const world = await populate(coffer);
  const { ada } = world.clients;
  const source = await makeDrive(ada);
  const paths = Array.from({ length: 300 }, (_, n) => `d${n % 5}/${n}`);
  await Promise.all(paths.map((path) => ada.store(source, path, path)));
  const fork = ada.post<Drive>(`/v0/drives/${source}/fork`, { name: "Fork" });
  await ada.store(source, "meanwhile", "x");
  const { data } = await fork;
  expect(data).toMatchObject({ file_count: 300 });

  const cut = ada.send("POST", `/v0/drives/${source}/fork`, { body: { name: "Cut" } }).catch(() => null);
  await coffer.restart();
  await cut;
  const again = coffer.client(world.keys.ada);
  const seen = await again.get<{ data: { name: string; file_count: number }[] }>("/v0/drives");
  for (const { name, file_count: count } of seen.data) expect([name, count]).not.toEqual(["Cut", 0]);
  const { sweep } = coffer.appliance.services;
  await sweep.run();
  await sweep.run();
  expect(await verified(coffer.dataDir)).toEqual([]);
});

runScenarios(stage, {
  "a name of nothing is refused": step("ada POST /v0/drives/{drives.ada}/fork", {
    body: { name: " " },
    ...refused("VALIDATION_ERROR", "name"),
  }),
});
