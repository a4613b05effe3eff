import { describe, expect, test } from "bun:test";
import { METADATA_BYTES, MIB, RECORD_BYTES, RECORD_ROOM_BYTES } from "../../src/domain/limits.ts";
import { expectRefused } from "../support/answers.ts";
import { startAppliance, type TestAppliance } from "../support/appliance.ts";
import { changeDatabase } from "../support/change-database.ts";
import type { Answer, Client, Json } from "../support/client.ts";
import { openStage, type OwnDrive, provision } from "../support/scenario.ts";
import { populate } from "../support/world.ts";

const stage = openStage();
const { entry, part } = RECORD_BYTES;
/** What a file without tags and metadata takes. */
const FILE = entry + "{}".length;

/** Makes the records of a drive take up all but `left` bytes of the room for them. */
function leave({ dataDir }: TestAppliance, drive: string, left: number, room = RECORD_ROOM_BYTES): void {
  changeDatabase(dataDir, `UPDATE drive SET record_size = ${room - left} WHERE id = '${drive}'`);
}

function upload({ client, id }: Place, path: string, more: { [name: string]: Json } = {}): Promise<Answer> {
  const filename = path.split("/").at(-1) ?? "";
  return client.send("POST", "/v0/files", { body: { drive_id: id, filename, path, content: "", ...more } });
}

type Place = Pick<OwnDrive, "client" | "id">;

interface Target extends OwnDrive {
  /** Of `dir/file`. */
  readonly file: string;
  /** Sends a request with a JSON body. */
  readonly ask: (method: string, path: string, body: Json) => Promise<Answer>;
}

/** A drive with the file `dir/file`. */
async function target(): Promise<Target> {
  const own = await stage.ownDrive();
  const { id }: { id: string } = JSON.parse((await upload(own, "dir/file")).text);
  return { ...own, file: id, ask: (method, path, body) => own.client.send(method, path, { body }) };
}

interface Case {
  readonly name: string;
  /** The room that it takes, in bytes. */
  readonly takes: number;
  readonly send: (target: Target) => Promise<Answer>;
}

const GROWING: readonly Case[] = [
  { name: "an empty file", takes: FILE, send: (own) => upload(own, "dir/new") },
  { name: "a file in two new folders", takes: FILE + 2 * entry, send: (own) => upload(own, "a/b/new") },
  {
    name: "a file with tags and metadata",
    takes: entry + 2 * part + `{"a":"\u00e9"}`.length + 1,
    send: (own) => upload(own, "new", { tags: ["one", "two"], metadata: { a: "\u00e9" } }),
  },
  {
    name: "tags and metadata of a file that is replaced",
    takes: part + `{"a":1}`.length - 2,
    send: (own) => upload(own, "dir/file", { tags: ["one"], metadata: { a: 1 } }),
  },
  {
    name: "new tags",
    takes: 64 * part,
    send: ({ ask, file }) =>
      ask("PATCH", `/v0/files/${file}`, { tags: Array.from({ length: 64 }, (_, n) => String(n)) }),
  },
  {
    name: "new metadata",
    takes: METADATA_BYTES - 2,
    send: ({ ask, file }) =>
      ask("PATCH", `/v0/files/${file}`, { metadata: { a: "x".repeat(METADATA_BYTES - `{"a":""}`.length) } }),
  },
  {
    name: "a path in a new folder",
    takes: entry,
    send: ({ ask, file }) => ask("PATCH", `/v0/files/${file}`, { path: "new/file" }),
  },
  {
    name: "a move into a new folder",
    takes: entry,
    send: ({ ask, file }) => ask("POST", `/v0/files/${file}/move`, { destination_path: "new/file" }),
  },
  {
    name: "a copy",
    takes: FILE,
    send: ({ ask, file }) => ask("POST", `/v0/files/${file}/copy`, { destination_path: "copy" }),
  },
  {
    name: "folders",
    takes: 3 * entry,
    send: ({ ask, id }) => ask("POST", "/v0/folders", { drive_id: id, path: "a/b/c/" }),
  },
  {
    name: "a copy of a folder",
    takes: entry + FILE,
    send: ({ ask, id }) =>
      ask("POST", "/v0/folders/copy", { drive_id: id, path: "dir/", destination_path: "copy/" }),
  },
  {
    name: "a move of a folder below a new one",
    takes: entry,
    send: ({ ask, id }) =>
      ask("POST", "/v0/folders/move", { drive_id: id, path: "dir/", destination_path: "new/dir/" }),
  },
  {
    name: "a link",
    takes: part,
    send: ({ ask, file }) => ask("POST", `/v0/files/${file}/presigned-url`, {}),
  },
];

async function makeDrive(client: Client): Promise<Place> {
  const { data } = await client.json<{ data: { id: string } }>(201, "POST", "/v0/drives", {
    body: { name: "Drive" },
  });
  return { id: data.id, client };
}

/** What is in a drive: its files and folders, and what a page of them shows. */
async function shown({ client, id }: Place): Promise<unknown[]> {
  const paths = [`/v0/files?drive_id=${id}`, `/v0/folders?drive_id=${id}`, `/v0/drives/${id}`];
  return Promise.all(paths.map((path) => client.json(200, "GET", path)));
}

describe("in an unclaimed drive there is room", () => {
  test.each(GROWING)("for $name, but not for more", async ({ takes, send }) => {
    const own = await target();
    leave(stage.coffer, own.id, takes - 1);
    const before = await shown(own);
    const refusal = await send(own);
    expectRefused(refusal, "QUOTA_EXCEEDED");
    expect(refusal.text).toContain("claim it, or delete some");
    expect(await shown(own)).toEqual(before);
    leave(stage.coffer, own.id, takes);
    expect([200, 201]).toContain((await send(own)).status);
    // Now it is full.
    expectRefused(await upload(own, "dir/more"), "QUOTA_EXCEEDED");
  });

  test("that is free again for what takes the place of something deleted", async () => {
    const own = await target();
    leave(stage.coffer, own.id, 0);
    expectRefused(await upload(own, "other"), "QUOTA_EXCEEDED");
    await own.client.json(200, "DELETE", `/v0/files/${own.file}`);
    expect((await upload(own, "other")).status).toBe(201);
    expectRefused(await upload(own, "another"), "QUOTA_EXCEEDED");
    await own.client.json(200, "DELETE", "/v0/folders", {
      body: { drive_id: own.id, path: "dir/", confirm: true },
    });
    expectRefused(await upload(own, "another"), "QUOTA_EXCEEDED");
  });

  test("for the links of a file, which take it also when the file is deleted", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    const { id }: { id: string } = JSON.parse((await upload(own, "file")).text);
    leave(coffer, own.id, 2 * part);
    const link = () => own.client.send("POST", `/v0/files/${id}/presigned-url`, { body: { expires_in: 60 } });
    expect([(await link()).status, (await link()).status]).toEqual([200, 200]);
    expectRefused(await link(), "QUOTA_EXCEEDED");
    await own.client.json(200, "DELETE", `/v0/files/${id}`);
    expect((await upload(own, "file")).status).toBe(201);
    expectRefused(await upload(own, "more"), "QUOTA_EXCEEDED");
  });
});

describe("what does not grow is not refused where there is too much already", () => {
  const SAME: readonly Pick<Case, "name" | "send">[] = [
    { name: "new content", send: (own) => upload(own, "dir/file", { content: btoa("more") }) },
    {
      name: "another name",
      send: ({ ask, file }) => ask("PATCH", `/v0/files/${file}`, { path: `dir/${"x".repeat(200)}` }),
    },
    {
      name: "a move within",
      send: ({ ask, file }) => ask("POST", `/v0/files/${file}/move`, { destination_path: "moved" }),
    },
    {
      name: "a move of a folder",
      send: ({ ask, id }) =>
        ask("POST", "/v0/folders/move", { drive_id: id, path: "dir/", destination_path: "moved/" }),
    },
    {
      name: "a folder that is there",
      send: ({ ask, id }) => ask("POST", "/v0/folders", { drive_id: id, path: "dir/" }),
    },
    { name: "a deletion", send: ({ client, file }) => client.send("DELETE", `/v0/files/${file}`) },
  ];
  test.each(SAME)("$name", async ({ send }) => {
    const own = await target();
    leave(stage.coffer, own.id, -10 * entry);
    expect((await send(own)).status).toBe(200);
  });

  test("less metadata", async () => {
    const own = await target();
    const update = (metadata: Json) => own.ask("PATCH", `/v0/files/${own.file}`, { metadata });
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
    await using coffer = await startAppliance({ "storage-limits": `team=${limit}` });
    const { clients, drives } = await populate(coffer);
    changeDatabase(coffer.dataDir, "UPDATE drive SET record_size = 0");
    const [one, two] = [await makeDrive(clients.ada), await makeDrive(clients.ada)];
    leave(coffer, one.id, FILE + entry, room);
    expect((await upload(two, "fits")).status).toBe(201);
    const refusal = await upload(two, "too much");
    expectRefused(refusal, "QUOTA_EXCEEDED");
    expect(refusal.text).toContain(`allows ${room} bytes of names`);
    // What is in another drive of the account is moved, and takes no more room.
    const { data } = await two.client.json<{ data: { id: string }[] }>(
      200,
      "GET",
      `/v0/files?drive_id=${two.id}`,
    );
    await one.client.json(200, "POST", `/v0/files/${data[0]?.id}/move`, {
      body: { destination_path: "moved", destination_drive_id: one.id },
    });
    // A drive whose records do not fit is not claimed.
    const agent = await provision(coffer);
    const claim = { body: { token: agent.claimToken } };
    expectRefused(await clients.ada.send("POST", "/v0/drives/claim", claim), "QUOTA_EXCEEDED");
    await clients.ada.json(200, "DELETE", `/v0/drives/${one.id}`);
    await clients.ada.json(200, "POST", "/v0/drives/claim", claim);
    expect(drives.ada).not.toBe(one.id);
  });
});
