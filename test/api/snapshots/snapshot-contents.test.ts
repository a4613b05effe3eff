import { expect, test } from "bun:test";
import { rowsIn } from "../../support/faults/change-database.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import { openStage, provision, runAfter, runEach } from "../../support/server/scenario.ts";
import {
  type Expected,
  gives,
  invalid,
  refused,
  refuses,
  type Step,
  step,
} from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { verified } from "../../support/faults/verified.ts";
import { startWorld } from "../../support/server/world.ts";
import { takeSnapshot } from "../../support/server/targets.ts";
import { longTest } from "../../support/server/thorough.ts";

/** Requests about a drive's files and folders, whose answers are the same in a snapshot that was taken then. */
function requestsAbout(drive: string, paths: readonly string[], tags: readonly string[]): string[] {
  const prefixes = ["", "a", "a/", "b/", "a/b", "none/", "ä", ...paths.slice(0, 3)];
  const files = prefixes.flatMap((prefix) => {
    const about = `/v0/files?drive_id=${drive}&prefix=${encodeURIComponent(prefix)}`;
    return [about, `${about}&delimiter=/`, `${about}&limit=2`, `${about}&delimiter=/&limit=1&page=2`];
  });
  const tagged = tags.map((tag) => `/v0/files?drive_id=${drive}&tags=${tag}&limit=3`);
  const folders = ["", "a/", "b/"].map((path) => `/v0/folders?drive_id=${drive}&path=${path}&limit=2`);
  const single = paths.flatMap((path) => {
    const query = `drive_id=${drive}&path=${encodeURIComponent(path)}`;
    return ["", "/download", "/text"].map((rest) => `/v0/files/by-path${rest}?${query}`);
  });
  return [...files, ...tagged, ...folders, ...single, `/v0/archive?drive_id=${drive}`];
}

/** What a drive holds, as its answers tell: all pages of its lists, its files one by one, and its archive. */
async function seen(
  client: Client,
  drive: string,
  { paths, tags, snapshot }: { paths: readonly string[]; tags: readonly string[]; snapshot?: string },
): Promise<Record<string, unknown>> {
  const inside = snapshot === undefined ? "" : `&snapshot_id=${snapshot}`;
  const found: Record<string, unknown> = {};
  for (const request of requestsAbout(drive, paths, tags)) {
    const pages: unknown[] = [];
    for (let after: string | null = ""; after !== null;) {
      const response = await client.fetch("GET", request + inside + after);
      const bytes = Buffer.from(await response.arrayBuffer());
      const [type, etag, lastModified] = ["content-type", "etag", "last-modified"].map((name) =>
        response.headers.get(name),
      );
      const json: { next_cursor?: string | null; error?: { code: string } } | null =
        type?.startsWith("application/json") === true ? JSON.parse(bytes.toString()) : null;
      // Errors name their request.
      pages.push([response.status, etag, lastModified, json?.error?.code ?? json ?? bytes.toBase64()]);
      after = typeof json?.next_cursor === "string" ? `&cursor=${json.next_cursor}` : null;
      expect(pages.length).toBeLessThan(1000);
    }
    found[request] = pages;
  }
  return found;
}

const stage = openStage();

async function restore(client: Client, drive: string, snapshot: string, body = {}) {
  type Restored = { data: { files_restored: number; snapshot_id: string } };
  return (await client.post<Restored>(`/v0/drives/${drive}/snapshots/${snapshot}/restore`, body, 200)).data;
}

const PATHS = ["a/b/1.txt", "a/b/2.txt", "a/3.txt", "a4.txt", "b/5.txt", "ä/6.md", "z.txt"];
const about = { paths: PATHS, tags: ["red"] };

/** A drive with files, what is seen of it, and a snapshot. */
async function filled() {
  const { id: drive, client } = await stage.ownDrive();
  const ids: string[] = [];
  for (const [n, path] of PATHS.entries())
    ids.push(await client.store(drive, path, `content ${n}`, n % 2 === 0 ? "&tags=red" : ""));
  await client.post("/v0/folders", { drive_id: drive, path: "a/empty/" });
  const before = await seen(client, drive, about);
  return { client, drive, ids, before, snapshot: await takeSnapshot(client, drive) };
}

async function change(client: Client, drive: string, ids: readonly string[]): Promise<void> {
  await client.store(drive, "a/b/1.txt", "another content");
  await client.store(drive, "a/b/0.txt", "new", "&tags=red");
  await client.patch(`/v0/files/${ids[1]}`, { tags: ["red"], metadata: { a: 1 } });
  await client.delete(`/v0/files/${ids[2]}`);
  await client.post(`/v0/files/${ids[3]}/move`, { destination_path: "b/4.txt" }, 200);
  await client.delete("/v0/folders", { drive_id: drive, path: "ä/", confirm: true });
  const move = { drive_id: drive, path: "a/b/", destination_path: "c/" };
  await client.post("/v0/folders/move", move, 200);
}

/** The same, and what stands in the way back. */
async function ruin(client: Client, drive: string, ids: readonly string[]): Promise<void> {
  await change(client, drive, ids);
  await client.delete(`/v0/files/${ids[6]}`);
  await client.store(drive, "z.txt", "of another file");
  await client.store(drive, "a/b", "a file where a folder was");
}

test("a snapshot answers as the drive did, before and after all of that was changed", async () => {
  const { client, drive, ids, before, snapshot } = await filled();
  expect(await seen(client, drive, { ...about, snapshot })).toEqual(before);

  stage.coffer.clock.advance(1000);
  await change(client, drive, ids);
  expect(await seen(client, drive, { ...about, snapshot })).toEqual(before);

  const second = await takeSnapshot(client, drive);
  const between = await seen(client, drive, about);
  await client.delete("/v0/folders", { drive_id: drive, path: "c/", confirm: true });
  await client.store(drive, "a", "a file where a folder was").catch(() => "");
  await client.store(drive, "a/b/1.txt", "a third content");
  expect(await seen(client, drive, { ...about, snapshot })).toEqual(before);
  expect(await seen(client, drive, { ...about, snapshot: second })).toEqual(between);

  // By its id, a file is found where it was, too.
  const [byId, inside] = [`/v0/files/${ids[2]}`, `?snapshot_id=${snapshot}`];
  expect(await client.get(byId + inside)).toMatchObject({ path: "a/3.txt" });
  expect((await client.send("GET", `${byId}/download${inside}`)).text).toBe("content 2");
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

longTest("a snapshot of more files than one step reads is compared and listed whole", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const paths = Array.from({ length: 1100 }, (_, n) => `many/${String(n).padStart(4, "0")}`);
  const storeAll = (of: readonly string[], content: string) =>
    Promise.all(of.map((path) => client.store(drive, path, content)));
  type Page = { readonly data: readonly { readonly path: string }[]; readonly next_cursor: string | null };
  const listed = async (list: string) =>
    (await client.pages<Page>(list)).flatMap(({ data }) => data.map(({ path }) => path));
  await storeAll(paths, "x");
  const snapshot = await takeSnapshot(client, drive);
  const half = paths.filter((_, n) => n % 2 === 0);
  await storeAll(half, "y");
  expect(await listed(`/v0/drives/${drive}/snapshots/${snapshot}/compare?limit=300`)).toEqual(half);
  await client.delete("/v0/folders", { drive_id: drive, path: "many/", confirm: true });
  await storeAll(paths, "y");
  const inside = `drive_id=${drive}&snapshot_id=${snapshot}`;
  for (const grouping of ["", "&delimiter=/"])
    expect(await listed(`/v0/files?${inside}&prefix=many/&limit=400${grouping}`)).toEqual(paths);
  expect(await client.get(`/v0/files?${inside}&limit=100&page=11`)).toMatchObject({
    data: paths.slice(1000).map((path) => ({ path })),
    total: 1100,
  });
  const archive = await client.fetch("GET", `/v0/archive?${inside}`);
  expect((await archive.bytes()).length).toBeGreaterThan(1100 * 100);
});

test("what has expired since is gone from the snapshot and its counts, and stays away", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const soon = stage.coffer.clock.iso(60_000);
  await client.store(drive, "a/b/stays", "12345");
  await client.store(drive, "a/b/goes", "123", `&expires_at=${soon}`);
  const early = await client.store(drive, "a/b/goes early", "123", `&expires_at=${soon}`);
  const snapshot = await takeSnapshot(client, drive);
  await client.delete(`/v0/files/${early}`);
  stage.coffer.clock.advance(120_000);
  const inside = `drive_id=${drive}&snapshot_id=${snapshot}`;
  const look = async () => [
    await client.get(`/v0/files?${inside}`),
    await client.get(`/v0/files?${inside}&prefix=a/b/&delimiter=/`),
    await client.get(`/v0/folders?${inside}`),
    await client.status("GET", `/v0/files/by-path?${inside}&path=a/b/goes`),
  ];
  const found = await look();
  const counted = { data: [{ file_count: 1, total_size: 5 }] };
  expect(found).toMatchObject([{ total: 1 }, { total: 1 }, counted, 404]);
  await stage.coffer.appliance.services.sweep.run();
  expect(await look()).toEqual(found);
  await client.delete(`/v0/files/by-path?drive_id=${drive}&path=a/b/stays`);
  expect(await restore(client, drive, snapshot)).toMatchObject({ files_restored: 1 });
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("a ruined drive comes back as it was, with its ids, and the restore is undone by another", async () => {
  const { client, drive, ids, before, snapshot } = await filled();
  stage.coffer.clock.advance(1000);
  await ruin(client, drive, ids);
  const ruined = await seen(client, drive, about);

  const { snapshot_id: undo, ...done } = await restore(client, drive, snapshot);
  expect(done).toMatchObject({ path: "", files_restored: 6, files_removed: 6 });
  expect(await seen(client, drive, about)).toEqual(before);
  expect(await seen(client, drive, { ...about, snapshot })).toEqual(before);
  expect(await seen(client, drive, { ...about, snapshot: undo })).toEqual(ruined);
  expect(await verified(stage.coffer.dataDir)).toEqual([]);

  await restore(client, drive, undo);
  expect(await seen(client, drive, about)).toEqual(ruined);
  await restore(client, drive, snapshot);
  expect(await seen(client, drive, about)).toEqual(before);
  expect(await client.get(`/v0/drives/${drive}/snapshots`)).toMatchObject({
    data: [
      { automatic: true, name: "Before the restore of Snapshot" },
      { automatic: true, name: "Before a restore was undone" },
      { automatic: true, name: "Before the restore of Snapshot" },
      { automatic: false, name: "Snapshot" },
    ],
  });
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("what is as in the snapshot is not touched", async () => {
  const { client, drive, snapshot } = await filled();
  expect(await restore(client, drive, snapshot)).toMatchObject({ files_restored: 0, files_removed: 0 });
  await client.store(drive, "a/b/1.txt", "changed");
  expect(await restore(client, drive, snapshot)).toMatchObject({ files_restored: 1, files_removed: 1 });
  expect(await restore(client, drive, snapshot)).toMatchObject({ files_restored: 0, files_removed: 0 });
});

test("a folder comes back alone, also one that is gone, and where a file stands now", async () => {
  const { client, drive, ids, snapshot } = await filled();
  await ruin(client, drive, ids);
  await client.delete("/v0/folders", { drive_id: drive, path: "a/", confirm: true });
  await client.store(drive, "a", "a file where a folder was");
  expect(restore(client, drive, snapshot, { path: "a/b/" })).rejects.toThrow("409");
  expect(await restore(client, drive, snapshot, { path: "a" })).toMatchObject({
    path: "a/",
    files_restored: 3,
  });
  const back = ["a/3.txt", "a/b/1.txt", "a/b/2.txt"];
  const others = ["b/4.txt", "b/5.txt", "c/0.txt", "c/1.txt", "c/2.txt", "z.txt"];
  expect(await client.paths(`/v0/files?drive_id=${drive}`)).toEqual([...back, ...others]);
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("the entry of a deleted folder goes with the last of what it has, be it a file or an empty folder", async () => {
  const { client, drive, snapshot } = await filled();
  await client.store(drive, "b/new.txt", "unknown to the snapshot");
  await client.post("/v0/folders", { drive_id: drive, path: "ä/later/" });
  for (const path of ["a/", "b/", "ä/"])
    await client.delete("/v0/folders", { drive_id: drive, path, confirm: true });
  await restore(client, drive, snapshot);
  const trash = await client.get<{ data: object[] }>(`/v0/trash?drive_id=${drive}`);
  expect(trash.data).toMatchObject([
    { path: "ä/", file_count: 0 },
    { path: "b/", file_count: 1, size: 23 },
  ]);
  await stage.coffer.appliance.services.sweep.run();
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("an id that is in use elsewhere stays there", async () => {
  const { ada } = stage.world.clients;
  const [{ id: one }, { id: other }] = [await ada.makeDrive("One"), await ada.makeDrive("Other")];
  const id = await ada.store(one, "f.txt", "content");
  const snapshot = await takeSnapshot(ada, one);
  await ada.post(`/v0/files/${id}/move`, { destination_path: "moved.txt", destination_drive_id: other }, 200);
  await restore(ada, one, snapshot);
  const back = await ada.get<{ id: string }>(`/v0/files/by-path?drive_id=${one}&path=f.txt`);
  expect(back.id).not.toBe(id);
  expect(await ada.get(`/v0/files/${id}`)).toMatchObject({ drive_id: other });
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});

test("a restore in many pieces: changes wait, and it goes on after a restart", async () => {
  await using coffer = await startAppliance();
  const { id: drive, client } = await provision(coffer);
  const paths = Array.from({ length: 200 }, (_, n) => `d${n % 7}/${n}`);
  await Promise.all(paths.map((path) => client.store(drive, path, path)));
  const before = await seen(client, drive, { paths: [], tags: [] });
  const snapshot = await takeSnapshot(client, drive);
  await Promise.all(paths.map((path, n) => client.store(drive, n % 3 === 0 ? path : `new/${n}`, "changed")));
  await client.delete("/v0/folders", { drive_id: drive, path: "d1/", confirm: true });
  const running = restore(client, drive, snapshot);
  const late = client.store(drive, "late.txt", "x");
  const { files_restored: files } = await running;
  expect(files).toBeGreaterThan(50);
  await late;
  await client.delete(`/v0/files/by-path?drive_id=${drive}&path=late.txt`);
  expect(await seen(client, drive, { paths: [], tags: [] })).toEqual(before);

  await client.delete("/v0/folders", { drive_id: drive, path: "d2/", confirm: true });
  await Promise.all(paths.map((path) => client.store(drive, path, "changed again")));
  const cut = client.send("POST", `/v0/drives/${drive}/snapshots/${snapshot}/restore`).catch(() => null);
  await coffer.restart();
  await cut;
  const again = coffer.client(client.key);
  // It waits for the rest, if there is any.
  await takeSnapshot(again, drive);
  await restore(again, drive, snapshot);
  expect(await seen(again, drive, { paths: [], tags: [] })).toEqual(before);
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("no quota is in the way back", async () => {
  await using coffer = await startWorld({ "storage-limits": "free=1000,pro=1000,team=1000" });
  const { ada } = coffer.clients;
  const { drives } = coffer;
  await ada.store(drives.ada, "large", "x".repeat(900));
  const snapshot = await takeSnapshot(ada, drives.ada);
  await ada.delete(`/v0/files/by-path?drive_id=${drives.ada}&path=large`);
  await ada.store(drives.ada, "junk", "y".repeat(80));
  const full = await ada.send("PUT", `/v0/files?drive_id=${drives.ada}&path=more`, { body: "z".repeat(80) });
  expect([full.status, full.text]).toEqual([403, expect.stringContaining("snapshots need")]);
  expect(await restore(ada, drives.ada, snapshot)).toMatchObject({ files_restored: 1, files_removed: 1 });
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("a drive that is deleted amid its restore is gone, with all that was held for it", async () => {
  await using coffer = await startAppliance();
  const { id: drive, client } = await provision(coffer);
  const paths = Array.from({ length: 120 }, (_, n) => `d/${n}`);
  await Promise.all(paths.map((path) => client.store(drive, path, path)));
  const snapshot = await takeSnapshot(client, drive);
  await client.delete("/v0/folders", { drive_id: drive, path: "d/", confirm: true });
  const running = client.send("POST", `/v0/drives/${drive}/snapshots/${snapshot}/restore`);
  expect(await client.status("DELETE", `/v0/drives/${drive}`)).toBe(200);
  expect([200, 404]).toContain((await running).status);
  await coffer.appliance.services.sweep.run();
  for (const table of ["drive", "snapshot", "held_file", "held_folder", "folder_work", "file"])
    expect([table, rowsIn(coffer.dataDir, `SELECT 1 FROM ${table}`)]).toEqual([table, []]);
  expect(await verified(coffer.dataDir)).toEqual([]);
});

const taken = gives("POST /v0/drives/{drive}/snapshots", {}, { status: 201, keeps: "taken" });
const takenOfOther: Step = {
  ...taken,
  as: "otherAgent",
  request: ["POST", "/v0/drives/{drives.otherAgent}/snapshots"],
};

const INSIDE = "drive_id={drive}&snapshot_id={taken.data.id}";
const given = [put("a/f.txt", "x", { keeps: "file" }), taken];

function restoring(path: string, expected: Expected): Step {
  return step("POST /v0/drives/{drive}/snapshots/{taken.data.id}/restore", { body: { path }, ...expected });
}

runAfter(stage, given, {
  "a path of a file is not restored": restoring("a/f.txt", invalid("path")),
  "an order other than by path is refused": [
    step(`GET /v0/files?${INSIDE}&sort=-size&delimiter=/`, invalid("sort")),
    step(`GET /v0/folders?${INSIDE}&sort=name`, invalid("sort")),
  ],
  "a folder that was not there is not found": [
    put("new/f.txt"),
    restoring("new/", refused("NOT_FOUND")),
    refuses(`GET /v0/folders?${INSIDE}&path=new/`, "NOT_FOUND"),
    refuses(`GET /v0/archive?${INSIDE}&path=new/`, "NOT_FOUND"),
    refuses(`GET /v0/files/by-path?${INSIDE}&path=new/f.txt`, "NOT_FOUND"),
  ],
  "a file by its id in a snapshot of another drive": [
    takenOfOther,
    refuses("GET /v0/files/{file.id}?snapshot_id={taken.data.id}", "NOT_FOUND"),
  ],
  "nothing is written into a snapshot, and what only knows the present does not answer for it": [
    step(`PUT /v0/files?${INSIDE}&path=a/f.txt`, { body: "x", ...invalid("snapshot_id") }),
    ...(
      [
        `DELETE /v0/folders?${INSIDE}&path=a/&confirm=true`,
        `DELETE /v0/files/by-path?${INSIDE}&path=a/f.txt`,
        `GET /v0/search?${INSIDE}&q=f`,
        `GET /v0/grep?${INSIDE}&pattern=x`,
        `GET /v0/files/by-path/versions?${INSIDE}&path=a/f.txt`,
      ] as const
    ).map((request) => step(request, invalid("snapshot_id"))),
  ],
  "a deleted snapshot is not looked into": [
    gives("DELETE /v0/drives/{drive}/snapshots/{taken.data.id}", {}),
    refuses(`GET /v0/files?${INSIDE}`, "NOT_FOUND"),
  ],
});
const lists = ["/v0/files?", "/v0/folders?", "/v0/files/by-path?path=a/f.txt&", "/v0/archive?"];
runEach(stage, lists, (address) => [
  `a snapshot of another drive, or that is none, at ${address}`,
  ...given,
  takenOfOther,
  refuses(`GET ${address}${INSIDE}`, "NOT_FOUND"),
  refuses(`GET ${address}drive_id={drive}&snapshot_id=x`, "NOT_FOUND"),
]);
