import { expect, test } from "bun:test";
import { changesPage, EventReader } from "../../support/peers/event-reader.ts";
import { openStage } from "../../support/server/scenario.ts";

const stage = openStage();

/** A drive in which two keys did something, and what a query says of it: each change's type and path, oldest first. */
async function busyDrive() {
  const { client, id } = await stage.ownDrive();
  const { key, id: keyId } = await client.makeKey({ name: "other" });
  const other = stage.coffer.client(key);
  await client.put(id, "a/1", "x");
  await other.put(id, "a/2", "x");
  await other.put(id, "b", "x");
  const deletion = await other.post<{ batch_id: string }>(
    "/v0/files/bulk-delete",
    { drive_id: id, paths: ["a/2", "b"] },
    200,
  );
  const told = async (query: string) =>
    (await changesPage(client, `drive_id=${id}&${query}`)).data.map(({ type, path }) => `${type} ${path}`);
  return { client, id, keyId, batch: deletion.batch_id, told };
}

test("changes are found by who made them, what they are, where and in which batch", async () => {
  const { keyId, batch, told } = await busyDrive();
  const gone = ["file.deleted a/2", "file.deleted b"];
  expect(await told(`by=${keyId}&events=file.created`)).toEqual(["file.created a/2", "file.created b"]);
  expect(await told("path=a/")).toEqual([
    "file.created a/1",
    "file.created a/2",
    "file.deleted a/2",
    "files.deleted ",
  ]);
  expect(await told("path=b&events=file.*")).toEqual(["file.created b", "file.deleted b"]);
  expect(await told(`batch_id=${batch}`)).toEqual([...gone, "files.deleted "]);
  expect(await told("events=file.deleted,files.*&summary=true")).toEqual(["files.deleted "]);
  expect(await told(`by=${batch}`)).toEqual([]);
});

test("changes are found by their time, in both orders, page by page", async () => {
  const { client, id, told } = await busyDrive();
  stage.coffer.clock.advance(3_600_000);
  await client.put(id, "late", "x");
  expect(await told("since=30m")).toEqual(["file.created late"]);
  expect(await told("since=30m&sort=-id")).toEqual(["file.created late"]);
  const first = await changesPage(client, `drive_id=${id}&sort=-id&events=file.created&limit=3`);
  const rest = await changesPage(
    client,
    `drive_id=${id}&sort=-id&events=file.created&limit=3&cursor=${first.next_cursor}`,
  );
  expect([first, rest].map(({ data }) => data.map(({ path }) => path))).toEqual([
    ["late", "b", "a/2"],
    ["a/1"],
  ]);
  expect(rest.next_cursor).toBeNull();
});

test("a stream tells only what was asked for", async () => {
  const { client, id } = await stage.ownDrive();
  await using reader = await EventReader.open(client, `drive_id=${id}&events=file.deleted`);
  await client.put(id, "a", "x");
  await client.delete(`/v0/files/by-path?drive_id=${id}&path=a`);
  expect(await reader.changes(1)).toMatchObject([{ type: "file.deleted" }]);
});

test("an event that there is not is refused, and the like are named", async () => {
  const { client, id } = await stage.ownDrive();
  const answer = await client.send("GET", `/v0/changes?drive_id=${id}&events=file.removed`);
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("file.deleted")]);
});
