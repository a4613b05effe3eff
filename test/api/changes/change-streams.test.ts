import { describe, expect, test } from "bun:test";
import { changeNumber } from "../../../src/domain/changes/change.ts";
import { STREAM_LIMITS } from "../../../src/domain/limits.ts";
import { changeCursor } from "../../../src/http/operation/cursor.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { EventReader } from "../../support/peers/event-reader.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { openStage, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";

const stage = openStage();

function write({ client, id }: Pick<OwnDrive, "client" | "id">, path: string) {
  return client.put(id, path, path);
}

async function paths(reader: EventReader, count: number): Promise<string[]> {
  return (await reader.changes(count)).map(({ path }) => path);
}

describe("a stream of changes", () => {
  test("tells what happens from now on, and nothing of other drives", async () => {
    const own = await stage.ownDrive();
    const other = await stage.ownDrive();
    await write(own, "before");
    await using reader = await EventReader.open(own.client, `drive_id=${own.id}`);
    expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
    expect(await reader.block()).toBe("retry: 2000");
    await write(other, "foreign");
    for (const path of ["a", "b", "c"]) await write(own, path);
    expect(await paths(reader, 3)).toEqual(["a", "b", "c"]);
  });

  test("goes on after the last event that its reader saw", async () => {
    const own = await stage.ownDrive();
    await write(own, "a");
    const first = await EventReader.open(own.client, "");
    await write(own, "b");
    const seen = await first.next();
    await first[Symbol.asyncDispose]();
    await write(own, "c");
    await write(own, "d");
    // A cursor in the address is of when the stream was first opened.
    const query = `cursor=${changeCursor.write({ number: changeNumber(0), at: 0, from: changeNumber(0) })}`;
    await using second = await EventReader.open(own.client, query, { "last-event-id": seen?.id ?? "" });
    await write(own, "e");
    expect(await paths(second, 3)).toEqual(["c", "d", "e"]);
    await using whole = await EventReader.open(own.client, query);
    expect(await paths(whole, 5)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("sends many changes at once as well", async () => {
    const own = await stage.ownDrive();
    await using reader = await EventReader.open(own.client, "");
    const names = Array.from({ length: 250 }, (_, n) => `n${String(n).padStart(3, "0")}`);
    await Promise.all(names.map((name) => write(own, name)));
    expect((await paths(reader, 250)).toSorted()).toEqual(names);
  });

  test("tells of a large change of a folder while it is under way, beside the changes", async () => {
    const own = await stage.ownDrive();
    const { id } = await write(own, "first");
    await addManyFiles(stage.coffer.dataDir, id, 1000);
    await using reader = await EventReader.open(own.client, `drive_id=${own.id}`);
    const body = { drive_id: own.id, path: "many/", destination_path: "more/" };
    const [, last] = await Promise.all([
      own.client.post("/v0/folders/copy", body),
      (async () => {
        for (let event = await reader.next(); event !== null; event = await reader.next()) {
          if (event.name !== "work") continue;
          const told: { readonly state: string } = JSON.parse(event.data);
          if (told.state !== "running") return { ...event, told };
        }
        return null;
      })(),
    ]);
    expect(last).toMatchObject({
      id: "",
      told: {
        kind: "copy",
        state: "done",
        path: "many/",
        destination_path: "more/",
        step: 3,
        steps: 3,
        files_done: 1000,
        files_total: 1000,
      },
    });
  });

  test("is only for those who ask for one", async () => {
    const own = await stage.ownDrive();
    for (const accept of [
      "*/*",
      "application/json",
      "application/json, text/event-stream",
      "text/event-stream;q=0",
    ]) {
      const { headers } = await own.client.send("GET", "/v0/changes", { headers: { accept } });
      expect([accept, headers.get("content-type")]).toEqual([accept, "application/json;charset=utf-8"]);
    }
    const headers = { accept: "text/event-stream" };
    const head = await own.client.send("HEAD", "/v0/changes", { headers });
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([
      200,
      "",
      "text/event-stream",
    ]);
  });

  test("is refused as JSON before it begins", async () => {
    const own = await stage.ownDrive();
    const headers = { accept: "text/event-stream" };
    const cursor = changeCursor.write({ number: changeNumber(1e9), at: 0, from: changeNumber(0) });
    for (const [query, status] of [
      ["sort=-id", 400],
      [`cursor=${cursor}`, 410],
      [`drive_id=${stage.world.drives.bob}`, 404],
    ] as const) {
      const answer = await own.client.send("GET", `/v0/changes?${query}`, { headers });
      expect([query, answer.status, answer.headers.get("content-type")]).toEqual([
        query,
        status,
        "application/json;charset=utf-8",
      ]);
    }
    const id = { ...headers, "last-event-id": "x" };
    expect(await own.client.status("GET", "/v0/changes", { headers: id })).toBe(400);
  });
});

describe("who may go on reading", () => {
  test("a key that is revoked is told nothing more", async () => {
    const own = await stage.ownDrive();
    const made = await own.client.makeKey();
    await using reader = await EventReader.open(stage.coffer.client(made.key), "");
    await write(own, "a");
    expect(await paths(reader, 1)).toEqual(["a"]);
    await own.client.delete(`/v0/keys/${made.id}`);
    await write(own, "b");
    expect(await reader.next()).toBeNull();
  });

  test("a session is, from our own pages; and ends with it", async () => {
    const { browser } = beginSession(stage.coffer, "ada");
    const { base } = stage.world.clients.ada;
    const query = `drive_id=${stage.world.drives.ada}`;
    const { cookie } = browser;
    await using reader = await EventReader.open({ base, key: undefined }, query, { cookie });
    await write({ client: stage.world.clients.ada, id: stage.world.drives.ada }, "seen");
    expect(await paths(reader, 1)).toEqual(["seen"]);
    const foreign = { cookie, origin: "https://evil.example" };
    const refused = await EventReader.open({ base, key: undefined }, query, foreign);
    expect(refused.response.status).toBe(401);
    await browser.send("POST", "/auth/logout");
    await write({ client: stage.world.clients.ada, id: stage.world.drives.ada }, "unseen");
    expect(await reader.next()).toBeNull();
  });
});

test("nothing is sent for a while, and a comment comes; the drive is gone, and the stream ends", async () => {
  await using coffer = await startAppliance({}, { streamCommentMs: 20 });
  const own = await provision(coffer);
  await using reader = await EventReader.open(own.client, "");
  expect(await reader.block()).toBe("retry: 2000");
  expect(await reader.block()).toBe(":");
  await own.client.delete(`/v0/drives/${own.id}`);
  expect(await reader.next()).toBeNull();
});

test("only so many are open at once, and one that ends makes room", async () => {
  await using coffer = await startAppliance();
  const own = await provision(coffer);
  const readers: EventReader[] = [];
  for (let n = 0; n < STREAM_LIMITS.unclaimed.client; n += 1)
    readers.push(await EventReader.open(own.client, ""));
  const headers = { accept: "text/event-stream" };
  expect(await own.client.status("GET", "/v0/changes", { headers })).toBe(429);
  await readers.pop()?.[Symbol.asyncDispose]();
  let last = await EventReader.open(own.client, "");
  while (last.response.status === 429) last = await EventReader.open(own.client, "");
  await write(own, "a");
  expect(await paths(last, 1)).toEqual(["a"]);
  // They must not hold up the end of the server.
  await coffer.close();
  for (const reader of [last, ...readers]) {
    while ((await reader.next()) !== null);
    await reader[Symbol.asyncDispose]();
  }
});
