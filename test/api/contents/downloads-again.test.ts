import { afterAll, describe, expect, test } from "bun:test";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { provision } from "../../support/server/scenario.ts";
import { startWorld } from "../../support/server/world.ts";

const coffer = await startWorld();
afterAll(() => coffer[Symbol.asyncDispose]());

/** A small file that was downloaded. */
interface Downloaded {
  readonly owner: Client;
  readonly drive: string;
  readonly id: string;
  /** `/v0/files/ID`. */
  readonly at: string;
  readonly path: string;
  readonly content: string;
}

/** How a download is answered: its status, the name of the file, and the content. */
async function download(reader: Client, { at }: Downloaded): Promise<unknown[]> {
  const { status, headers, text } = await reader.send("GET", `${at}/download`);
  const name = /filename="(.*?)"/.exec(headers.get("content-disposition") ?? "")?.[1];
  return status === 200 ? [status, name, text] : [status];
}

let count = 0;

/** Stores a file in `notes/` of a drive, and downloads it until only what changes is read anew. */
async function downloaded(owner: Client, drive: string, reader = owner): Promise<Downloaded> {
  const [path, content] = [`notes/${++count}.txt`, `content ${count}`];
  const { id } = await owner.put(drive, path, content);
  const file = { owner, drive, id, at: `/v0/files/${id}`, path, content };
  const name = `${count}.txt`;
  for (let i = 0; i < 3; i += 1) expect(await download(reader, file)).toEqual([200, name, content]);
  return file;
}

const ofAda = (reader?: Client) => downloaded(coffer.clients.ada, coffer.drives.ada, reader);

/** What happens to a file, by how the very next download of it is answered. */
const CHANGES: Readonly<Record<string, [change: (file: Downloaded) => Promise<unknown>, next: unknown[]]>> = {
  "its content is replaced": [
    ({ owner, drive, path }) => owner.put(drive, path, "new", 200),
    [200, expect.anything(), "new"],
  ],
  "its text is edited": [
    ({ owner, at }) => owner.post(`${at}/edit`, { op: "append", text: " more" }, 200),
    [200, expect.anything(), expect.stringMatching(/^content \d+ more$/)],
  ],
  "an edit is undone": [
    async ({ owner, drive, at, path }) => {
      await owner.put(drive, path, "new", 200);
      expect(await owner.status("GET", `${at}/download`)).toBe(200);
      await owner.post(`${at}/versions/1/restore`, undefined, 200);
    },
    [200, expect.anything(), expect.stringContaining("content")],
  ],
  "it gets another name": [
    ({ owner, at }) => owner.patch(at, { filename: "renamed.md" }),
    [200, "renamed.md", expect.anything()],
  ],
  "it is moved": [
    ({ owner, at }) => owner.post(`${at}/move`, { destination_path: "elsewhere/moved.txt" }, 200),
    [200, "moved.txt", expect.anything()],
  ],
  "it is deleted": [({ owner, at }) => owner.delete(at), [404]],
  "it comes back": [
    async ({ owner, at }) => {
      const { trash_id } = await owner.delete<{ trash_id: string }>(at);
      expect(await owner.status("GET", `${at}/download`)).toBe(404);
      await owner.post(`/v0/trash/${trash_id}/restore`, undefined, 200);
    },
    [200, expect.anything(), expect.anything()],
  ],
  "it expires": [
    async ({ owner, at }) => {
      await owner.patch(at, { expires_at: coffer.clock.iso(1000) });
      coffer.clock.advance(999);
      expect(await owner.status("GET", `${at}/download`)).toBe(200);
      coffer.clock.advance(1);
    },
    [404],
  ],
  "it has expired, and the clock is set back": [
    async ({ owner, at }) => {
      await owner.patch(at, { expires_at: coffer.clock.iso(1000) });
      coffer.clock.set(1000);
      expect(await owner.status("GET", `${at}/download`)).toBe(404);
      coffer.clock.set(-1000);
    },
    [200, expect.anything(), expect.anything()],
  ],
  "its content is found damaged": [
    async ({ content }) => {
      const digest = Bun.SHA256.hash(content, "hex");
      changeDatabase(
        coffer.dataDir,
        `UPDATE small_content SET bytes = x'00' WHERE blob = (SELECT pk FROM blob WHERE digest = '${digest}')`,
        `INSERT INTO damaged_content (digest, problem, found_at) VALUES ('${digest}', 'is damaged', 0)`,
      );
    },
    [500],
  ],
  "another process changes its record": [
    async ({ id }) => changeDatabase(coffer.dataDir, `UPDATE file SET filename = 'other' WHERE id = '${id}'`),
    [200, "other", expect.anything()],
  ],
};

describe("the next download of a file is another one once", () => {
  test.each(Object.entries(CHANGES))("%s", async (_, [change, next]) => {
    const file = await ofAda();
    await change(file);
    expect(await download(file.owner, file)).toEqual(next);
  });
});

describe("the next answer is another one", () => {
  test("at a path from which the file was moved, and which another took", async () => {
    const { owner, drive, at, path } = await ofAda();
    const there = `/v0/files/by-path/download?drive_id=${drive}&path=${path}`;
    const texts = [await owner.send("GET", there)];
    await owner.post(`${at}/move`, { destination_path: `elsewhere/${path}` }, 200);
    texts.push(await owner.send("GET", there));
    await owner.put(drive, path, "another");
    texts.push(await owner.send("GET", there));
    expect(texts.map(({ status }) => status)).toEqual([200, 404, 200]);
    expect(texts[2]?.text).toBe("another");
  });

  test("by the slug of a drive that has another", async () => {
    const { ada } = coffer.clients;
    const { id, slug } = await ada.makeDrive("Slugs");
    const file = await downloaded(ada, id);
    const there = `/v0/files/by-path/download?drive_id=${slug}&path=${file.path}`;
    expect(await ada.status("GET", there)).toBe(200);
    await ada.patch(`/v0/drives/${id}`, { name: "Others" });
    expect(await ada.status("GET", there)).toBe(404);
  });

  test("about a drive in which a file expires", async () => {
    const { ada } = coffer.clients;
    const { id } = await ada.makeDrive("Counts");
    const { at } = await downloaded(ada, id);
    const counts = async () => (await ada.get<{ data: { file_count: number } }>(`/v0/drives/${id}`)).data;
    await ada.patch(at, { expires_at: coffer.clock.iso(1000) });
    expect(await counts()).toMatchObject({ file_count: 1 });
    coffer.clock.advance(1000);
    expect(await counts()).toMatchObject({ file_count: 0 });
  });
});

test("what is said to one request is said to no other", async () => {
  const { owner, at } = await ofAda();
  const headers = { prefer: "handling=lenient" };
  const lenient = await owner.send("GET", `${at}/download?unknown=1`, { headers });
  const part = await owner.send("GET", `${at}/download`, { headers: { range: "bytes=0-0" } });
  const next = await owner.send("GET", `${at}/download`);
  expect([lenient.headers.get("vary"), part.text]).toEqual(["Prefer, Origin", "c"]);
  expect([next.status, next.headers.get("vary")]).toEqual([200, "Origin"]);
  for (const name of ["preference-applied", "content-range"]) expect(next.headers.get(name)).toBeNull();
});

describe("the next download is refused once", () => {
  test("the key is revoked", async () => {
    const { id, key } = await coffer.clients.ada.makeKey();
    const reader = coffer.client(key);
    const file = await ofAda(reader);
    await coffer.clients.ada.delete(`/v0/keys/${id}`);
    expect(await download(reader, file)).toEqual([401]);
  });

  test("the key above it is revoked", async () => {
    const above = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
    const reader = coffer.client((await coffer.client(above.secret).makeKey({})).key);
    const file = await ofAda(reader);
    await coffer.clients.ada.delete(`/v0/keys/${above.key.id}`);
    expect(await download(reader, file)).toEqual([401]);
  });

  test("the key expires", async () => {
    const { key } = await coffer.clients.ada.makeKey({ expires_at: coffer.clock.iso(1000) });
    const reader = coffer.client(key);
    const file = await ofAda(reader);
    coffer.clock.advance(1000);
    expect(await download(reader, file)).toEqual([401]);
  });

  test("the file leaves the folder that the key is limited to", async () => {
    const { adaPrefix } = coffer.clients;
    const file = await ofAda(adaPrefix);
    await file.owner.post(`${file.at}/move`, { destination_path: `elsewhere/${file.path}` }, 200);
    expect(await download(adaPrefix, file)).toEqual([404]);
  });

  test("the drive is deleted", async () => {
    const { ada } = coffer.clients;
    const { id } = await ada.makeDrive("Gone");
    const file = await downloaded(ada, id);
    await ada.delete(`/v0/drives/${id}`);
    expect(await download(ada, file)).toEqual([404]);
  });

  test("the unclaimed drive expires", async () => {
    const { id, client } = await provision(coffer);
    const file = await downloaded(client, id);
    const { data } = await client.get<{ data: { expires_at: string } }>(`/v0/drives/${id}`);
    coffer.clock.advance(Date.parse(data.expires_at) - coffer.clock.now());
    expect(await download(client, file)).toEqual([401]);
  });

  test("a member is out", async () => {
    const { clients, drives, carol } = coffer;
    const file = await ofAda(clients.carol);
    await clients.ada.delete(`/v0/drives/${drives.ada}/members/${carol}`);
    expect(await download(clients.carol, file)).toEqual([404]);
  });

  test("the link is revoked", async () => {
    const { ada, nobody } = coffer.clients;
    const { at } = await ofAda();
    type Made = { id: string; url: string };
    const { id, url } = await ada.post<Made>(`${at}/presigned-url`, {}, 200);
    const link = new URL(url).pathname;
    expect([await nobody.status("GET", link), await nobody.status("GET", link)]).toEqual([200, 200]);
    await ada.delete(`/v0/links/${id}`);
    expect(await nobody.status("GET", link)).toBe(404);
  });
});
