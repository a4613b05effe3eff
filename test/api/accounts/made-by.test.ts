import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { EventReader } from "../../support/peers/event-reader.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { letIn } from "../../support/peers/oauth.ts";
import { beginSession, type SignedInBrowser } from "../../support/server/sign-in.ts";

// What a key let in goes with the key: keys, and what these made, links, webhooks and members.

let coffer: TestAppliance;
let ada: SignedInBrowser;
/** A key of the new drive's owner that a person made. */
let key: Made;
let drive: string;
let bob: Client;
let bobId: string;

beforeAll(async () => {
  // Without comments, with which streams see that they are over.
  coffer = await startAppliance({}, { streamCommentMs: 3_600_000 });
  for (const name of ["ada", "bob", "carl"]) addAccount(coffer, name);
  ada = beginSession(coffer, "ada").browser;
  bobId =
    (await beginSession(coffer, "bob").browser.send("GET", "/v0/account")).text.match(
      /"id":"([^"]+)"/,
    )?.[1] ?? "";
  bob = await accountClient(coffer, "bob");
});
afterAll(() => coffer[Symbol.asyncDispose]());
beforeEach(async () => {
  // A new minute, for the limits on requests and keys.
  coffer.clock.advance(60_000);
  key = await made(ada, {});
  drive = (await key.client.post<{ data: { id: string } }>("/v0/drives", { name: "Shared" })).data.id;
  await key.client.put(drive, "a.txt", "a");
});

/** Where a person's webhooks are. */
const HERE = "https://here.example/";

interface Made {
  readonly id: string;
  readonly client: Client;
}

async function made(by: Pick<Client, "send">, body: Record<string, string>): Promise<Made> {
  const answer = await by.send("POST", "/v0/keys", { body });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  const { id, key: secret }: { id: string; key: string } = JSON.parse(answer.text);
  return { id, client: coffer.client(secret) };
}

type Place = readonly [method: string, path: string];

/** A link of each kind, of the file; addresses at which they are asked. */
async function links(by: Client): Promise<readonly [Place, ...Place[]]> {
  const place = { drive_id: drive, path: "a.txt" };
  const shown = await by.post<{ token: string }>("/v0/links", place);
  const taking = await by.post<{ url: string }>("/v0/upload-links", {
    drive_id: drive,
    path: `${crypto.randomUUID()}.txt`,
  });
  const sent = await by.post<{ url: string }>(
    `/v0/files/by-path/presigned-url?drive_id=${drive}&path=a.txt`,
    {},
    200,
  );
  return [
    ["GET", `/v0/shared/${shown.token}`],
    ["GET", new URL(sent.url).pathname],
    ["PUT", new URL(taking.url).pathname],
  ];
}

async function share(by: Pick<Client, "status">, username: string, role = "reader"): Promise<number> {
  return await by.status("POST", `/v0/drives/${drive}/members`, { body: { username, role } });
}

async function reads(who: Client): Promise<boolean> {
  return (await who.status("GET", `/v0/files?drive_id=${drive}`)) === 200;
}

async function change(by: Pick<Client, "status">, hook: string, body: Record<string, Json>): Promise<void> {
  expect(await by.status("PATCH", hook, { body })).toBe(200);
}

async function revoke(id: string): Promise<void> {
  expect(await ada.status("DELETE", `/v0/keys/${id}`)).toBe(200);
}

describe("with a key goes", () => {
  test("what the keys made that it made, and nothing else", async () => {
    const other = await made(ada, { drive_id: drive });
    const child = await made(key.client, { drive_id: drive });
    const grandchild = await made(child.client, { path_prefix: "a/" });
    const kept = await links(other.client);
    const gone = await links(child.client);
    const hook = await child.client.post<{ id: string }>("/v0/webhooks", {
      url: "https://agent.example/hook",
      events: ["*"],
    });
    expect(await share(key.client, "bob")).toBe(201);
    const shown = await key.client.get<object>(`/v0/keys/${key.id}`);
    expect(shown).toMatchObject({ made_by: null, made: { keys: 2, links: 3, webhooks: 1, members: 1 } });
    const below = await key.client.get<object>(`/v0/keys/${child.id}`);
    expect(below).toMatchObject({ made_by: key.id, made: { keys: 1, links: 3, webhooks: 1, members: 0 } });

    await revoke(key.id);
    for (const each of [key, child, grandchild])
      expect(await each.client.status("GET", "/v0/drives")).toBe(401);
    for (const [method, path] of gone)
      expect([
        path,
        await coffer.client().status(method, path, method === "PUT" ? { body: "x" } : {}),
      ]).toEqual([path, 404]);
    for (const [method, path] of kept)
      expect(await coffer.client().status(method, path, method === "PUT" ? { body: "x" } : {})).toBeLessThan(
        300,
      );
    expect(await reads(bob)).toBe(false);
    const all = await ada.send("GET", "/v0/keys");
    for (const { id } of [key, child, grandchild]) expect(all.text).not.toContain(id);
    expect(all.text).toContain(other.id);
    expect((await ada.send("GET", "/v0/webhooks")).text).not.toContain(hook.id);
    expect((await ada.send("GET", `/v0/drives/${drive}/members`)).text).toContain('"total":0');
    expect((await ada.get<{ data: Json }>(`/v0/links?drive_id=${drive}`)).data).toHaveLength(3);
    const feed = await ada.send("GET", `/v0/changes?drive_id=${drive}&limit=1000`);
    expect(feed.text).toContain('"member.removed"');
    expect(feed.text.match(/"link.revoked"/g)).toHaveLength(1);
  });

  test("all of it at once, however the key went", async () => {
    const child = await made(key.client, { drive_id: drive });
    const grandchild = await made(child.client, {});
    const [[, shared]] = await links(grandchild.client);
    await share(key.client, "bob");
    expect(await reads(bob)).toBe(true);
    // As another process would, and a sweep: nothing that it made is removed yet.
    changeDatabase(coffer.dataDir, `DELETE FROM api_key WHERE id = '${key.id}'`);
    expect(await grandchild.client.status("GET", "/v0/drives")).toBe(401);
    expect(await coffer.client().status("GET", shared)).toBe(404);
    expect(await reads(bob)).toBe(false);
    expect((await bob.send("GET", "/v0/drives")).text).not.toContain(drive);
    expect((await ada.send("GET", "/v0/keys")).text).not.toContain(child.id);
    // The sweep removes the rest.
    await coffer.appliance.services.sweep.run();
    expect((await ada.get<{ data: Json }>(`/v0/links?drive_id=${drive}`)).data).toEqual([]);
  });

  test("an upload that a key has begun which it made", async () => {
    const child = await made(key.client, { drive_id: drive });
    const { promise: isToEnd, resolve: end } = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode("late"));
        await isToEnd;
        controller.close();
      },
    });
    const late = child.client.send("PUT", `/v0/files?drive_id=${drive}&path=late.txt`, { body });
    await revoke(key.id);
    end();
    expect((await late).status).toBe(401);
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
    const { data } = await ada.get<{ data: Json }>(`/v0/drives/${drive}/members`);
    expect(data).toMatchObject([{ username: "carl" }]);
  });

  test("not who is a member by a person: whom it made an editor is a reader again", async () => {
    const writes = async (who: Client) =>
      (await who.status("PUT", `/v0/files?drive_id=${drive}&path=b.txt`, { body: "b" })) < 300;
    const carl = await accountClient(coffer, "carl");
    for (const name of ["bob", "carl"]) expect(await share(ada, name)).toBe(201);
    for (const name of ["bob", "carl"]) expect(await share(key.client, name, "editor")).toBe(200);
    // The same role: what counts is who says so.
    expect(await share(ada, "carl", "editor")).toBe(200);
    expect([await writes(bob), await writes(carl)]).toEqual([true, true]);
    // As another process would: nothing is removed yet.
    changeDatabase(coffer.dataDir, `DELETE FROM api_key WHERE id = '${key.id}'`);
    expect([await writes(bob), await reads(bob), await writes(carl)]).toEqual([false, true, true]);
    await coffer.appliance.services.sweep.run();
    const { data } = await ada.get<{ data: Json }>(`/v0/drives/${drive}/members`);
    expect(data).toMatchObject([
      { username: "bob", role: "reader" },
      { username: "carl", role: "editor" },
    ]);
    const feed = await ada.send("GET", `/v0/changes?drive_id=${drive}&limit=1000`);
    // One for each that was raised, and one that ended.
    expect(feed.text.match(/"member.changed"/g)).toHaveLength(3);
  });

  test("not an editor by a person, whom the key called one once more", async () => {
    expect(await share(ada, "bob", "editor")).toBe(201);
    expect(await share(key.client, "bob", "editor")).toBe(200);
    await revoke(key.id);
    const { data } = await ada.get<{ data: Json }>(`/v0/drives/${drive}/members`);
    expect(data).toMatchObject([{ username: "bob", role: "editor" }]);
  });

  test("a webhook of a person's that it sent elsewhere, unless a person set the address since", async () => {
    const hookOf = async (url: string) => {
      const body = { url, events: ["*"], drive_id: drive };
      const answer = await ada.send("POST", "/v0/webhooks", { body });
      return `/v0/webhooks/${JSON.parse(answer.text).id}`;
    };
    const child = await made(key.client, { drive_id: drive });
    const [taken, takenBack, touched] = [await hookOf(HERE), await hookOf(HERE), await hookOf(HERE)];
    await change(child.client, taken, { url: "https://elsewhere.example/" });
    await change(child.client, takenBack, { url: "https://elsewhere.example/" });
    await change(ada, takenBack, { url: HERE });
    // Who is told stays the same.
    await change(child.client, touched, { url: HERE, events: ["file.*"] });
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

/** Ways to lose what one reads: whose key reads, and what ends that. */
const ENDS: readonly (readonly [name: string, reader: () => Promise<Client>, end: () => Promise<unknown>])[] =
  [
    ["whose key is revoked", () => Promise.resolve(key.client), () => revoke(key.id)],
    [
      "whose key was made by one that is revoked",
      async () => (await made((await made(key.client, { drive_id: drive })).client, {})).client,
      () => revoke(key.id),
    ],
    [
      "who is no member any more",
      async () => {
        await share(ada, "bob");
        return bob;
      },
      () => ada.send("DELETE", `/v0/drives/${drive}/members/${bobId}`),
    ],
    [
      "who was let in by a key that is revoked",
      async () => {
        await share(key.client, "bob");
        return bob;
      },
      () => revoke(key.id),
    ],
    [
      "whose drive is deleted",
      () => Promise.resolve(key.client),
      () => ada.send("DELETE", `/v0/drives/${drive}`),
    ],
    [
      "who is disabled",
      async () => {
        await share(ada, "carl");
        return await accountClient(coffer, "carl");
      },
      async () => {
        changeDatabase(coffer.dataDir, "UPDATE user SET disabled_at = 1 WHERE username = 'carl'");
      },
    ],
  ];

describe("while nothing happens", () => {
  test.each(ENDS)("the stream of somebody %s ends", async (_, reader, end) => {
    await using stream = await EventReader.open(await reader(), `drive_id=${drive}`);
    expect(await stream.block()).toBe("retry: 2000");
    await end();
    // Nothing is written there, and a comment comes only after 20 seconds.
    expect(await stream.next()).toBeNull();
  });
});

describe("who was let in", () => {
  test("as an application sees itself alone, and ends with its links", async () => {
    const { accessToken } = await letIn(coffer, ada);
    const app = coffer.client(accessToken);
    const [own] = await app.get<{ id: string }[]>("/v0/keys");
    const [[, shared]] = await links(app);
    expect(await coffer.client().status("GET", shared)).toBe(200);
    expect(await app.status("DELETE", `/v0/keys/${key.id}`)).toBe(404);
    // Any key can end itself.
    await app.delete(`/v0/keys/${own?.id}`);
    expect(await coffer.client().status("GET", shared)).toBe(404);
    expect(await app.status("GET", "/v0/drives")).toBe(401);
  });

  test("with a key of a drive revokes itself and what it made, and not the key that made it", async () => {
    const parent = await made(ada, { drive_id: drive });
    const child = await made(parent.client, {});
    const grandchild = await made(child.client, {});
    const refused = await child.client.send("DELETE", `/v0/keys/${parent.id}`);
    expect([refused.status, refused.text]).toEqual([403, refused.text]);
    await child.client.delete(`/v0/keys/${grandchild.id}`);
    await child.client.delete(`/v0/keys/${child.id}`);
    expect(await parent.client.status("GET", "/v0/drives")).toBe(200);
  });
});
