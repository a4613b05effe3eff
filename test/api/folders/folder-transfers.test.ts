import { describe, expect, test } from "bun:test";
import type { FileRecord } from "../../../src/http/records/record-schemas.ts";
import { rowsIn, changeDatabase } from "../../support/faults/change-database.ts";
import { RECORD_BYTES, RECORD_ROOM_BYTES } from "../../../src/domain/limits.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { askFor, type Carried, type How, testLimits } from "../../support/samples/folder-limits.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { openStage, runEach, runScenarios, runAfter, startWithDrive } from "../../support/server/scenario.ts";
import { type Expected, gives, refused, type Step, step } from "../../support/server/steps.ts";
import { holds, put } from "../../support/server/uploads.ts";
import { startWorld } from "../../support/server/world.ts";
import { sweepContents } from "../../support/samples/contents.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";

const stage = openStage();

const HOUR = 60 * 60 * 1000;
const HOWS: readonly How[] = ["move", "copy"];

const success = (how: How) => (how === "move" ? 200 : 201);

function transfer(how: How, path: Json, to: Json, more: Expected): Step {
  return step(`POST /v0/folders/${how}`, {
    body: { drive_id: "{drive}", path, destination_path: to },
    status: success(how),
    ...more,
  });
}

/** The folders in a folder, as `path files bytes`. */
function folders(path: string, ...shown: [path: string, files: number, bytes: number][]): Step {
  const data = shown.map(([each, files, bytes]) => ({ path: each, file_count: files, total_size: bytes }));
  return gives(`GET /v0/folders?drive_id={drive}&path=${encodeURIComponent(path)}`, {
    data,
    total: shown.length,
  });
}

function list(client: Client, drive: string): Promise<{ data: FileRecord[]; total: number }> {
  return client.get(`/v0/files?drive_id=${drive}&limit=1000`);
}

function paths(client: Client, drive: string): Promise<string[]> {
  return client.paths(`/v0/files?drive_id=${drive}&limit=1000`);
}

/** More than fit into one piece, in a long run. */
const MANY_TAGGED = isThorough() ? 500 : 50;

const note = (folder: string) => [`${folder}/inner/note.txt`];

/** Moves or copies a folder. */
async function carry(how: How, ...carried: Carried): Promise<object> {
  const { status, text } = await askFor(how, ...carried);
  expect([status, text]).toEqual([success(how), text]);
  return JSON.parse(text);
}

function upload(client: Client, drive: string, path: string, body = "x", query = ""): Promise<FileRecord> {
  return client.put<FileRecord>(drive, path, body, 201, query);
}

/** The part of an upload's query that lets it expire in some hours. */
function expiring(hours: number): string {
  return `&expires_at=${stage.coffer.clock.iso(hours * HOUR)}`;
}

/** As many as a file may carry. */
const tags = Array.from({ length: 64 }, (_, n) => `tag ${n}`);
const long = (bytes: number) => "x".repeat(bytes);
/** 1,000 bytes, the folder `a/` included. */
const DEEP = `a/${`${long(249)}/`.repeat(3)}${long(248)}`;

// What is moved and copied where, what it comes to, and what is in the way, is in files/listing-model.test.ts; what
// comes at once is in races/trees.test.ts.

describe.each(HOWS)("%s", (how) => {
  runScenarios(stage, {
    "between names that begin alike": [
      put("a/1"),
      put("a-b/2"),
      put("a.txt"),
      put("ab/3"),
      transfer(how, "a/", "a b/", { json: { path: "a b/", file_count: 1 } }),
      holds("a b/1", "a-b/2", "a.txt", ...(how === "copy" ? ["a/1"] : []), "ab/3"),
    ],
    "letters of several bytes": [
      put("\u{1F600}\u00e9/\u{1F600}/1", "x"),
      transfer(how, "\u{1F600}e\u0301/", "\u00e4/", { json: { path: "\u00e4/", file_count: 1 } }),
      folders("\u00e4/", ["\u00e4/\u{1F600}/", 1, 1]),
    ],
    "the longest paths": [
      put(DEEP),
      transfer(how, "a/", `${long(25)}/`, { json: { path: `${long(25)}/`, file_count: 1 } }),
    ],
    "a path that would get too long, and nothing is changed": [
      put(DEEP),
      transfer(how, "a/", `b/${long(24)}/`, refused("VALIDATION_ERROR", "destination_path")),
      holds(DEEP),
      folders("", ["a/", 1, 12]),
    ],
    "a folder's path that would get too long": [
      step("POST /v0/folders", { body: { drive_id: "{drive}", path: `${DEEP}/` }, status: 201, json: {} }),
      transfer(how, "a/", `b/${long(24)}/`, refused("VALIDATION_ERROR", "destination_path")),
      folders("", ["a/", 0, 0]),
    ],
  });
  runAfter(stage, [put("a/1")], {
    "leading slashes are dropped": transfer(how, "/a/", "/z/", { json: { path: "z/" } }),
    "to a drive that is not there": transfer(how, "a/", "z/", {
      body: { drive_id: "{drive}", path: "a/", destination_path: "z/", destination_drive_id: "none" },
      ...refused("NOT_FOUND"),
    }),
  });
  runEach(
    stage,
    [
      ["the root", "/", "z/", "path"],
      ["an empty path", "", "z/", "path"],
      ["to the root", "a/", "/", "destination_path"],
      ["to an empty path", "a/", "", "destination_path"],
      ["without a trailing slash", "a", "z/", "path"],
      ["to a path without a trailing slash", "a/", "z", "destination_path"],
      ["climbing out", "a/", "../z/", "destination_path"],
      ["an empty segment", "a/", "z//", "destination_path"],
      ["a backslash", "a/", "z\\/", "destination_path"],
      ["a segment of 256 bytes", "a/", `${long(256)}/`, "destination_path"],
      ["no path", null, "z/", "path"],
      ["a number", "a/", 5, "destination_path"],
    ] as const,
    ([name, path, to, field]) => [
      `${name} is refused`,
      put("a/1"),
      transfer(how, path, to, refused("VALIDATION_ERROR", field)),
      holds("a/1"),
    ],
  );

  test("files that expired and await the sweep are not there, and not in the way", async () => {
    const { client, id } = await stage.ownDrive();
    const passing = expiring(1);
    await upload(client, id, "a/lasting", "xx");
    await upload(client, id, "a/b/passing", "xxx", passing);
    await upload(client, id, DEEP.replace("a/", "a/b/").slice(0, -2), "x", passing);
    await upload(client, id, "x", "xxx", passing);
    await upload(client, id, "a/later", "x", expiring(3));
    stage.coffer.clock.advance(HOUR);
    const shown = { path: "a/", file_count: 2, total_size: 3 };
    expect(await client.post("/v0/folders", { drive_id: id, path: "a/" }, 200)).toMatchObject(shown);
    const page = await client.get(`/v0/folders?drive_id=${id}&limit=1`);
    expect(page).toMatchObject({ data: [shown] });
    expect(await carry(how, client, id, "a/", `x/${long(30)}/`)).toMatchObject({
      file_count: 2,
      total_size: 3,
    });
    const now = ["lasting", "later"].map((name) => `x/${long(30)}/${name}`);
    const expected = [...(how === "copy" ? ["a/lasting", "a/later"] : []), ...now];
    expect(await paths(client, id)).toEqual(expected);
    await stage.coffer.appliance.services.sweep.run();
    expect(await client.get(`/v0/drives/${id}`)).toMatchObject({
      data: { file_count: expected.length, total_size: how === "copy" ? 6 : 3 },
    });
    stage.coffer.clock.advance(2 * HOUR);
    const left = how === "copy" ? expected.filter((path) => path !== "a/later") : [`x/${long(30)}/lasting`];
    expect(await paths(client, id)).toEqual(left);
  });

  test("a search finds names and texts where they are now, and only there", async () => {
    const { ada } = stage.world.clients;
    const [one, two] = [await makeDrive(ada, "One"), await makeDrive(ada, "Two")];
    await upload(ada, one, "apples/inner/note.txt", "some words about walruses");
    const found = async (drive: string, q: string) =>
      (await ada.paths(`/v0/search?drive_id=${drive}&q=${q}`)).toSorted();
    expect(await found(one, "apples")).toEqual(note("apples"));
    const [old, middle] = how === "copy" ? [note("apples"), note("pears")] : [[], []];
    await carry(how, ada, one, "apples/", "pears/");
    expect(await found(one, "apples")).toEqual(old);
    expect(await found(one, "pears")).toEqual(note("pears"));
    expect(await found(one, "walruses")).toEqual([...old, ...note("pears")]);
    await carry(how, ada, one, "pears/", "plums/", two);
    for (const words of ["plums", "walruses"]) expect(await found(two, words)).toEqual(note("plums"));
    expect(await found(one, "pears")).toEqual(middle);
    expect(await found(one, "walruses")).toEqual([...old, ...middle]);
  });

  test("all tags and metadata, however much there is of them", async () => {
    const { client, id: drive } = await stage.ownDrive();
    const metadata = { note: long(16 * 1024 - '{"note":""}'.length) };
    const body = { drive_id: drive, filename: "first", content: "", metadata, tags };
    const first = await client.post<FileRecord>("/v0/files", body);
    await addManyFiles(stage.coffer.dataDir, first.id, MANY_TAGGED);
    await carry(how, client, drive, "many/", `${long(200)}/`);
    const query = `drive_id=${drive}&prefix=${long(200)}/&tags=tag%200,tag%2063&limit=1000`;
    type Page = { data: { metadata: unknown }[]; total: number };
    const { data, total } = await client.get<Page>(`/v0/files?${query}`);
    expect(total).toBe(MANY_TAGGED);
    expect(data.at(-1)?.metadata).toEqual(metadata);
    const both = await client.get(`/v0/files?drive_id=${drive}&tags=tag%205`);
    expect(both).toMatchObject({ total: 1 + MANY_TAGGED * (how === "copy" ? 2 : 1) });
  });

  test("a path that would get too long far back in a large folder, and nothing is changed", async () => {
    const { client, id: drive } = await stage.ownDrive();
    const first = await upload(client, drive, "first");
    await addManyFiles(stage.coffer.dataDir, first.id, 3000);
    await upload(client, drive, DEEP.replace("a/", "many/z/").slice(0, -10));
    const before = await client.get<unknown>(`/v0/folders?drive_id=${drive}`);
    const refusal = await askFor(how, client, drive, "many/", `new/${long(100)}/`);
    expectRefused(refusal, "VALIDATION_ERROR", "destination_path");
    expect(await client.get<unknown>(`/v0/folders?drive_id=${drive}`)).toEqual(before);
    expect(await list(client, drive)).toMatchObject({ total: 3002 });
  });
});

testLimits(stage, "copy");

async function makeDrive(client: Client, name: string): Promise<string> {
  return (await client.makeDrive(name)).id;
}

/** How many names and texts have been given to the index to do. */
function jobsSoFar(): number {
  const last = "SELECT seq FROM sqlite_sequence WHERE name = 'search_job'";
  return Number(rowsIn(stage.coffer.dataDir, last).flat()[0]);
}

/** How many rows of folders change while something is done. */
async function folderChanges(work: () => Promise<void>): Promise<number> {
  const { dataDir } = stage.coffer;
  changeDatabase(
    dataDir,
    "CREATE TABLE tally (changes INTEGER NOT NULL) STRICT",
    "INSERT INTO tally VALUES (0)",
    "CREATE TRIGGER tally_folder AFTER UPDATE ON folder BEGIN UPDATE tally SET changes = changes + 1; END",
  );
  try {
    await work();
    return Number(rowsIn(dataDir, "SELECT changes FROM tally").flat()[0]);
  } finally {
    changeDatabase(dataDir, "DROP TRIGGER tally_folder", "DROP TABLE tally");
  }
}

longTest("taking away files that expired far down costs one change for each folder above", async () => {
  const { client, id: drive } = await stage.ownDrive();
  const depth = 480;
  const deep = `old/${"a/".repeat(depth)}`;
  const count = 300;
  await Promise.all(
    Array.from({ length: count }, (_, n) => upload(client, drive, `${deep}${n}/f`, "x", expiring(1))),
  );
  await upload(client, drive, `${deep}7/stays`, "four");
  stage.coffer.clock.advance(2 * HOUR);
  const changes = await folderChanges(async () => {
    const moved = await carry("move", client, drive, "old/", "new/");
    expect(moved).toMatchObject({ file_count: 1, total_size: 4 });
  });
  // Each folder is made, its parent told of it, and removed. Then there are the folders above, once in each of two
  // dozen pieces. One at a time the files would be depth * count.
  expect(changes).toBeLessThan(5 * count + 24 * depth);
  await client.delete("/v0/folders", { drive_id: drive, path: "new/a/", confirm: true });
  expect(await client.get(`/v0/folders?drive_id=${drive}`)).toMatchObject({
    data: [{ path: "new/", file_count: 0, total_size: 0 }],
  });
});

test("a move keeps ids, links, the indexed texts and everything else but the paths", async () => {
  const { client, id: drive } = await stage.ownDrive();
  const { id } = await upload(client, drive, "a/b.json", "{}", `&tags=red,big${expiring(1)}`);
  await client.patch(`/v0/files/${id}`, { metadata: { x: 1 } });
  const { url } = await client.post<{ url: string }>(`/v0/files/${id}/presigned-url`, {}, 200);
  const before = await client.get<Record<string, unknown>>(`/v0/files/${id}`);
  const folder = await client.post<object>("/v0/folders", { drive_id: drive, path: "a/" }, 200);
  await client.get(`/v0/search?drive_id=${drive}&q=json`);
  const jobs = jobsSoFar();
  stage.coffer.clock.advance(1000);
  expect(await carry("move", client, drive, "a/", "c/")).toEqual({ ...folder, path: "c/" });
  expect(await client.get<unknown>(`/v0/files/${id}`)).toEqual({ ...before, path: "c/b.json" });
  // Its names, and not its text.
  expect(jobsSoFar() - jobs).toBe(1);
  const { status, text } = await stage.coffer.client().send("GET", new URL(url).pathname);
  expect([status, text]).toEqual([200, "{}"]);
});

describe("what a copy is", () => {
  test("new files with all but the ids and the expiry, of the same content, which stays when the original goes", async () => {
    const { client, id: drive } = await stage.ownDrive();
    const { id } = await upload(client, drive, "a/b.json", '{"of":"its own"}', `&tags=red,big${expiring(1)}`);
    await client.patch(`/v0/files/${id}`, { metadata: { x: 1 } });
    const before = await client.get<Record<string, unknown>>(`/v0/files/${id}`);
    const { blobs } = await stage.onDisk();
    stage.coffer.clock.advance(1000);
    const now = stage.coffer.clock.iso();
    expect(await carry("copy", client, drive, "a/", "c/")).toMatchObject({ created_at: now });
    const { data } = await list(client, drive);
    const copy = data.find(({ path }) => path === "c/b.json")?.id ?? "";
    expect(copy).not.toBe(id);
    const made = { id: copy, path: "c/b.json", expires_at: null, created_at: now, updated_at: now };
    expect(await client.get<unknown>(`/v0/files/${copy}`)).toEqual({ ...before, ...made });
    expect(await client.get<unknown>(`/v0/files/${id}`)).toEqual(before);
    expect((await stage.onDisk()).blobs).toEqual(blobs);
    await client.delete("/v0/folders", { drive_id: drive, path: "a/", confirm: true });
    await sweepContents(stage.coffer);
    const content = await client.send("GET", `/v0/files/${copy}/download`);
    expect([content.status, content.text]).toEqual([200, '{"of":"its own"}']);
  });

  test("charged to the quota, exactly, also across drives", async () => {
    await using coffer = await startWorld({ "storage-limits": "team=1000" });
    const { clients, drives } = coffer;
    const two = await makeDrive(clients.ada, "Two");
    // The world's own file has 12 bytes.
    await upload(clients.ada, drives.ada, "a/1", long(494));
    await carry("copy", clients.ada, drives.ada, "a/", "b/", two);
    await upload(clients.ada, drives.ada, "empty/0", "");
    expectRefused(await askFor("copy", clients.ada, drives.ada, "a/", "c/", two), "QUOTA_EXCEEDED");
    expect(await paths(clients.ada, two)).toEqual(["b/1"]);
    const shown = { data: [{ path: "b/", file_count: 1, total_size: 494 }], total: 1 };
    expect(await clients.ada.get(`/v0/folders?drive_id=${two}`)).toMatchObject(shown);
    await carry("move", clients.ada, drives.ada, "a/", "d/", two);
  });

  longTest("not without end in a drive without an owner, whose quota empty files do not touch", async () => {
    const { client, id: drive } = await stage.ownDrive();
    const first = await upload(client, drive, "two/1", "");
    await upload(client, drive, "two/2", "");
    // Beside them there are three folders and the two files, and room for another folder of two.
    const most = Math.floor(RECORD_ROOM_BYTES / (RECORD_BYTES.entry + "{}".length)) - 9;
    await addManyFiles(stage.coffer.dataDir, first.id, most);
    await carry("copy", client, drive, "two/", "four/");
    expectRefused(await askFor("copy", client, drive, "two/", "six/"), "QUOTA_EXCEEDED");
    expect((await list(client, drive)).total).toBe(most + 4);
  });

  test("refused while the disk is at its reserve, since thousands of records take room", async () => {
    await using coffer = await startWithDrive({ "disk-reserve": "1000TB" });
    const { id: drive, client } = coffer.own;
    await client.post("/v0/folders", { drive_id: drive, path: "a/" });
    expectRefused(await askFor("copy", client, drive, "a/", "b/"), "STORAGE_FULL");
    await carry("move", client, drive, "a/", "b/");
  });
});
