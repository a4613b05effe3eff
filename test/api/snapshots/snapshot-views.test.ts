import { expect, test } from "bun:test";
import { seen } from "../../support/server/inside.ts";
import {
  gives,
  openStage,
  put,
  refused,
  refuses,
  runScenarios,
  type Step,
  step,
} from "../../support/server/scenario.ts";
import { verified } from "../../support/faults/verified.ts";
import { takeSnapshot } from "../../support/server/targets.ts";

const stage = openStage();
const TAGS = ["red"];

test("a snapshot answers as the drive did, before and after all of that was changed", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const paths = ["a/b/1.txt", "a/b/2.txt", "a/3.txt", "a4.txt", "b/5.txt", "ä/6.md", "z.txt"];
  const ids: string[] = [];
  for (const [n, path] of paths.entries())
    ids.push(await client.store(drive, path, `content ${n}`, n % 2 === 0 ? "&tags=red" : ""));
  await client.post("/v0/folders", { drive_id: drive, path: "a/empty/" });
  const before = await seen(client, drive, { paths, tags: TAGS });
  const snapshot = await takeSnapshot(client, drive);
  expect(await seen(client, drive, { paths, tags: TAGS, snapshot })).toEqual(before);

  stage.coffer.clock.advance(1000);
  await client.store(drive, "a/b/1.txt", "another content");
  await client.store(drive, "a/b/0.txt", "new", "&tags=red");
  await client.patch(`/v0/files/${ids[1]}`, { tags: ["red"], metadata: { a: 1 } });
  await client.delete(`/v0/files/${ids[2]}`);
  await client.post(`/v0/files/${ids[3]}/move`, { destination_path: "b/4.txt" }, 200);
  await client.delete("/v0/folders", { drive_id: drive, path: "ä/", confirm: true });
  const move = { drive_id: drive, path: "a/b/", destination_path: "c/" };
  await client.post("/v0/folders/move", move, 200);
  expect(await seen(client, drive, { paths, tags: TAGS, snapshot })).toEqual(before);

  const second = await takeSnapshot(client, drive);
  const between = await seen(client, drive, { paths, tags: TAGS });
  await client.delete("/v0/folders", { drive_id: drive, path: "c/", confirm: true });
  await client.store(drive, "a", "a file where a folder was").catch(() => "");
  await client.store(drive, "a/b/1.txt", "a third content");
  expect(await seen(client, drive, { paths, tags: TAGS, snapshot })).toEqual(before);
  expect(await seen(client, drive, { paths, tags: TAGS, snapshot: second })).toEqual(between);

  // By its id, a file is found where it was, too.
  const record = await client.get<{ path: string }>(`/v0/files/${ids[2]}?snapshot_id=${snapshot}`);
  expect(record.path).toBe("a/3.txt");
  expect((await client.send("GET", `/v0/files/${ids[2]}/download?snapshot_id=${snapshot}`)).text).toBe(
    "content 2",
  );
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("a snapshot of more files than one step reads, all changed since, is listed whole", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const paths = Array.from({ length: 1100 }, (_, n) => `many/${String(n).padStart(4, "0")}`);
  await Promise.all(paths.map((path) => client.store(drive, path, "x")));
  const snapshot = await takeSnapshot(client, drive);
  await client.delete("/v0/folders", { drive_id: drive, path: "many/", confirm: true });
  await Promise.all(paths.map((path) => client.store(drive, path, "y")));
  for (const grouping of ["", "&delimiter=/"]) {
    const pages = await client.pages<{ data: { path: string }[]; next_cursor: string | null }>(
      `/v0/files?drive_id=${drive}&prefix=many/&limit=400&snapshot_id=${snapshot}${grouping}`,
    );
    const found = pages.flatMap(({ data }) => data.map(({ path }) => path));
    expect(found).toEqual(paths);
  }
  const last = await client.get<{ data: { path: string }[]; total: number }>(
    `/v0/files?drive_id=${drive}&limit=100&page=11&snapshot_id=${snapshot}`,
  );
  expect([last.total, last.data.at(-1)?.path]).toEqual([1100, "many/1099"]);
  const archive = await client.fetch("GET", `/v0/archive?drive_id=${drive}&snapshot_id=${snapshot}`);
  expect((await archive.bytes()).length).toBeGreaterThan(1100 * 100);
});

test("what has expired since is gone from the snapshot, and from its counts", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const soon = new Date(stage.coffer.clock.now() + 60_000).toISOString();
  await client.store(drive, "a/b/stays", "12345");
  await client.store(drive, "a/b/goes", "123", `&expires_at=${soon}`);
  const snapshot = await takeSnapshot(client, drive);
  stage.coffer.clock.advance(120_000);
  const inside = `drive_id=${drive}&snapshot_id=${snapshot}`;
  const look = async () => [
    await client.get(`/v0/files?${inside}`),
    await client.get(`/v0/files?${inside}&prefix=a/b/&delimiter=/`),
    await client.get(`/v0/folders?${inside}`),
    await client.status("GET", `/v0/files/by-path?${inside}&path=a/b/goes`),
  ];
  const found = await look();
  expect(found).toMatchObject([
    { total: 1 },
    { total: 1 },
    { data: [{ file_count: 1, total_size: 5 }] },
    404,
  ]);
  await stage.coffer.appliance.services.sweep.run();
  expect(await look()).toEqual(found);
});

const INSIDE = "drive_id={drive}&snapshot_id={taken.data.id}";
const taken = gives("POST /v0/drives/{drive}/snapshots", {}, { status: 201, keeps: "taken" });
const takenOfOther: Step = {
  ...taken,
  as: "otherAgent",
  request: ["POST", "/v0/drives/{drives.otherAgent}/snapshots"],
};
const given = [put("a/f.txt", "x", { keeps: "file" }), taken];

runScenarios(
  stage,
  {
    "an order other than by path is refused": refuses(
      `GET /v0/files?${INSIDE}&sort=-size&delimiter=/`,
      "VALIDATION_ERROR",
      "sort",
    ),
    "a folder that was not there is not found": [
      put("new/f.txt"),
      refuses(`GET /v0/folders?${INSIDE}&path=new/`, "NOT_FOUND"),
      refuses(`GET /v0/archive?${INSIDE}&path=new/`, "NOT_FOUND"),
      refuses(`GET /v0/files/by-path?${INSIDE}&path=new/f.txt`, "NOT_FOUND"),
    ],
    "a file by its id in a snapshot of another drive": [
      takenOfOther,
      refuses("GET /v0/files/{file.id}?snapshot_id={taken.data.id}", "NOT_FOUND"),
    ],
    "nothing is written into a snapshot": [
      step(`PUT /v0/files?${INSIDE}&path=a/f.txt`, {
        body: "x",
        ...refused("VALIDATION_ERROR", "snapshot_id"),
      }),
      refuses(`DELETE /v0/folders?${INSIDE}&path=a/&confirm=true`, "VALIDATION_ERROR", "snapshot_id"),
      refuses(`DELETE /v0/files/by-path?${INSIDE}&path=a/f.txt`, "VALIDATION_ERROR", "snapshot_id"),
    ],
    "what only knows the present does not answer for a snapshot": [
      refuses(`GET /v0/search?${INSIDE}&q=f`, "VALIDATION_ERROR", "snapshot_id"),
      refuses(`GET /v0/grep?${INSIDE}&pattern=x`, "VALIDATION_ERROR", "snapshot_id"),
      refuses(`GET /v0/files/by-path/versions?${INSIDE}&path=a/f.txt`, "VALIDATION_ERROR", "snapshot_id"),
    ],
    "a deleted snapshot is not looked into": [
      gives("DELETE /v0/drives/{drive}/snapshots/{taken.data.id}", {}),
      refuses(`GET /v0/files?${INSIDE}`, "NOT_FOUND"),
    ],
  },
  given,
);
for (const address of ["/v0/files?", "/v0/folders?", "/v0/files/by-path?path=a/f.txt&", "/v0/archive?"]) {
  runScenarios(stage, {
    [`a snapshot of another drive at ${address}`]: [
      ...given,
      takenOfOther,
      refuses(`GET ${address}${INSIDE}`, "NOT_FOUND"),
    ],
    [`a snapshot that is none at ${address}`]: refuses(
      `GET ${address}drive_id={drive}&snapshot_id=x`,
      "NOT_FOUND",
    ),
  });
}
