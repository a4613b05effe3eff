import { beforeAll, expect, test } from "bun:test";
import type { MemberRecord } from "../../../src/http/records/account-schemas.ts";
import { MEMBERS } from "../../../src/domain/limits.ts";
import { expectRefused, dataOf } from "../../support/server/answers.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Answer, Client, Json } from "../../support/server/client.ts";
import { connectMcp } from "../../support/peers/mcp.ts";
import { openStage } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { startWorld } from "../../support/server/world.ts";
import { holdUpload } from "../../support/server/held-request.ts";

// What each member may ask is in the matrix: see authorisation.test.ts.

// So that 100 members can be added in a minute.
const stage = openStage({ "rate-limits": "free=600,pro=600,team=600" });
let members: string;
/** Of Ada's, which is shared. */
let drive: string;
beforeAll(() => {
  drive = stage.world.drives.ada;
  members = `/v0/drives/${drive}/members`;
});

function add(username: string, role: string, by: Client = stage.world.clients.ada): Promise<Answer> {
  return by.send("POST", members, { body: { username, role } });
}

async function listed(by: Client): Promise<MemberRecord[]> {
  return (await by.get<{ data: MemberRecord[] }>(members)).data;
}

/** What an answer says, but for whose request it was. */
function said({ text }: Answer): unknown {
  return JSON.parse(text, (key, value) => (key === "request_id" ? "" : value));
}

/** The bytes that an account stores. */
async function storedBy(client: Client): Promise<number> {
  const { data } = await client.get<{ data: { storage: { used: number } } }>("/v0/account/usage");
  return data.storage.used;
}

/** The path of a link that a request makes. */
async function linkOf(by: { send: Client["send"] }, address: string, body: Json): Promise<string> {
  const { url }: { url: string } = JSON.parse((await by.send("POST", address, { body })).text);
  return new URL(url).pathname;
}

/** Makes Dan what he is at the start. */
async function restoreDan(): Promise<void> {
  expect([200, 201]).toContain((await add("dan", "editor")).status);
}

/** Sends the first bytes of an upload; returns what sends the rest. */
async function beginUpload(by: Client, path: string): Promise<() => Promise<Answer>> {
  const address = `/v0/files?drive_id=${drive}&path=${path}`;
  const { complete } = await holdUpload(by, address, [new Uint8Array(70_000), ""]);
  return complete;
}

test("a member is shown with who shared the drive", async () => {
  stage.coffer.clock.advance(1);
  const first = await add("bob", "reader");
  expect(dataOf(first, 201)).toEqual({
    user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    username: "bob",
    role: "reader",
    created_at: expect.stringMatching(/Z$/),
    created_by: { type: "key", id: stage.world.keyIds.ada, name: "" },
  });
  expect(dataOf(await add("Bob", "editor"))).toMatchObject({ role: "editor" });
  const data = ["carol", "dan", "bob"].map((username) => expect.objectContaining({ username }));
  expect(await stage.world.clients.ada.get<unknown>(members)).toEqual({ data, total: 3, next_cursor: null });
  const { user_id } = (await listed(stage.world.clients.bob))[0] ?? { user_id: "" };
  expect(await stage.world.clients.bob.delete<unknown>(`${members}/${user_id}`)).toEqual({
    data: { user_id, removed: true },
  });
  expect(await stage.world.clients.bob.status("GET", members)).toBe(404);
});

test("a member sees itself alone, and cannot remove others, raise itself, or delete what it reads", async () => {
  const { dan, carol } = stage.world.clients;
  expect(await listed(carol)).toMatchObject([{ username: "carol", role: "reader" }]);
  const [own] = await listed(dan);
  expect(await dan.status("DELETE", `${members}/${stage.world.carol}`)).toBe(403);
  const raise = { body: { role: "editor" } };
  expect(await carol.status("PATCH", `${members}/${stage.world.carol}`, raise)).toBe(403);
  expect((await add("carol", "editor", dan)).status).toBe(403);
  expect(await carol.status("PATCH", `${members}/${own?.user_id ?? ""}`, raise)).toBe(403);
  const body = { file_ids: [stage.world.files.ada] };
  const removed = await carol.post<unknown>("/v0/files/bulk-delete", body, 200);
  expect(removed).toMatchObject({ deleted: [], failed: [stage.world.files.ada] });
});

test("who cannot become a member", async () => {
  const unknown = await add("nobody-here", "reader");
  expect(unknown.status).toBe(404);
  changeDatabase(stage.coffer.dataDir, "UPDATE user SET disabled_at = 1 WHERE username = 'bob'");
  const disabled = await add("bob", "reader");
  changeDatabase(stage.coffer.dataDir, "UPDATE user SET disabled_at = NULL WHERE username = 'bob'");
  expect([disabled.status, said(disabled)]).toEqual([404, said(unknown)]);
  expect((await add("ada", "reader")).status).toBe(409);
  expect((await add("bob", "owner")).status).toBe(400);
});

test("a drive has only so many members, and so does a user", async () => {
  changeDatabase(
    stage.coffer.dataDir,
    `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${MEMBERS.drive})
     INSERT INTO user (id, username, plan, created_at) SELECT 'id-' || i, 'many-' || i, 'free', 1 FROM n`,
    `INSERT INTO drive_member (drive, user, role, changes_from, created_at)
     SELECT d.pk, u.pk, 'reader', 0, 1 FROM drive d, user u
      WHERE d.id = '${stage.world.drives.bob}' AND u.username LIKE 'many-%'`,
  );
  const body = { username: "ada", role: "reader" };
  const full = await stage.world.clients.bob.send("POST", `/v0/drives/${stage.world.drives.bob}/members`, {
    body,
  });
  expectRefused(full, "QUOTA_EXCEEDED");
  changeDatabase(stage.coffer.dataDir, "DELETE FROM drive_member WHERE added_by IS NULL");
});

test("unknown usernames count for the rate limit as known ones do", async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 1000 && statuses.at(-1) !== 429; n += 1)
    statuses.push((await add("nobody-here", "reader")).status);
  expect(new Set(statuses)).toEqual(new Set([404, 429]));
  expect((await add("bob", "reader")).status).toBe(429);
  stage.coffer.clock.advance(60_000);
});

test("what an editor uploads counts for the owner, whose room it needs, and not for the editor", async () => {
  await using own = await startWorld({ "storage-limits": "team=150,free=30" });
  const { ada, bob, dan } = own.clients;
  const put = (path: string, bytes: number) =>
    dan.send("PUT", `/v0/files?drive_id=${own.drives.ada}&path=${path}`, { body: "x".repeat(bytes) });
  const before = await storedBy(ada);
  expect((await put("of-dan", 50)).status).toBe(201);
  // So that the drive is known only after the content.
  const fields = { content: btoa("x".repeat(50)), filename: "f", drive_id: own.drives.ada };
  await dan.post("/v0/files", fields);
  expect([await storedBy(ada), await storedBy(dan)]).toEqual([before + 100, 0]);
  expectRefused(await put("too-much", 60), "QUOTA_EXCEEDED");
  expect(await dan.get("/v0/account")).toMatchObject({ data: { drive_count: 0 } });
  const body = { ...fields, drive_id: own.drives.bob };
  expectRefused(await bob.send("POST", "/v0/files", { body }), "QUOTA_EXCEEDED");
});

test("what an editor moves into the drive needs room at its owner", async () => {
  await using own = await startWorld({ "storage-limits": "team=100" });
  const { ada, dan } = own.clients;
  const from = (await dan.makeDrive("Own")).id;
  const put = async (path: string) => (await dan.put(from, path, "x".repeat(60))).id;
  const to = { destination_drive_id: own.drives.ada };
  const large = await put("large");
  const more = await put("sub/more");
  const moved = { ...to, destination_path: "large" };
  expect(await dan.status("POST", `/v0/files/${large}/move`, { body: moved })).toBe(200);
  const full: readonly [path: string, body: Json][] = [
    [`/v0/files/${more}/move`, { ...to, destination_path: "more" }],
    [`/v0/files/${more}/copy`, { ...to, destination_path: "more" }],
    ["/v0/folders/move", { ...to, drive_id: from, path: "sub/", destination_path: "sub/" }],
    ["/v0/folders/copy", { ...to, drive_id: from, path: "sub/", destination_path: "sub/" }],
  ];
  for (const [path, body] of full) expectRefused(await dan.send("POST", path, { body }), "QUOTA_EXCEEDED");
  expect([await storedBy(ada), await storedBy(dan)]).toEqual([72, 60]);
});

test("search and grep of all drives find what is shared, and nothing once it is not", async () => {
  const { carol } = stage.world.clients;
  const count = async () => {
    const found = await carol.get<{ total: number }>("/v0/search?q=hello");
    const lines = await carol.get<{ data: unknown[] }>("/v0/grep?pattern=Hello");
    return [found.total, lines.data.length];
  };
  expect(await count()).toEqual([1, 1]);
  await stage.world.clients.ada.delete(`${members}/${stage.world.carol}`);
  expect(await count()).toEqual([0, 0]);
  expect((await add("carol", "reader")).status).toBe(201);
});

test("a member who is removed, or made a reader, in the middle of an upload stores nothing", async () => {
  const [{ user_id } = { user_id: "" }] = await listed(stage.world.clients.dan);
  const ends: readonly [() => Promise<unknown>, number][] = [
    [() => stage.world.clients.ada.delete(`${members}/${user_id}`), 404],
    [() => stage.world.clients.ada.patch(`${members}/${user_id}`, { role: "reader" }), 403],
  ];
  for (const [end, status] of ends) {
    await restoreDan();
    const complete = await beginUpload(stage.world.clients.dan, "late");
    await end();
    expect((await complete()).status).toBe(status);
  }
  await restoreDan();
  await stage.world.clients.ada.json(404, "GET", `/v0/files/by-path?drive_id=${drive}&path=late`);
});

test("links that a member made reach what the member reaches now", async () => {
  const { ada, dan, nobody } = stage.world.clients;
  const [{ user_id } = { user_id: "" }] = await listed(dan);
  const { browser } = beginSession(stage.coffer, "dan");
  for (const by of [dan, browser]) {
    await restoreDan();
    const link = await linkOf(by, `/v0/files/${stage.world.files.ada}/presigned-url`, {});
    const upload = await linkOf(by, "/v0/upload-links", { drive_id: drive, path: "by-link" });
    expect(await nobody.status("GET", link)).toBe(200);
    await ada.patch(`${members}/${user_id}`, { role: "reader" });
    expect(await nobody.status("GET", link)).toBe(200);
    expect(await nobody.status("PUT", upload, { body: "x" })).toBe(404);
    await ada.delete(`${members}/${user_id}`);
    expect(await nobody.status("GET", link)).toBe(404);
    expect(await nobody.status("PUT", upload, { body: "x" })).toBe(404);
  }
  await restoreDan();
});

test("while the owner is disabled, and once the drive is deleted, members see nothing", async () => {
  await using own = await startWorld();
  const { ada, dan } = own.clients;
  const address = `/v0/drives/${own.drives.ada}`;
  changeDatabase(own.dataDir, "UPDATE user SET disabled_at = 1 WHERE username = 'ada'");
  expect(await dan.status("GET", address)).toBe(404);
  expect(await dan.status("GET", `/v0/files/${own.files.ada}`)).toBe(404);
  expect(await dan.get<unknown>("/v0/drives")).toEqual({ data: [] });
  changeDatabase(own.dataDir, "UPDATE user SET disabled_at = NULL WHERE username = 'ada'");
  expect(await dan.status("GET", address)).toBe(200);
  await ada.delete(address);
  expect(await dan.get<unknown>("/v0/drives")).toEqual({ data: [] });
  // The sweep removes who they were.
  expect((await own.appliance.services.sweep.run()).drives).toBe(1);
});

test("members copy files out of the drive, and only the owner moves them out", async () => {
  const { carol, dan } = stage.world.clients;
  const moved = { destination_path: "got.txt" };
  const notes = { drive_id: drive, path: "notes/", destination_path: "got/" };
  const carols = (await carol.makeDrive("Own")).id;
  await carol.post(`/v0/files/${stage.world.files.ada}/copy`, { ...moved, destination_drive_id: carols });
  const taken = { body: { ...notes, destination_drive_id: "carol/own" } };
  expect(await carol.status("POST", "/v0/folders/move", taken)).toBe(403);
  const destination_drive_id = (await dan.makeDrive("Own")).id;
  const out = { ...moved, destination_drive_id };
  const folder = { ...notes, destination_drive_id };
  const refused = [
    await dan.send("POST", `/v0/files/${stage.world.files.ada}/move`, { body: out }),
    await dan.send("POST", "/v0/folders/move", { body: folder }),
  ];
  for (const { status, text } of refused) {
    expect([status, JSON.parse(text).error.message]).toEqual([
      403,
      "Your role in this drive is editor; only its owner can move something out of it. Copy it instead.",
    ]);
  }
  await dan.post("/v0/folders/copy", folder);
  const { id } = await dan.put(drive, "m", "x");
  await dan.post(`/v0/files/${id}/move`, { destination_path: "n" }, 200);
  // Between drives of one owner nothing is taken from anybody.
  const second = (await stage.world.clients.ada.makeDrive("Own")).id;
  await stage.world.clients.ada.post(`/v0/drives/${second}/members`, { username: "dan", role: "editor" });
  await dan.post(`/v0/files/${id}/move`, { ...moved, destination_drive_id: second }, 200);
});

const inHours = (count: number) => stage.coffer.clock.iso(count * 3_600_000);

test("only the owner lets a file expire that is there, as it is not in the trash then", async () => {
  const { ada, adaPrefix, dan } = stage.world.clients;
  const at = `/v0/files?drive_id=${drive}&path=notes/`;
  for (const editor of [dan, adaPrefix]) {
    const { id } = await ada.put(drive, "notes/stays", "kept");
    const expiring = (by: Client, count: number) =>
      by.send("PATCH", `/v0/files/${id}`, { body: { expires_at: inHours(count) } });
    const replaced = await editor.send("PUT", `${at}stays&expires_at=${inHours(1)}`, { body: "x" });
    for (const { status, text } of [await expiring(editor, 2), replaced]) {
      expect([status, JSON.parse(text).error.message]).toEqual([
        403,
        "Your role in this drive is editor; only its owner can let a file expire, or expire sooner. Delete it when it is not needed: then it goes to the trash.",
      ]);
    }
    expect((await expiring(ada, 2)).status).toBe(200);
    expect((await expiring(editor, 1)).status).toBe(403);
    expect((await expiring(editor, 3)).status).toBe(200);
    await editor.patch(`/v0/files/${id}`, { expires_at: null });
    await editor.put(drive, "notes/own", "for a while", 201, `&expires_at=${inHours(1)}`);
    for (const path of ["notes/stays", "notes/own"])
      await ada.delete(`/v0/files/by-path?drive_id=${drive}&path=${path}`);
  }
});

test("that somebody shares a drive does not change which one a tool means", async () => {
  await add("bob", "reader");
  await using bob = await connectMcp(stage.coffer.appliance.url, stage.world.keys.bob);
  await bob.get("list_files");
  expect(await bob.get("list_drives")).toMatchObject({ drives: [{ role: "owner" }, { role: "reader" }] });
});
