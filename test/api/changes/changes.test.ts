import { describe, expect, test } from "bun:test";
import { changeNumber } from "../../../src/domain/changes/change.ts";
import { changeCursor } from "../../../src/http/operation/cursor.ts";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import type { Client } from "../../support/server/client.ts";
import { allChanges, changesPage, EventReader } from "../../support/peers/event-reader.ts";
import type { OwnDrive } from "../../support/server/scenario.ts";
import { openStage, runEach, runScenarios, runAfter, startWithDrive } from "../../support/server/scenario.ts";
import { gives, refused, refuses, type Step, step, invalid } from "../../support/server/steps.ts";
import { HELLO_DIGEST, put } from "../../support/server/uploads.ts";
import { STREAM_LIMITS } from "../../../src/domain/limits.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { beginSession } from "../../support/server/sign-in.ts";

const stage = openStage();

const JSON_TYPE = "application/json;charset=utf-8";
const HELLO = { content_hash: `sha256:${HELLO_DIGEST}`, size: 12 };
const none = { previous_path: null, before: null, after: null, file_count: null, ref: null };

/** The feed of `{drive}` must be exactly this. */
function tells(...data: object[]): Step {
  return gives("GET /v0/changes?drive_id={drive}", {
    data: data.map((each) => ({ ...none, ...each })),
    has_more: false,
  });
}

const same = { before: HELLO, after: HELLO };
const created = { type: "file.created", path: "a.txt", file_id: "{file.id}", after: HELLO };
const given = [put("a.txt", "Hello World!", { keeps: "file" })];
const moved = { type: "file.moved", previous_path: "a.txt", ...same };
const deleted = { type: "file.deleted" };
const ofFile = (method: string, rest: string, more: Partial<Step>): Step => {
  return { request: [method, `/v0/files/{file.id}${rest}`], status: 200, json: {}, ...more };
};

describe("what an entry says", () => {
  runScenarios(stage, {
    "a folder that is deleted and restored, each as one entry": [
      put("f/a.txt", "Hello World!", { keeps: "file" }),
      step("DELETE /v0/folders", {
        body: { drive_id: "{drive}", path: "f/", confirm: true },
        json: {},
        keeps: "gone",
      }),
      gives("POST /v0/trash/{gone.trash_id}/restore", {}),
      tells(
        { ...created, path: "f/a.txt" },
        { type: "folder.deleted", path: "f/", file_count: 1, ref: "{gone.trash_id}" },
        { type: "folder.restored", path: "f/", file_count: 1, ref: "{gone.trash_id}" },
      ),
    ],
    "a retry under the same Idempotency-Key is told once": [
      ...[0, 1].map(() =>
        put("a.txt", "Hello World!", { keeps: "file", headers: { "idempotency-key": "one" } }),
      ),
      tells(created),
    ],
    "a new folder, without those above it": [
      step("POST /v0/folders", { body: { drive_id: "{drive}", path: "f/g/" }, status: 201, json: {} }),
      tells({ type: "folder.created", path: "f/g/", file_count: 0 }),
    ],
    "the drive's new name": [
      gives("PATCH /v0/drives/{drive}", {}, { body: { name: "New" } }),
      tells({ type: "drive.updated", path: "" }),
    ],
  });
  runAfter(stage, given, {
    "a new file, and by whom": tells({ ...created, by: { type: "key", name: "Provisioned with the drive" } }),
    "a new content, and the one before": [
      put("a.txt", "other", { status: 200 }),
      tells(created, { ...created, type: "file.updated", before: HELLO, after: { size: 5 } }),
    ],
    "other attributes, with the same content": [
      ofFile("PATCH", "", { body: { tags: ["x"] } }),
      tells(created, { type: "file.updated", path: "a.txt", ...same }),
    ],
    "a rename that changes more is one entry": [
      ofFile("PATCH", "", { body: { path: "b/c.txt", tags: ["x"] } }),
      tells(created, { ...moved, path: "b/c.txt" }),
    ],
    "a move over a file, which is deleted first": [
      put("b.txt", "other", { keeps: "over" }),
      ofFile("POST", "/move", { body: { destination_path: "b.txt", overwrite: true } }),
      tells(
        created,
        { type: "file.created", path: "b.txt", after: { size: 5 } },
        { ...deleted, path: "b.txt", file_id: "{over.id}", before: { size: 5 }, ref: expect.anything() },
        { ...moved, path: "b.txt", file_id: "{file.id}" },
      ),
    ],
    "a deletion, and the return from the trash": [
      ofFile("DELETE", "", { keeps: "gone" }),
      gives("POST /v0/trash/{gone.trash_id}/restore", {}),
      tells(
        created,
        { type: "file.deleted", path: "a.txt", before: HELLO, ref: "{gone.trash_id}" },
        { type: "file.restored", path: "a.txt", after: HELLO, file_id: "{file.id}", ref: "{gone.trash_id}" },
      ),
    ],
    "a copy": [
      ofFile("POST", "/copy", { body: { destination_path: "b.txt" }, status: 201, keeps: "copy" }),
      tells(created, { type: "file.created", path: "b.txt", file_id: "{copy.id}", after: HELLO }),
    ],
    "nothing of what was refused": [
      ofFile("PATCH", "", { body: { tags: [""] }, ...invalid("tags[0]") }),
      ofFile("DELETE", "", { headers: { "if-match": '"other"' }, ...refused("PRECONDITION_FAILED") }),
      tells(created),
    ],
  });
});

test("members and links are told of; a reader sees what happened since it is one, an editor all", async () => {
  for (const name of ["zoe", "yan"]) addAccount(stage.coffer, name);
  const zoe = await accountClient(stage.coffer, "zoe");
  const yan = await accountClient(stage.coffer, "yan");
  const { id } = await zoe.makeDrive("Shared");
  const members = `/v0/drives/${id}/members`;
  await zoe.put(id, "before", "x");
  const reader = { username: "yan", role: "reader" };
  const { data: member } = await zoe.post<{ data: { user_id: string } }>(members, reader);
  await zoe.post(members, reader, 200);
  const told = async (client: Client) =>
    (await allChanges(client, `drive_id=${id}`)).map(({ type, path, ref }) => [type, path, ref]);
  const before = ["file.created", "before", null];
  const since = [["member.added", "", member.user_id]];
  expect(await told(yan)).toEqual(since);
  for (const role of ["editor", "reader"]) {
    await zoe.patch(`${members}/${member.user_id}`, { role });
    since.push(["member.changed", "", member.user_id]);
    expect(await told(yan)).toEqual(role === "editor" ? [before, ...since] : since);
  }
  const link = await zoe.post<{ id: string }>("/v0/links", { drive_id: id, path: "before" });
  await zoe.delete(`/v0/links/${link.id}`);
  since.push(["link.created", "before", link.id], ["link.revoked", "before", link.id]);
  expect([await told(zoe), await told(yan)]).toEqual([[before, ...since], since]);
  // It is not among the drives of its own.
  expect(await allChanges(yan, "")).toEqual([]);
  const keys = await Promise.all([zoe, yan].map((client) => client.get<[{ id: string }]>("/v0/keys")));
  await yan.delete(`${members}/${member.user_id}`);
  expect(await yan.status("GET", `/v0/changes?drive_id=${id}`)).toBe(404);
  expect((await told(zoe)).at(-1)).toEqual(["member.removed", "", member.user_id]);
  const by = (await allChanges(zoe, `drive_id=${id}`)).map((change) => change.by?.id);
  expect([by[1], by.at(-1)]).toEqual(keys.map(([key]) => key.id));
});

describe("what the feed refuses", () => {
  runScenarios(stage, {
    "a cursor of changes that have not happened": refuses(
      `GET /v0/changes?cursor=${cursorAt(1_000_000, 0)}`,
      "GONE",
    ),
    "a cursor of another history, which a restored backup has": [
      put("a.txt", "one"),
      refuses(`GET /v0/changes?cursor=${cursorAt(1, 12345)}`, "GONE"),
    ],
  });
  runEach(
    stage,
    [
      ["a cursor that is none", "cursor=x", "cursor"],
      ["a cursor of a list", `cursor=${Buffer.from("a.txt").toString("base64url")}`, "cursor"],
      ["another order", "sort=at", "sort"],
      ["too many at once", "limit=1001", "limit"],
    ] as const,
    ([name, query, field]) => [name, refuses(`GET /v0/changes?${query}`, "VALIDATION_ERROR", field)],
  );
});

function cursorAt(number: number, at: number, from = number): string {
  return changeCursor.write({ number: changeNumber(number), at, from: changeNumber(from) });
}

describe("going through the feed", () => {
  test("each order gives every change once, on pages of any length", async () => {
    const { id, client } = await stage.ownDrive();
    for (const name of ["a", "b", "c", "d", "e"]) await client.put(id, name, name);
    for (const limit of [1, 2, 3, 5]) {
      const forwards = await allChanges(client, `drive_id=${id}`, limit);
      expect(forwards.map(({ path }) => path)).toEqual(["a", "b", "c", "d", "e"]);
      const backwards = await allChanges(client, "sort=-id", limit);
      expect(backwards).toEqual(forwards.toReversed());
    }
    expect((await changesPage(client, "sort=-id")).next_cursor).toBeNull();
  });

  test("the end of the feed, and a change, are where it goes on", async () => {
    const { id, client } = await stage.ownDrive();
    const file = (path: string) => client.put(id, path, path);
    const empty = await changesPage(client, "");
    expect(empty).toEqual({ data: [], next_cursor: expect.any(String), has_more: false });
    const latest = await changesPage(client, "cursor=latest");
    await file("a");
    await file("b");
    for (const { next_cursor } of [empty, latest]) {
      const { data } = await changesPage(client, `cursor=${next_cursor}`);
      expect(data.map(({ path }) => path)).toEqual(["a", "b"]);
      const rest = await changesPage(client, `cursor=${data[0]?.id}`);
      expect(rest.data).toEqual(data.slice(1));
    }
    expect((await changesPage(client, "cursor=latest")).data).toEqual([]);
  });

  test("an account's feed is that of all its drives together, and no others", async () => {
    addAccount(stage.coffer, "eve");
    const eve = await accountClient(stage.coffer, "eve");
    const ids: string[] = [];
    for (const name of ["One", "Two", "Three"]) ids.push((await eve.makeDrive(name)).id);
    const expected: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const isForeign = n % 7 === 0;
      const client = isForeign ? stage.world.clients.bob : eve;
      const id = isForeign ? stage.world.drives.bob : (ids[(n % 5) % 3] ?? "");
      await client.put(id, `n${n}`, "x");
      if (!isForeign) expected.push(`n${n}`);
    }
    for (const limit of [3, 50]) {
      const seen = async (query: string) => (await allChanges(eve, query, limit)).map(({ path }) => path);
      expect(await seen("")).toEqual(expected);
      expect(await seen("sort=-id")).toEqual(expected.toReversed());
    }
  });
});

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
    // Many at once as well.
    const names = Array.from({ length: 250 }, (_, n) => `n${String(n).padStart(3, "0")}`);
    await Promise.all(names.map((name) => write(own, name)));
    expect((await paths(reader, 250)).toSorted()).toEqual(names);
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
    const query = `cursor=${cursorAt(0, 0)}`;
    await using second = await EventReader.open(own.client, query, { "last-event-id": seen?.id ?? "" });
    await write(own, "e");
    expect(await paths(second, 3)).toEqual(["c", "d", "e"]);
    await using whole = await EventReader.open(own.client, query);
    expect(await paths(whole, 5)).toEqual(["a", "b", "c", "d", "e"]);
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
    const places = { path: "many/", destination_path: "more/" };
    const progress = { step: 3, steps: 3, files_done: 1000, files_total: 1000 };
    expect(last).toMatchObject({ id: "", told: { kind: "copy", state: "done", ...places, ...progress } });
  });

  test("is only for those who ask for one, and may", async () => {
    const own = await stage.ownDrive();
    const json = ["*/*", "application/json", "application/json, text/event-stream"];
    for (const accept of [...json, "text/event-stream;q=0"]) {
      const { headers } = await own.client.send("GET", "/v0/changes", { headers: { accept } });
      expect([accept, headers.get("content-type")]).toEqual([accept, JSON_TYPE]);
    }
    const headers = { accept: "text/event-stream" };
    const head = await own.client.send("HEAD", "/v0/changes", { headers });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers.get("content-type")).toBe("text/event-stream");
    // What is refused is refused as JSON, before it begins.
    const cursor = cursorAt(1e9, 0, 0);
    for (const [query, status] of [
      ["sort=-id", 400],
      [`cursor=${cursor}`, 410],
      [`drive_id=${stage.world.drives.bob}`, 404],
    ] as const) {
      const answer = await own.client.send("GET", `/v0/changes?${query}`, { headers });
      expect([query, answer.status, answer.headers.get("content-type")]).toEqual([query, status, JSON_TYPE]);
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
    const { cookie } = browser;
    const ada = { client: stage.world.clients.ada, id: stage.world.drives.ada };
    const open = (headers: Record<string, string>) =>
      EventReader.open(stage.coffer.client(), `drive_id=${ada.id}`, headers);
    await using reader = await open({ cookie });
    await write(ada, "seen");
    expect(await paths(reader, 1)).toEqual(["seen"]);
    expect((await open({ cookie, origin: "https://evil.example" })).response.status).toBe(401);
    await browser.send("POST", "/auth/logout");
    await write(ada, "unseen");
    expect(await reader.next()).toBeNull();
  });
});

test("nothing is sent for a while, and a comment comes; the drive is gone, and the stream ends", async () => {
  await using coffer = await startWithDrive({}, { streamCommentMs: 20 });
  const { own } = coffer;
  await using reader = await EventReader.open(own.client, "");
  expect(await reader.block()).toBe("retry: 2000");
  expect(await reader.block()).toBe(":");
  await own.client.delete(`/v0/drives/${own.id}`);
  expect(await reader.next()).toBeNull();
});

test("only so many are open at once, and one that ends makes room", async () => {
  await using coffer = await startWithDrive();
  const { own } = coffer;
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
