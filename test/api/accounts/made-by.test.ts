import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { EventReader, allChanges } from "../../support/peers/event-reader.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { letIn } from "../../support/peers/oauth.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { holdUpload } from "../../support/server/held-request.ts";

// What a key let in goes with the key: keys, and what these made, links, webhooks and members.

// Without comments, with which streams see that they are over.
const coffer = await startAppliance({}, { streamCommentMs: 3_600_000 });
for (const name of ["ada", "bob", "carl", "dora"]) addAccount(coffer, name);
const ada = beginSession(coffer, "ada").browser;
const bob = await accountClient(coffer, "bob");
const { id: bobId } = (await bob.get<{ data: { id: string } }>("/v0/account")).data;
/** A key of the new drive's owner that a person made. */
let key: Made;
let drive: string;

afterAll(() => coffer[Symbol.asyncDispose]());
beforeEach(async () => {
  // A new minute, for the limits on requests and keys.
  coffer.clock.advance(60_000);
  key = await made(ada, {});
  drive = (await key.client.makeDrive("Shared")).id;
  await key.client.put(drive, "a.txt", "a");
});

/** Where a person's webhooks are. */
const HERE = "https://here.example/";

type Made = { readonly id: string; readonly client: Client };

async function made(by: Client, body: Record<string, string>): Promise<Made> {
  const { id, key: secret } = await by.makeKey(body);
  return { id, client: coffer.client(secret) };
}

type Place = readonly [method: string, path: string];

/** A link of each kind, of the file; addresses at which they are asked. */
async function links(by: Client): Promise<readonly [Place, ...Place[]]> {
  const place = { drive_id: drive, path: "a.txt" };
  const shown = await by.post<{ token: string }>("/v0/links", place);
  const free = { drive_id: drive, path: `${crypto.randomUUID()}.txt` };
  const taking = await by.post<{ url: string }>("/v0/upload-links", free);
  const address = `/v0/files/by-path/presigned-url?drive_id=${drive}&path=a.txt`;
  const sent = await by.post<{ url: string }>(address, {}, 200);
  return [
    ["GET", `/v0/shared/${shown.token}`],
    ["GET", new URL(sent.url).pathname],
    ["PUT", new URL(taking.url).pathname],
  ];
}

/** What a link answers. */
function opens([method, path]: Place): Promise<number> {
  return coffer.client().status(method, path, method === "PUT" ? { body: "x" } : {});
}

function share(by: Client, username: string, role = "reader"): Promise<number> {
  return by.status("POST", `/v0/drives/${drive}/members`, { body: { username, role } });
}

async function members(): Promise<unknown> {
  return (await ada.get<{ data: Json }>(`/v0/drives/${drive}/members`)).data;
}

/** The types of all changes in the drive. */
async function told(): Promise<string[]> {
  return (await allChanges(ada, `drive_id=${drive}`)).map(({ type }) => type);
}

/** Ends the key as another process would, so that nothing that it made is removed yet. */
function endSilently(): void {
  changeDatabase(coffer.dataDir, `DELETE FROM api_key WHERE id = '${key.id}'`);
}

async function writes(who: Client): Promise<boolean> {
  return (await who.status("PUT", `/v0/files?drive_id=${drive}&path=b.txt`, { body: "b" })) < 300;
}

async function reads(who: Client): Promise<boolean> {
  return (await who.status("GET", `/v0/files?drive_id=${drive}`)) === 200;
}

async function revoke(id: string): Promise<void> {
  await ada.delete(`/v0/keys/${id}`);
}

describe("with a key goes", () => {
  test("what the keys made that it made, and nothing else", async () => {
    const other = await made(ada, { drive_id: drive });
    const child = await made(key.client, { drive_id: drive });
    const grandchild = await made(child.client, { path_prefix: "a/" });
    const kept = await links(other.client);
    const gone = await links(child.client);
    const wanted = { url: "https://agent.example/hook", events: ["*"] };
    const hook = await child.client.post<{ id: string }>("/v0/webhooks", wanted);
    expect(await share(key.client, "bob")).toBe(201);
    const shown = await key.client.get<object>(`/v0/keys/${key.id}`);
    expect(shown).toMatchObject({ made_by: null, made: { keys: 2, links: 3, webhooks: 1, members: 1 } });
    const below = await key.client.get<object>(`/v0/keys/${child.id}`);
    expect(below).toMatchObject({ made_by: key.id, made: { keys: 1, links: 3, webhooks: 1, members: 0 } });
    const late = await holdUpload(child.client, `/v0/files?drive_id=${drive}&path=late.txt`);

    await revoke(key.id);
    expect((await late.complete()).status).toBe(401);
    for (const each of [key, child, grandchild])
      expect(await each.client.status("GET", "/v0/drives")).toBe(401);
    for (const place of gone) expect([place, await opens(place)]).toEqual([place, 404]);
    for (const place of kept) expect(await opens(place)).toBeLessThan(300);
    expect(await reads(bob)).toBe(false);
    const all = await ada.send("GET", "/v0/keys");
    for (const { id } of [key, child, grandchild]) expect(all.text).not.toContain(id);
    expect(all.text).toContain(other.id);
    expect((await ada.send("GET", "/v0/webhooks")).text).not.toContain(hook.id);
    expect(await members()).toEqual([]);
    expect((await ada.get<{ data: Json }>(`/v0/links?drive_id=${drive}`)).data).toHaveLength(3);
    const types = await told();
    expect(types).toContain("member.removed");
    expect(types.filter((type) => type === "link.revoked")).toHaveLength(1);
  });

  test("all of it at once, however the key went", async () => {
    const child = await made(key.client, { drive_id: drive });
    const grandchild = await made(child.client, {});
    const [shared] = await links(grandchild.client);
    await share(key.client, "bob");
    expect(await reads(bob)).toBe(true);
    endSilently();
    expect(await grandchild.client.status("GET", "/v0/drives")).toBe(401);
    expect(await opens(shared)).toBe(404);
    expect(await reads(bob)).toBe(false);
    expect((await bob.send("GET", "/v0/drives")).text).not.toContain(drive);
    expect((await ada.send("GET", "/v0/keys")).text).not.toContain(child.id);
    // The sweep removes the rest.
    await coffer.appliance.services.sweep.run();
    expect((await ada.get<{ data: Json }>(`/v0/links?drive_id=${drive}`)).data).toEqual([]);
  });

  test("who became a member by it when it expires, unless a person let them in since", async () => {
    const brief = await made(ada, { expires_at: coffer.clock.iso(3600_000) });
    expect(await share(brief.client, "bob")).toBe(201);
    expect(await share(brief.client, "carl")).toBe(201);
    // The same role: what counts is who says so.
    expect(await share(ada, "carl")).toBe(200);
    coffer.clock.advance(3600_000);
    expect(await reads(bob)).toBe(false);
    await coffer.appliance.services.sweep.run();
    expect(await members()).toMatchObject([{ username: "carl" }]);
  });

  test("not who is a member by a person: whom it made an editor is a reader again", async () => {
    const carl = await accountClient(coffer, "carl");
    for (const name of ["bob", "carl"]) expect(await share(ada, name)).toBe(201);
    for (const name of ["bob", "carl"]) expect(await share(key.client, name, "editor")).toBe(200);
    // The same role: what counts is who says so.
    expect(await share(ada, "carl", "editor")).toBe(200);
    // An editor by a person, whom the key called one once more.
    expect(await share(ada, "dora", "editor")).toBe(201);
    expect(await share(key.client, "dora", "editor")).toBe(200);
    expect([await writes(bob), await writes(carl)]).toEqual([true, true]);
    endSilently();
    expect([await writes(bob), await reads(bob), await writes(carl)]).toEqual([false, true, true]);
    await coffer.appliance.services.sweep.run();
    const roles = Object.entries({ bob: "reader", carl: "editor", dora: "editor" });
    expect(await members()).toMatchObject(roles.map(([username, role]) => ({ username, role })));
    // One for each that was raised, and one that ended.
    expect((await told()).filter((type) => type === "member.changed")).toHaveLength(3);
  });

  test("a webhook of a person's that it sent elsewhere, unless a person set the address since", async () => {
    const makeHook = async () => {
      const body = { url: HERE, events: ["*"], drive_id: drive };
      return `/v0/webhooks/${(await ada.post<{ id: string }>("/v0/webhooks", body)).id}`;
    };
    const child = await made(key.client, { drive_id: drive });
    const [taken, takenBack, touched] = [await makeHook(), await makeHook(), await makeHook()];
    await child.client.patch(taken, { url: "https://elsewhere.example/" });
    await child.client.patch(takenBack, { url: "https://elsewhere.example/" });
    await ada.patch(takenBack, { url: HERE });
    // Who is told stays the same.
    await child.client.patch(touched, { url: HERE, events: ["file.*"] });
    const { made: counted } = await key.client.get<{ made: object }>(`/v0/keys/${key.id}`);
    expect(counted).toMatchObject({ keys: 1, webhooks: 1 });
    await revoke(key.id);
    const left = [taken, takenBack, touched].map(async (hook) => await ada.status("GET", hook));
    expect(await Promise.all(left)).toEqual([404, 200, 200]);
    for (const hook of [takenBack, touched]) await ada.send("DELETE", hook);
  });

  test("thousands of keys in small pieces", async () => {
    changeDatabase(
      coffer.dataDir,
      `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
       INSERT INTO api_key (id, hash, prefix, name, scope, drive, created_at, made_by)
       SELECT 'k' || i, 'h' || i, '', '', 'read-only', d.pk, 1, '${key.id}' FROM n, drive d WHERE d.id = '${drive}'`,
      `DELETE FROM api_key WHERE id = '${key.id}'`,
    );
    const pieces: number[] = [];
    const { endedKeys } = coffer.appliance.services;
    for (let taken = 1; taken > 0; pieces.push(taken)) taken = await endedKeys.removePiece();
    expect(Math.max(...pieces)).toBe(30);
    // One more for each that is gone: it may have made others.
    expect(pieces.reduce((sum, each) => sum + each, 0)).toBe(2000 + 2001);
  });
});

test("whoever revokes a key that made very many links does not wait for all of them", async () => {
  changeDatabase(
    coffer.dataDir,
    `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 7000)
     INSERT INTO share_link (hash, id, drive_id, path, key_id, expires_at, created_at)
     SELECT '${key.id}' || i, '${key.id}' || i, '${drive}', '', '${key.id}', 9e15, 0 FROM n`,
  );
  const left = () => rowsIn(coffer.dataDir, "SELECT 1 FROM share_link WHERE key_id = ?", key.id).length;
  await revoke(key.id);
  expect(left()).toBe(7000 - 30 - 100 * 30);
  await coffer.appliance.services.sweep.run();
  expect(left()).toBe(0);
});

/** Somebody who is let into the drive. */
async function letting(by: Client, username: string): Promise<Client> {
  await share(by, username);
  return username === "bob" ? bob : await accountClient(coffer, username);
}

const makeChild = async () => (await made(key.client, { drive_id: drive })).client;
const revokeKey = () => revoke(key.id);

/** Ways to lose what one reads: whose key reads, and what ends that. */
const ENDS: readonly (readonly [name: string, reader: () => Promise<Client>, end: () => unknown])[] = [
  ["whose key is revoked", () => Promise.resolve(key.client), revokeKey],
  [
    "whose key was made by one that is revoked",
    async () => (await made(await makeChild(), {})).client,
    revokeKey,
  ],
  [
    "who is no member any more",
    () => letting(ada, "bob"),
    () => ada.delete(`/v0/drives/${drive}/members/${bobId}`),
  ],
  ["who was let in by a key that is revoked", () => letting(key.client, "bob"), revokeKey],
  ["whose drive is deleted", () => Promise.resolve(key.client), () => ada.delete(`/v0/drives/${drive}`)],
  [
    "who is disabled",
    () => letting(ada, "carl"),
    () => changeDatabase(coffer.dataDir, "UPDATE user SET disabled_at = 1 WHERE username = 'carl'"),
  ],
];

test.each(ENDS)("the stream of somebody %s ends while nothing happens", async (_, reader, end) => {
  await using stream = await EventReader.open(await reader(), `drive_id=${drive}`);
  expect(await stream.block()).toBe("retry: 2000");
  await end();
  // Nothing is written there, and a comment comes only after 20 seconds.
  expect(await stream.next()).toBeNull();
});

describe("who was let in", () => {
  test("as an application sees itself alone, and ends with its links", async () => {
    const { accessToken } = await letIn(coffer, ada);
    const app = coffer.client(accessToken);
    const [own] = await app.get<{ id: string }[]>("/v0/keys");
    const [shared] = await links(app);
    expect(await opens(shared)).toBe(200);
    expect(await app.status("DELETE", `/v0/keys/${key.id}`)).toBe(404);
    // Any key can end itself.
    await app.delete(`/v0/keys/${own?.id}`);
    expect(await opens(shared)).toBe(404);
    expect(await app.status("GET", "/v0/drives")).toBe(401);
  });

  test("with a key of a drive revokes itself and what it made, and not the key that made it", async () => {
    const parent = await made(ada, { drive_id: drive });
    const childKey = await made(parent.client, {});
    const grandchild = await made(childKey.client, {});
    await childKey.client.json(403, "DELETE", `/v0/keys/${parent.id}`);
    await childKey.client.delete(`/v0/keys/${grandchild.id}`);
    await childKey.client.delete(`/v0/keys/${childKey.id}`);
    expect(await childKey.client.status("GET", "/v0/drives")).toBe(401);
    expect(await parent.client.status("GET", "/v0/drives")).toBe(200);
  });
});
