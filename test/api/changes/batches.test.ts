import { expect, test } from "bun:test";
import { changesPage, EventReader } from "../../support/peers/event-reader.ts";
import { openStage } from "../../support/server/scenario.ts";

const stage = openStage();

/** A drive in which some files were deleted at once, in three folders. */
async function deletedAtOnce(paths: string[]) {
  const own = await stage.ownDrive();
  for (const path of paths) await own.client.put(own.id, path, path);
  const start = (await changesPage(own.client, `drive_id=${own.id}`)).next_cursor;
  const body = { drive_id: own.id, paths };
  const removed = await own.client.post<{ batch_id: string }>("/v0/files/bulk-delete", body, 200);
  return { ...own, start, batch: removed.batch_id };
}

test("what one request does to many files is a batch: its changes name it, and one more sums them up", async () => {
  const { client, id, start, batch } = await deletedAtOnce(["a/b/1", "a/b/c/2", "a/bb/3"]);
  const page = await changesPage(client, `drive_id=${id}&cursor=${start}`);
  expect(page.data).toEqual([
    ...["a/b/1", "a/b/c/2", "a/bb/3"].map((path) =>
      expect.objectContaining({ type: "file.deleted", path, batch_id: batch }),
    ),
    expect.objectContaining({
      type: "files.deleted",
      path: "a/",
      file_count: 3,
      ref: batch,
      batch_id: batch,
      file_id: null,
    }),
  ]);
  expect(batch).toEqual(expect.any(String));
});

test("a summary has the batch as one change, in pages and in streams, and all else", async () => {
  const { client, id, start } = await deletedAtOnce(["a/1", "a/2", "b"]);
  await client.put(id, "after", "x");
  const query = `drive_id=${id}&cursor=${start}&summary=true`;
  const told = (await changesPage(client, query)).data.map(({ type, path }) => [type, path]);
  expect(told).toEqual([
    ["files.deleted", ""],
    ["file.created", "after"],
  ]);
  await using stream = await EventReader.open(client, query);
  for (const [type, path] of told) expect((await stream.changes(1))[0]).toMatchObject({ type, path });
});

test("a key of a folder sees of a batch what was in there, and not how much it was", async () => {
  const { client, id, start } = await deletedAtOnce(["a/1", "a/b/2", "c/3"]);
  const seenBy = async (path_prefix: string) => {
    const inside = stage.coffer.client((await client.makeKey({ name: "inside", path_prefix })).key);
    const { data } = await changesPage(inside, `drive_id=${id}&cursor=${start}`);
    return data.map(({ type, path, file_count }) => [type, path, file_count]);
  };
  expect(await seenBy("a/")).toEqual([
    ["file.deleted", "a/1", null],
    ["file.deleted", "a/b/2", null],
    ["files.deleted", "a/", null],
  ]);
});

test("nothing that changed is no batch", async () => {
  const own = await stage.ownDrive();
  const body = { drive_id: own.id, paths: ["none"] };
  expect(await own.client.post<unknown>("/v0/files/bulk-delete", body, 200)).toMatchObject({
    batch_id: null,
  });
  expect((await changesPage(own.client, `drive_id=${own.id}`)).data).toEqual([]);
});
