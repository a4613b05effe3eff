import { expect, test } from "bun:test";
import type { VersionDiffRecord, VersionsPage } from "../../../src/http/records/history-schemas.ts";
import type { Json } from "../../support/server/client.ts";
import { openStageNow, type OwnDrive, startWithDrive } from "../../support/server/scenario.ts";
import { verified } from "../../support/faults/verified.ts";
import { encoded } from "../../support/samples/encodings.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const stage = await openStageNow({ "keep-versions": "5" });
const drive = await stage.ownDrive();

/** Uploads contents to one path, one after the other. Returns the file's id. */
async function put(own: OwnDrive, path: string, contents: readonly string[], query = ""): Promise<string> {
  let id = "";
  for (const content of contents) id = await own.client.store(own.id, path, content, query);
  return id;
}

function versionsOf({ client }: OwnDrive, id: string, query = ""): Promise<VersionsPage> {
  return client.get<VersionsPage>(`/v0/files/${id}/versions${query}`);
}

async function numbersOf(own: OwnDrive, id: string): Promise<number[]> {
  return (await versionsOf(own, id)).data.map(({ version }) => version);
}

async function textOf({ client }: OwnDrive, path: string): Promise<string> {
  const { status, text } = await client.send("GET", path);
  expect(status).toBe(200);
  return text;
}

test("what an upload, an edit and an append replace is kept, newest first, with who replaced it", async () => {
  const id = await put(drive, "notes.md", ["one\n", "two\n"]);
  const edit = (body: Json) => drive.client.post(`/v0/files/${id}/edit`, body, 200);
  await edit({ op: "str_replace", old_string: "two", new_string: "three" });
  await edit({ op: "append", text: "four\n" });
  const { data, total, current_version: current, next_cursor: next } = await versionsOf(drive, id);
  expect([total, current, next]).toEqual([3, 4, null]);
  const newest = {
    mime_type: "text/markdown",
    content_hash: `sha256:${Bun.SHA256.hash("three\n", "hex")}`,
    replaced_by: { type: "key" },
  };
  expect(data).toMatchObject([
    { version: 3, size: 6, ...newest },
    { version: 2, size: 4 },
    { version: 1, size: 4 },
  ]);
  expect(await textOf(drive, `/v0/files/${id}/versions/1/download`)).toBe("one\n");
  expect(await textOf(drive, `/v0/files/${id}/versions/3/download`)).toBe("three\n");
});

test("the same content, another name, and changes of the record make no version", async () => {
  const id = await put(drive, "same.txt", ["x", "x"]);
  await drive.client.patch(`/v0/files/${id}`, { tags: ["a"], filename: "other.txt" });
  await drive.client.post(`/v0/files/${id}/move`, { destination_path: "dir/" }, 200);
  expect(await versionsOf(drive, id)).toMatchObject({ data: [], total: 0, current_version: 1 });
});

test("a restored version is the content again, and the one before it a version", async () => {
  const id = await put(drive, "plan.txt", ["good", "bad"], "&tags=kept");
  const headers = { "if-match": `"${Bun.SHA256.hash("good", "hex")}"` };
  await drive.client.json(412, "POST", `/v0/files/${id}/versions/1/restore`, { headers });
  expect(await numbersOf(drive, id)).toEqual([1]);
  const restored = await drive.client.json<unknown>(200, "POST", `/v0/files/${id}/versions/1/restore`);
  expect(restored).toMatchObject({ id, tags: ["kept"], mime_type: "text/plain" });
  expect(await textOf(drive, `/v0/files/${id}/download`)).toBe("good");
  await drive.client.json(200, "POST", `/v0/files/${id}/versions/2/restore`);
  expect(await textOf(drive, `/v0/files/${id}/download`)).toBe("bad");
  expect(await numbersOf(drive, id)).toEqual([3, 2, 1]);
});

test("a version comes back with its type, also where the name says another one", async () => {
  const file = await put(drive, "data.json", ["{}"]);
  await put(drive, "data.json", ["a,b"], "&content_type=text/csv");
  await drive.client.json(200, "POST", `/v0/files/${file}/versions/1/restore`);
  const renamed = await drive.client.patch(`/v0/files/${file}`, { filename: "data.txt" });
  expect(renamed).toMatchObject({ mime_type: "text/plain" });
  const again = await drive.client.json(200, "POST", `/v0/files/${file}/versions/1/restore`);
  expect(again).toMatchObject({ mime_type: "application/json" });
  const tagged = await drive.client.patch(`/v0/files/${file}`, { tags: ["t"] });
  expect(tagged).toMatchObject({ mime_type: "application/json" });
});

test("only so many are kept, the newest, and a page says where the next one begins", async () => {
  const contents = Array.from({ length: 9 }, (_, n) => `content ${n}`);
  const id = await put(drive, "often.txt", contents);
  expect(await numbersOf(drive, id)).toEqual([8, 7, 6, 5, 4]);
  const pages = await drive.client.pages<VersionsPage>(`/v0/files/${id}/versions?limit=3`);
  const shown = pages.map(({ data, total }) => [total, ...data.map(({ version }) => version)]);
  expect(shown).toEqual([
    [5, 8, 7, 6],
    [5, 5, 4],
  ]);
  await drive.client.json(404, "GET", `/v0/files/${id}/versions/3/download`);
});

test("a number is never used again, and a deleted version is gone", async () => {
  const id = await put(drive, "counted.txt", ["1", "2", "3"]);
  const deleted = await drive.client.delete<unknown>(`/v0/files/${id}/versions/2`);
  expect(deleted).toEqual({ version: 2, deleted: true });
  await drive.client.json(404, "DELETE", `/v0/files/${id}/versions/2`);
  await put(drive, "counted.txt", ["4"]);
  expect(await versionsOf(drive, id)).toMatchObject({
    current_version: 4,
    data: [{ version: 3 }, { version: 1 }],
  });
});

test("the present content has a number too, but is no version to restore or delete; other numbers are none", async () => {
  const id = await put(drive, "present.txt", ["before", "now"]);
  const { current_version: current } = await versionsOf(drive, id);
  const statuses = async (number: number | string) => {
    const at = `/v0/files/${id}/versions/${number}`;
    const asked = [["GET", `${at}/download`] as const, ["POST", `${at}/restore`] as const];
    return Promise.all(asked.map(([method, path]) => drive.client.status(method, path)));
  };
  expect(await textOf(drive, `/v0/files/${id}/versions/${current}/download`)).toBe("now");
  expect(await statuses(current)).toEqual([200, 404]);
  await drive.client.json(404, "DELETE", `/v0/files/${id}/versions/${current}`);
  for (const number of ["0", "-1", "01", "1.0", "x", "3", "9".repeat(30), "%20", "1%00"])
    expect([number, ...(await statuses(number))]).toEqual([number, 404, 404]);
});

test("they are there by path, in ranges, and never as code", async () => {
  await put(drive, "page.html", ["<p>one</p>", "<p>two</p>"]);
  const query = `drive_id=${drive.id}&path=page.html`;
  const list = await drive.client.get<VersionsPage>(`/v0/files/by-path/versions?${query}`);
  expect(list.data.map(({ version }) => version)).toEqual([1]);
  const address = `/v0/files/by-path/versions/1/download?${query}&inline=1`;
  const response = await drive.client.send("GET", address, { headers: { range: "bytes=3-5" } });
  expect([response.status, response.text]).toEqual([206, "one"]);
  expect(response.headers.get("content-disposition")).toStartWith("attachment");
  expect(response.headers.get("content-security-policy")).toContain("sandbox");
  expect(response.headers.get("etag")).toBe(`"${Bun.SHA256.hash("<p>one</p>", "hex")}"`);
});

test("what a file was in another drive is not shown in the one it moved to", async () => {
  const { ada } = stage.world.clients;
  const [one, two] = [await ada.makeDrive("One"), await ada.makeDrive("Two")];
  const own = { ...drive, ...one, client: ada };
  const id = await put(own, "secret.txt", ["before", "after"]);
  const to = { destination_path: "here.txt", destination_drive_id: two.id };
  await ada.post(`/v0/files/${id}/move`, to, 200);
  expect(await versionsOf(own, id)).toMatchObject({ data: [], total: 0, current_version: 2 });
  await ada.json(404, "GET", `/v0/files/${id}/versions/1/download`);
  await put({ ...own, ...two }, "here.txt", ["later"]);
  expect(await numbersOf(own, id)).toEqual([2]);
});

test("the versions of a file that was deleted lead to the trash", async () => {
  const id = await put(drive, "dir/lost.txt", ["1", "2"]);
  const gone = await drive.client.delete<{ trash_id: string }>(`/v0/files/${id}`);
  const query = `drive_id=${drive.id}&path=dir/lost.txt`;
  const { status, text } = await drive.client.send("GET", `/v0/files/by-path/versions?${query}`);
  expect([status, text]).toEqual([404, expect.stringContaining(gone.trash_id)]);
  await drive.client.json(200, "POST", `/v0/trash/${gone.trash_id}/restore`);
  expect(await numbersOf(drive, id)).toEqual([1]);
  // So do those of a file that another was moved over, which keeps its own.
  const over = await put(drive, "over.txt", ["1", "2"]);
  const body = { destination_path: "dir/lost.txt", overwrite: true };
  await drive.client.post(`/v0/files/${over}/move`, body, 200);
  expect(await numbersOf(drive, over)).toEqual([1]);
  await drive.client.json(404, "GET", `/v0/files/${id}/versions`);
});

test("a deletion says where in the trash the file is", async () => {
  const [one, two] = [await put(drive, "gone-1.txt", ["1"]), await put(drive, "gone-2.txt", ["2"])];
  type Gone = { id: string; deleted: boolean; trash_id: string };
  const alone = await drive.client.delete<Gone>(`/v0/files/${one}`);
  expect(alone).toEqual({ id: one, deleted: true, trash_id: expect.any(String) });
  const file_ids = [two, one, two.toUpperCase()];
  const many = await drive.client.post<{ trash_ids: string[] }>("/v0/files/bulk-delete", { file_ids }, 200);
  expect(many).toMatchObject({ deleted: [two, two.toUpperCase()], failed: [one] });
  expect([many.trash_ids.length, new Set([...many.trash_ids, alone.trash_id]).size]).toEqual([2, 2]);
});

test("the days and the number that are kept can be changed; with 0 nothing is kept or shown", async () => {
  await using own = await startWithDrive({ "keep-days": "2" });
  const { own: start } = own;
  const id = await put(start, "a.txt", ["1", "2", "3"]);
  const again = async (settings: Record<string, string>) => {
    await own.restart(settings);
    return { ...start, client: own.client(start.key) };
  };
  expect(await numbersOf(await again({ "keep-versions": "1" }), id)).toEqual([2]);
  expect(await numbersOf(await again({ "keep-versions": "0" }), id)).toEqual([]);
  const off = await again({ "keep-days": "0" });
  expect(await numbersOf(off, id)).toEqual([]);
  await put(off, "a.txt", ["4"]);
  const deleted = await put(off, "b.txt", ["5"]);
  expect(await off.client.delete(`/v0/files/${deleted}`)).toMatchObject({ trash_id: null });
  const on = await again({});
  expect(await versionsOf(on, id)).toMatchObject({ current_version: 4, total: 2 });
  own.clock.advance(2 * DAY_MS - 1);
  expect(await numbersOf(on, id)).toEqual([2, 1]);
  own.clock.advance(1);
  expect(await numbersOf(on, id)).toEqual([]);
});

test("a version goes when the file that it was would have expired", async () => {
  const soon = stage.coffer.clock.iso(60_000);
  const id = await put(drive, "brief.txt", ["secret"], `&expires_at=${soon}`);
  await put(drive, "brief.txt", ["public"]);
  await drive.client.patch(`/v0/files/${id}`, { expires_at: null });
  expect(await numbersOf(drive, id)).toEqual([1]);
  stage.coffer.clock.advance(60_000);
  expect(await numbersOf(drive, id)).toEqual([]);
  await drive.client.json(404, "GET", `/v0/files/${id}/versions/1/download`);
});

function diffOf({ client }: OwnDrive, id: string, query = ""): Promise<VersionDiffRecord> {
  return client.get<VersionDiffRecord>(`/v0/files/${id}/diff${query}`);
}

test("a diff shows what the last change did, or what was between any two contents", async () => {
  const id = await put(drive, "list.txt", ["a\nb\n", "a\nb\nc\n", "b\nc\n"]);
  const head = "--- a/list.txt\n+++ b/list.txt\n";
  const last = `${head}@@ -1,3 +1,2 @@\n-a\n b\n c\n`;
  expect(await diffOf(drive, id)).toEqual({ from: 2, to: 3, diff: last, diff_cut: false });
  const hunk = `${head}@@ -1,2 +1,2 @@\n`;
  const since = { from: 1, to: 3, diff: `${hunk}-a\n b\n+c\n` };
  expect(await diffOf(drive, id, "?from=1")).toMatchObject(since);
  expect((await diffOf(drive, id, "?from=3&to=1")).diff).toBe(`${hunk}+a\n b\n-c\n`);
  expect(await diffOf(drive, id, "?from=3")).toMatchObject({ from: 3, to: 3, diff: "" });
  const refused = { "?from=4": 404, "?to=9": 404, "?from=0": 400, "?to=x": 400 };
  for (const [query, status] of Object.entries(refused))
    await drive.client.json(status, "GET", `/v0/files/${id}/diff${query}`);
});

test("texts are compared whatever their encoding, and neither one content nor what is no text", async () => {
  const id = await drive.client.store(drive.id, "wide.txt", encoded("eins\nzwei\n", "utf-16le"));
  await put(drive, "wide.txt", ["eins\ndrei\n"]);
  expect((await diffOf(drive, id)).diff).toEndWith("@@ -1,2 +1,2 @@\n eins\n-zwei\n+drei\n");
  const one = await put(drive, "one.txt", ["1"]);
  await drive.client.json(404, "GET", `/v0/files/${one}/diff`);
  const picture = await put(drive, "picture.png", ["1", "2"]);
  await drive.client.json(415, "GET", `/v0/files/${picture}/diff`);
  const long = await put(drive, "long.txt", ["x".repeat(2 * 1024 * 1024 + 1), "short"]);
  await drive.client.json(413, "GET", `/v0/files/${long}/diff`);
});

/** Many short lines. */
function manyLines(seed: number): string {
  return Array.from({ length: 300_000 }, (_, n) => (n * seed) % 97).join("\n");
}

test("long texts of short lines that differ everywhere are compared all the same, and the diff is cut", async () => {
  const id = await put(drive, "many.txt", [manyLines(31), manyLines(53)]);
  const { diff, diff_cut: isCut } = await diffOf(drive, id);
  expect([diff.length <= 64 * 1024, isCut]).toEqual([true, true]);
  const other = await put(drive, "few.txt", [manyLines(31), `${manyLines(31)}\nlast\n`]);
  expect((await diffOf(drive, other)).diff).toEndWith("\n+last\n");
});

test("usage counts each kept content once, and none that a file of the drive has too", async () => {
  const own = await stage.ownDrive();
  const usage = async () => (await own.client.get<{ data: object }>("/v0/account/usage")).data;
  const id = await put(own, "a", ["12345", "1234567"]);
  await put(own, "b", ["12345", "1234567", "123"]);
  expect(await usage()).toMatchObject({ storage: { used: 10 }, versions: { used: 5, limit: null } });
  await own.client.delete(`/v0/files/${id}`);
  expect(await usage()).toMatchObject({ storage: { used: 3 }, versions: { used: 12, limit: null } });
  await put(own, "c", ["12345"]);
  expect(await usage()).toMatchObject({ storage: { used: 8 }, versions: { used: 7, limit: null } });
});

test("the store is whole after all this", async () => {
  expect(await verified(stage.coffer.dataDir)).toEqual([]);
});
