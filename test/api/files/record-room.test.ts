import { describe, expect, spyOn, test } from "bun:test";
import { METADATA_BYTES, MIB, RECORD_BYTES, RECORD_ROOM_BYTES } from "../../../src/domain/limits.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import type { Answer, Client, Json } from "../../support/server/client.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { openStage, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { requestOf } from "../../support/server/routes.ts";
import { startWorld } from "../../support/server/world.ts";
import { idempotencyKey } from "../../support/server/held-request.ts";

const stage = openStage();
const { entry, part } = RECORD_BYTES;
/** What a file without tags and metadata takes. */
const FILE = entry + "{}".length;

/** Makes the records of a drive take up all but `left` bytes of the room for them. */
function leave({ dataDir }: TestAppliance, drive: string, left: number, room = RECORD_ROOM_BYTES): void {
  changeDatabase(dataDir, `UPDATE drive SET record_size = ${room - left} WHERE id = '${drive}'`);
}

type Place = Pick<OwnDrive, "client" | "id">;

/** Uploads nothing to a path. */
function upload({ client, id }: Place, path: string): Promise<Answer> {
  return client.send("PUT", `/v0/files?drive_id=${id}&path=${path}`, { body: "" });
}

interface Target extends OwnDrive {
  /** Of `dir/file`. */
  readonly file: string;
  /** Sends a request about the drive `{drive}`, or that file, `{file}`. */
  readonly ask: (request: string, body: Json) => Promise<Answer>;
}

/** A drive with the file `dir/file`. */
async function target(): Promise<Target> {
  const own = await stage.ownDrive();
  const { id: file } = await own.client.put(own.id, "dir/file", "");
  const named = { drive: own.id, file };
  const ask: Target["ask"] = (request, body) =>
    own.client.send(...requestOf([request, 200, { body }], named));
  return { ...own, file, ask };
}

const NEW = "POST /v0/files";
const CHANGE = "PATCH /v0/files/{file}";
const MOVE_FOLDER = "POST /v0/folders/move";
const drive_id = "{drive}";
const DIR = { drive_id, path: "dir/" };
/** An upload of nothing to a path. */
const empty = (path: string, more: { [name: string]: Json } = {}) => {
  return { drive_id, path, filename: path.split("/").at(-1) ?? "", content: "", ...more };
};
const sixteenKib = { a: "x".repeat(METADATA_BYTES - `{"a":""}`.length) };

/** What takes room, and how many bytes of it. */
const GROWING: readonly (readonly [name: string, takes: number, request: string, body: Json])[] = [
  ["an empty file", FILE, NEW, empty("dir/new")],
  ["a file in two new folders", FILE + 2 * entry, NEW, empty("a/b/new")],
  [
    "a file with tags and metadata",
    entry + 2 * part + `{"a":"\u00e9"}`.length + 1,
    NEW,
    empty("new", { tags: ["one", "two"], metadata: { a: "\u00e9" } }),
  ],
  [
    "tags and metadata of a file that is replaced",
    part + `{"a":1}`.length - 2,
    NEW,
    empty("dir/file", { tags: ["one"], metadata: { a: 1 } }),
  ],
  ["new tags", 64 * part, CHANGE, { tags: Array.from({ length: 64 }, (_, n) => String(n)) }],
  ["new metadata", METADATA_BYTES - 2, CHANGE, { metadata: sixteenKib }],
  ["a path in a new folder", entry, CHANGE, { path: "new/file" }],
  ["a move into a new folder", entry, "POST /v0/files/{file}/move", { destination_path: "new/file" }],
  ["a copy", FILE, "POST /v0/files/{file}/copy", { destination_path: "copy" }],
  ["folders", 3 * entry, "POST /v0/folders", { drive_id, path: "a/b/c/" }],
  ["a copy of a folder", entry + FILE, "POST /v0/folders/copy", { ...DIR, destination_path: "copy/" }],
  ["a move of a folder below a new one", entry, MOVE_FOLDER, { ...DIR, destination_path: "new/dir/" }],
  ["a link", part, "POST /v0/files/{file}/presigned-url", {}],
  ["an upload link", entry, "POST /v0/upload-links", { drive_id, path: "by-link" }],
  ["a link that shows a folder", entry, "POST /v0/links", { drive_id, path: "/" }],
];

/** What is in a drive: its files and folders, and what a page of them shows. */
async function shown({ client, id }: Place): Promise<unknown[]> {
  const paths = [`/v0/files?drive_id=${id}`, `/v0/folders?drive_id=${id}`, `/v0/drives/${id}`];
  return Promise.all(paths.map((path) => client.get(path)));
}

describe("in an unclaimed drive there is room", () => {
  test.each(GROWING)("for %s, but not for more", async (_, takes, request, body) => {
    const own = await target();
    const send = () => own.ask(request, body);
    leave(stage.coffer, own.id, takes - 1);
    const before = await shown(own);
    const refusal = await send();
    expectRefused(refusal, "QUOTA_EXCEEDED");
    expect(refusal.text).toContain("claim it, or delete some");
    expect(await shown(own)).toEqual(before);
    leave(stage.coffer, own.id, takes);
    expect([200, 201]).toContain((await send()).status);
    // Now it is full.
    expectRefused(await upload(own, "dir/more"), "QUOTA_EXCEEDED");
  });

  test("for a copy of a folder, or it is refused before any of it is made", async () => {
    const { coffer } = stage;
    const own = await stage.ownDrive();
    const { id } = await own.client.put(own.id, "one", "");
    await addManyFiles(coffer.dataDir, id, 500);
    leave(coffer, own.id, 400 * FILE);
    using works = spyOn(coffer.appliance.services.folderWorks, "complete");
    const body = { drive_id: own.id, path: "many/", destination_path: "copy/" };
    expectRefused(await own.client.send("POST", "/v0/folders/copy", { body }), "QUOTA_EXCEEDED");
    expect(works).not.toHaveBeenCalled();
    leave(coffer, own.id, 501 * FILE);
    await own.client.post("/v0/folders/copy", body);
    expect(works).toHaveBeenCalledTimes(1);
  });

  test("that is free again for what takes the place of something deleted", async () => {
    const own = await target();
    leave(stage.coffer, own.id, 0);
    expectRefused(await upload(own, "other"), "QUOTA_EXCEEDED");
    await own.client.delete(`/v0/files/${own.file}`);
    expect((await upload(own, "other")).status).toBe(201);
    expectRefused(await upload(own, "another"), "QUOTA_EXCEEDED");
    await own.client.delete("/v0/folders", { drive_id: own.id, path: "dir/", confirm: true });
    expectRefused(await upload(own, "another"), "QUOTA_EXCEEDED");
  });

  test("for the links of a file, which take it also when the file is deleted", async () => {
    const own = await target();
    leave(stage.coffer, own.id, 2 * part);
    const link = () => own.ask("POST /v0/files/{file}/presigned-url", { expires_in: 60 });
    expect([(await link()).status, (await link()).status]).toEqual([200, 200]);
    expectRefused(await link(), "QUOTA_EXCEEDED");
    await own.client.delete(`/v0/files/${own.file}`);
    expect((await upload(own, "dir/file")).status).toBe(201);
    expectRefused(await upload(own, "more"), "QUOTA_EXCEEDED");
  });
});

describe("what does not grow is not refused where there is too much already", () => {
  const SAME: readonly (readonly [name: string, request: string, body: Json])[] = [
    ["new content", NEW, empty("dir/file", { content: btoa("more") })],
    ["another name", CHANGE, { path: `dir/${"x".repeat(200)}` }],
    ["a move within", "POST /v0/files/{file}/move", { destination_path: "moved" }],
    ["a move of a folder", MOVE_FOLDER, { ...DIR, destination_path: "moved/" }],
    ["a folder that is there", "POST /v0/folders", DIR],
    ["a deletion", "DELETE /v0/files/{file}", {}],
  ];
  test.each(SAME)("%s", async (_, request, body) => {
    const own = await target();
    leave(stage.coffer, own.id, -10 * entry);
    expect((await own.ask(request, body)).status).toBe(200);
  });

  test("less metadata", async () => {
    const own = await target();
    const update = (metadata: Json) => own.ask(CHANGE, { metadata });
    expect((await update({ a: "x".repeat(1000) })).status).toBe(200);
    leave(stage.coffer, own.id, -1);
    expect((await update({ a: "x" })).status).toBe(200);
  });
});

describe("in an account", () => {
  test("without a storage limit there is room for any number", async () => {
    const { clients, drives } = stage.world;
    leave(stage.coffer, drives.ada, -RECORD_ROOM_BYTES);
    expect((await upload({ client: clients.ada, id: drives.ada }, "any")).status).toBe(201);
  });

  test.each([
    ["as much room as the storage limit allows", "200MB", 200 * MIB],
    ["the least room, where the limit is less", "1MB", RECORD_ROOM_BYTES],
  ])("all drives share %s", async (_, limit, room) => {
    await using coffer = await startWorld({ "storage-limits": `team=${limit}` });
    const { ada: client } = coffer.clients;
    changeDatabase(coffer.dataDir, "UPDATE drive SET record_size = 0");
    const one = { client, id: (await client.makeDrive("One")).id };
    const two = { client, id: (await client.makeDrive("Two")).id };
    leave(coffer, one.id, FILE + entry, room);
    expect((await upload(two, "fits")).status).toBe(201);
    const refusal = await upload(two, "too much");
    expectRefused(refusal, "QUOTA_EXCEEDED");
    expect(refusal.text).toContain(`allows ${room} bytes of names`);
    // What is in another drive of the account is moved, and takes no more room.
    const moved = { destination_path: "moved", destination_drive_id: one.id };
    await client.post(`/v0/files/by-path/move?drive_id=${two.id}&path=fits`, moved, 200);
    // A drive whose records do not fit is not claimed.
    const agent = await provision(coffer);
    const claim = { body: { token: agent.claimToken } };
    expectRefused(await client.send("POST", "/v0/drives/claim", claim), "QUOTA_EXCEEDED");
    await client.delete(`/v0/drives/${one.id}`);
    await client.json(200, "POST", "/v0/drives/claim", claim);
  });
});

/** Creates a folder under an Idempotency-Key. */
function keyed(client: Client, drive: string, path: string, headers = idempotencyKey()): Promise<Answer> {
  return client.send("POST", "/v0/folders", { body: { drive_id: drive, path }, headers });
}

/** Makes the responses that are kept for an owner take up all but `left` bytes of the room for them. */
function leaveFor({ dataDir }: TestAppliance, owner: string, left: number): void {
  changeDatabase(
    dataDir,
    `INSERT INTO idempotency_use VALUES ('${owner}', ${RECORD_ROOM_BYTES - left})
     ON CONFLICT DO UPDATE SET size = excluded.size`,
  );
}

/** The owners of kept responses, and the bytes that are counted for them. */
function uses({ dataDir }: TestAppliance): unknown[][] {
  return rowsIn(dataDir, "SELECT owner, size FROM idempotency_use ORDER BY owner");
}

async function accountId(client: Client): Promise<string> {
  return (await client.get<{ data: { id: string } }>("/v0/account")).data.id;
}

describe("the responses that are kept for Idempotency-Keys", () => {
  test("of an unclaimed drive have room, then only requests without a key are processed", async () => {
    const { coffer } = stage;
    const [own, other] = [await stage.ownDrive(), await stage.ownDrive()];
    const key = idempotencyKey();
    expect((await keyed(own.client, own.id, "first/", key)).status).toBe(201);
    leaveFor(coffer, own.id, 1);
    expect((await keyed(own.client, own.id, "last/")).status).toBe(201);
    const refusal = await keyed(own.client, own.id, "more/");
    expectRefused(refusal, "QUOTA_EXCEEDED");
    expect(refusal.text).toContain("without an Idempotency-Key");
    expect(await own.client.paths(`/v0/folders?drive_id=${own.id}`)).toEqual(["first/", "last/"]);
    // Another key of the drive has no room of its own.
    const { key: second } = await own.client.makeKey();
    expectRefused(await keyed(coffer.client(second), own.id, "more/"), "QUOTA_EXCEEDED");
    const replay = await keyed(own.client, own.id, "first/", key);
    expect([replay.status, replay.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    await own.client.post("/v0/folders", { drive_id: own.id, path: "more/" });
    expect((await keyed(other.client, other.id, "more/")).status).toBe(201);
  });

  test("count as long as they are kept, for the drive or its account", async () => {
    await using coffer = await startWorld();
    const { ada } = coffer.clients;
    const agent = await provision(coffer);
    expect((await keyed(agent.client, agent.id, "a/")).status).toBe(201);
    const [[owner, size] = []] = uses(coffer);
    expect([owner, Number(size) > 500, Number(size) < 1000]).toEqual([agent.id, true, true]);
    await ada.post("/v0/drives/claim", { token: agent.claimToken }, 200);
    expect((await keyed(agent.client, agent.id, "b/")).status).toBe(201);
    expect((await keyed(ada, agent.id, "c/")).status).toBe(201);
    const both = { [agent.id]: size, [await accountId(ada)]: 2 * Number(size) };
    expect(Object.fromEntries(uses(coffer))).toEqual(both);
    coffer.clock.advance(24 * 60 * 60 * 1000);
    await coffer.appliance.services.sweep.run();
    expect(uses(coffer)).toEqual([]);
  });

  test("that are replaced after they expired count once", async () => {
    await using coffer = await startAppliance();
    const agent = await provision(coffer);
    const key = idempotencyKey();
    expect((await keyed(agent.client, agent.id, "a/", key)).status).toBe(201);
    const before = uses(coffer);
    coffer.clock.advance(24 * 60 * 60 * 1000);
    expect((await keyed(agent.client, agent.id, "b/", key)).status).toBe(201);
    expect(uses(coffer)).toEqual(before);
  });

  test("of an account are limited where its storage is", async () => {
    for (const [limits, status] of [
      [{}, 201],
      [{ "storage-limits": "team=1MB" }, 403],
      [{ "storage-limits": "team=200MB" }, 201],
    ] as const) {
      await using coffer = await startWorld(limits);
      const { clients, drives } = coffer;
      leaveFor(coffer, await accountId(clients.ada), 0);
      expect((await keyed(clients.ada, drives.ada, "new/")).status).toBe(status);
      expect((await keyed(clients.adaDrive, drives.ada, "other/")).status).toBe(status);
    }
  });

  test("of callers without an API key count for nobody", async () => {
    await using coffer = await startAppliance();
    const headers = idempotencyKey();
    await coffer.client().json(201, "POST", "/v0/drives/provision", { body: { name: "D" }, headers });
    expect(uses(coffer)).toEqual([]);
  });
});
