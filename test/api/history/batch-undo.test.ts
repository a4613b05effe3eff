import { expect, test } from "bun:test";
import type { Client } from "../../support/server/client.ts";
import { listed } from "../../support/models/feed-replay.ts";
import { changesPage } from "../../support/peers/event-reader.ts";
import { KEEPS_NOTHING } from "../../support/server/appliance.ts";
import { openStage, startWithDrive } from "../../support/server/scenario.ts";

const stage = openStage();

interface Undone {
  readonly batch_id: string | null;
  readonly undone: number;
  readonly failed: readonly { readonly path: string; readonly error: { readonly code: string } }[];
  readonly failed_count: number;
}

function undoBatch(client: Client, drive_id: string, batch_id: string | null): Promise<Undone> {
  return client.post<Undone>("/v0/undo", { drive_id, batch_id }, 200);
}

async function deleteAll(client: Client, drive_id: string, paths: string[]): Promise<string> {
  return (await client.post<{ batch_id: string }>("/v0/files/bulk-delete", { drive_id, paths }, 200))
    .batch_id;
}

/** A drive with 300 files. */
async function withMany() {
  const own = await stage.ownDrive();
  const paths = Array.from({ length: 300 }, (_, at) => `dir/${at % 7}/${at}.txt`);
  await Promise.all(paths.map((path) => own.client.put(own.id, path, path)));
  return { ...own, paths, before: await listed(own.client, own.id) };
}

test("a batch is undone by one request, that by another, and so on; the undoing is one entry in the feed", async () => {
  const { client, id, paths, before } = await withMany();
  let batch: string | null = await deleteAll(client, id, paths);
  for (const files of [before, new Map<string, string>(), before]) {
    const undone = await undoBatch(client, id, batch);
    expect(undone).toMatchObject({ undone: paths.length, failed: [], failed_count: 0 });
    expect(await listed(client, id)).toEqual(files);
    batch = undone.batch_id;
  }
  const { data } = await changesPage(client, `drive_id=${id}&summary=true&sort=-id&limit=1`);
  expect(data).toMatchObject([{ type: "files.undone", path: "dir/", file_count: paths.length, ref: batch }]);
});

test("what is not as the batch left it stays, and is said; the rest is undone", async () => {
  const own = await stage.ownDrive();
  const { client, id } = own;
  for (const path of ["a", "b", "c"]) await client.put(id, path, `old ${path}`);
  const deleted = await deleteAll(client, id, ["a", "b", "c"]);
  await client.put(id, "b", "new b");
  const undone = await undoBatch(client, id, deleted);
  expect(undone).toMatchObject({
    undone: 2,
    failed: [{ path: "b", error: { code: "CONFLICT" } }],
    failed_count: 1,
  });
  // Now the other way around: what came back has changed, moved, or gone since.
  await client.send("PUT", `/v0/files?drive_id=${id}&path=a`, { body: "newer a" });
  await client.post("/v0/undo", { drive_id: id, path: "c" }, 200);
  const again = await undoBatch(client, id, undone.batch_id);
  expect(again).toMatchObject({ batch_id: null, undone: 0, failed_count: 2 });
  expect(again.failed.map(({ path, error }) => [path, error.code])).toEqual([
    ["a", "CONFLICT"],
    ["c", "NOT_FOUND"],
  ]);
  const text = (path: string) => client.send("GET", `/v0/files/by-path/download?drive_id=${id}&path=${path}`);
  expect([(await text("a")).text, (await text("b")).text]).toEqual(["newer a", "new b"]);
});

test("a key of a folder undoes batches in there, and sees no others", async () => {
  const { client, id } = await stage.ownDrive();
  for (const path of ["a/1", "a/2", "b"]) await client.put(id, path, path);
  const [within, beside] = [await deleteAll(client, id, ["a/1"]), await deleteAll(client, id, ["a/2", "b"])];
  const { key } = await client.makeKey({ name: "inside", path_prefix: "a/" });
  const inside = stage.coffer.client(key);
  expect(await undoBatch(inside, id, within)).toMatchObject({ undone: 1 });
  await inside.json(404, "POST", "/v0/undo", { body: { drive_id: id, batch_id: beside } });
  expect(await undoBatch(client, id, beside)).toMatchObject({ undone: 2 });
});

test("under the same Idempotency-Key a batch is undone once", async () => {
  const { client, id } = await stage.ownDrive();
  await client.put(id, "a", "x");
  const body = { drive_id: id, batch_id: await deleteAll(client, id, ["a"]) };
  const headers = { "idempotency-key": "one" };
  const first = await client.send("POST", "/v0/undo", { body, headers });
  const again = await client.send("POST", "/v0/undo", { body, headers });
  expect([again.text, again.headers.get("idempotency-replayed")]).toEqual([first.text, "true"]);
});

test("an undoing that could not be undone is none: where nothing deleted is kept", async () => {
  await using coffer = await startWithDrive(KEEPS_NOTHING);
  const { client, id } = coffer.own;
  await client.put(id, "a", "x");
  const batch = await deleteAll(client, id, ["a"]);
  expect(await undoBatch(client, id, batch)).toMatchObject({ batch_id: null, undone: 0, failed_count: 1 });
});

test("a deletion of folders and files is one batch, and comes back with one request, and goes again", async () => {
  const { client, id } = await stage.ownDrive();
  for (const path of ["a/1", "a/b/2", "c", "stays/3"]) await client.put(id, path, path);
  await client.post("/v0/folders", { drive_id: id, path: "empty/inner/" });
  const before = await listed(client, id);
  const paths = ["a/", "empty/", "c", "nothing/", "nor this"];
  const deletion = { drive_id: id, paths };
  const gone = await client.post<{ batch_id: string }>("/v0/files/bulk-delete", deletion, 200);
  expect(gone).toMatchObject({ deleted: ["a/", "empty/", "c"], failed: ["nothing/", "nor this"] });
  expect([...(await listed(client, id)).keys()]).toEqual(["stays/3"]);
  const back = await undoBatch(client, id, gone.batch_id);
  expect(back).toMatchObject({ undone: 3, failed: [] });
  expect(await listed(client, id)).toEqual(before);
  await client.get(`/v0/paths?drive_id=${id}&path=empty/inner/`);
  expect(await client.get(`/v0/trash?drive_id=${id}`)).toMatchObject({ data: [] });
  expect(await undoBatch(client, id, back.batch_id)).toMatchObject({ undone: 3, failed: [] });
  expect([...(await listed(client, id)).keys()]).toEqual(["stays/3"]);
});

test("folders that were moved go back with the files, and what was made for them goes", async () => {
  const { client, id } = await stage.ownDrive();
  for (const path of ["a/1", "c"]) await client.put(id, path, path);
  await client.post("/v0/folders", { drive_id: id, path: "empty/" });
  const body = { drive_id: id, paths: ["a/", "empty/", "c"], destination_path: "new/er/" };
  const { batch_id } = await client.post<{ batch_id: string }>("/v0/paths/move", body, 200);
  expect([...(await listed(client, id)).keys()]).toEqual(["new/er/a/1", "new/er/c"]);
  expect(await undoBatch(client, id, batch_id)).toMatchObject({ failed: [] });
  expect([...(await listed(client, id)).keys()]).toEqual(["a/1", "c"]);
  await client.get(`/v0/paths?drive_id=${id}&path=empty/`);
  await client.json(404, "GET", `/v0/paths?drive_id=${id}&path=new/er/`);
});

test("folders of a place that keeps nothing of what is deleted go only when that is confirmed", async () => {
  await using coffer = await startWithDrive(KEEPS_NOTHING);
  const { client, id } = coffer.own;
  await client.put(id, "a/1", "x");
  const body = { drive_id: id, paths: ["a/"] };
  await client.json(400, "POST", "/v0/files/bulk-delete", { body });
  const gone = await client.post("/v0/files/bulk-delete", { ...body, confirm: true }, 200);
  expect(gone).toMatchObject({ deleted: ["a/"], trash_ids: [null] });
});

test("a key of a folder deletes no folders beside it, nor what holds it", async () => {
  const { client, id } = await stage.ownDrive();
  for (const path of ["a/in/1", "b/2"]) await client.put(id, path, path);
  const { key } = await client.makeKey({ name: "inside", path_prefix: "a/in/" });
  const body = { drive_id: id, paths: ["a/", "b/"] };
  const answer = await stage.coffer.client(key).post("/v0/files/bulk-delete", body, 200);
  expect(answer).toMatchObject({ deleted: [], failed: ["a/", "b/"], batch_id: null });
  await client.json(400, "POST", "/v0/files/bulk-delete", { body: { drive_id: id, paths: [""] } });
  await client.json(400, "POST", "/v0/files/bulk-delete", { body: { drive_id: id, paths: ["/"] } });
});

test("much comes back from the trash as one batch, each to its place or with the reason why not", async () => {
  const { client, id } = await stage.ownDrive();
  const before = ["a/1", "a/2", "b", "c"];
  for (const path of before) await client.put(id, path, path);
  const { trash_ids } = await client.post<{ trash_ids: string[] }>(
    "/v0/files/bulk-delete",
    { drive_id: id, paths: ["a/", "b", "c"] },
    200,
  );
  await client.put(id, "b", "another");
  const { results, ...rest } = await client.post<{ results: object[]; batch_id: string }>(
    "/v0/trash/restore",
    { trash_ids: [...trash_ids, "nothing"] },
    200,
  );
  expect(results).toMatchObject([
    { status: "restored", path: "a/" },
    { status: "restored", path: "b (restored)" },
    { status: "restored", path: "c" },
    { trash_id: "nothing", status: "failed", error: { code: "NOT_FOUND" } },
  ]);
  expect(rest).toMatchObject({ restored: 3, failed: 1 });
  expect([...(await listed(client, id)).keys()]).toEqual(["a/1", "a/2", "b", "b (restored)", "c"]);
  expect(await undoBatch(client, id, rest.batch_id)).toMatchObject({ undone: 3, failed: [] });
  expect([...(await listed(client, id)).keys()]).toEqual(["b"]);
});

test("what others deleted where one may only read, or that is beside the key's folder, stays in the trash", async () => {
  const { client, id } = await stage.ownDrive();
  for (const path of ["a/1", "b"]) await client.put(id, path, path);
  const { trash_ids } = await client.post<{ trash_ids: string[] }>(
    "/v0/files/bulk-delete",
    { drive_id: id, paths: ["a/1", "b"] },
    200,
  );
  const { key } = await client.makeKey({ name: "inside", path_prefix: "a/" });
  const answer = await stage.coffer.client(key).post("/v0/trash/restore", { trash_ids }, 200);
  expect(answer).toMatchObject({ results: [{ status: "restored" }, { status: "failed" }] });
});

/** The ids of the changes that a key made, and that the API takes back. */
async function changeIds(client: Client, drive: string, query: string): Promise<string[]> {
  return (await changesPage(client, `drive_id=${drive}&${query}`)).data.map(({ id }) => id);
}

function undoChanges(client: Client, drive_id: string, change_ids: string[]): Promise<Undone> {
  return client.post<Undone>("/v0/undo", { drive_id, change_ids }, 200);
}

test("some changes are undone by their ids, the newest first, and that by its batch", async () => {
  const { client, id } = await stage.ownDrive();
  await client.put(id, "kept", "before");
  const { key, id: keyId } = await client.makeKey({ name: "other" });
  const other = stage.coffer.client(key);
  for (const body of ["one", "two"]) await other.send("PUT", `/v0/files?drive_id=${id}&path=kept`, { body });
  await other.put(id, "new", "x");
  await other.delete(`/v0/files/by-path?drive_id=${id}&path=kept`);
  const undone = await undoChanges(client, id, await changeIds(client, id, `by=${keyId}`));
  expect(undone).toMatchObject({ undone: 4, failed: [] });
  expect(await listed(client, id)).toEqual(new Map([["kept", expect.anything()]]));
  const text = async (path: string) =>
    (await client.send("GET", `/v0/files/by-path/download?drive_id=${id}&path=${path}`)).text;
  expect(await text("kept")).toBe("before");
  await undoBatch(client, id, undone.batch_id);
  expect(await text("new")).toBe("x");
});

test("a change that nobody can undo is said, and one of another drive or folder is not there", async () => {
  const { client, id } = await stage.ownDrive();
  await client.put(id, "a/1", "x");
  await client.put(id, "b", "x");
  await client.post("/v0/links", { drive_id: id, path: "a/" }, 201);
  const [inside = "", beside = "", link = ""] = await changeIds(client, id, "");
  expect(await undoChanges(client, id, [link])).toMatchObject({
    batch_id: null,
    undone: 0,
    failed: [{ path: "a/", error: { code: "CONFLICT" } }],
  });
  const { key } = await client.makeKey({ name: "inside", path_prefix: "a/" });
  const limited = stage.coffer.client(key);
  await limited.json(404, "POST", "/v0/undo", { body: { drive_id: id, change_ids: [inside, beside] } });
  const other = await stage.ownDrive();
  await other.client.json(404, "POST", "/v0/undo", {
    body: { drive_id: other.id, change_ids: [inside] },
  });
  expect(await undoChanges(limited, id, [inside])).toMatchObject({ undone: 1 });
});
