import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rowsIn } from "../../support/faults/change-database.ts";
import { prepare, type Prepared, QUIET } from "../../support/faults/changes.ts";
import type { Answer } from "../../support/server/client.ts";
import { run, serve } from "../../support/server/executable.ts";
import { contentOf, heldBy } from "../../support/faults/faults.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

let prepared: Prepared;
/** What some reads answer as long as nothing is damaged, by path. */
let right: ReadonlyMap<string, string>;
beforeAll(async () => {
  prepared = await prepare(FAST_DIRECTORY);
  const { drive, key } = prepared;
  const paths = [`/v0/files?drive_id=${drive}`, `/v0/folders?drive_id=${drive}`, `/v0/drives/${drive}`];
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using server = await serve({ dataDir: await copied(place.path), env: QUIET });
  const read = async (path: string) => (await server.client(key).send("GET", path)).text;
  right = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
});
afterAll(() => prepared[Symbol.asyncDispose]());

// https://sqlite.org/fileformat2.html#b_tree_pages
const PAGE = 4096;
const LEAF_OF_TABLE = 0x0d;

/** Changes bytes of the page where a table or an index begins. */
async function damage(dataDir: string, name: string, change: (page: Buffer) => void): Promise<void> {
  const [[root] = []] = rowsIn(dataDir, "SELECT rootpage FROM sqlite_schema WHERE name = ?", name);
  if (root === undefined) throw new Error(`there is no ${name}`);
  await using file = await open(join(dataDir, "coffer.db"), "r+");
  const page = Buffer.alloc(PAGE);
  const at = (Number(root) - 1) * PAGE;
  await file.read(page, 0, PAGE, at);
  change(page);
  await file.write(page, 0, PAGE, at);
}

async function copied(path: string): Promise<string> {
  const dataDir = join(path, "data");
  await cp(prepared.dataDir, dataDir, { recursive: true });
  using sql = new Sqlite(join(dataDir, "coffer.db"));
  // All pages must be in the file.
  sql.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return dataDir;
}

async function verify(dataDir: string, ...args: string[]) {
  return run(["verify", ...args], { dataDir });
}

function requireRefusal({ status, text, headers }: Answer): void {
  expect([status, JSON.parse(text).error.request_id]).toEqual([500, headers.get("x-request-id")]);
}

test.each(["file", "folder", "blob", "small_content", "drive", "api_key", "file_path", "file_folder"])(
  "a page of %s with other bytes: verify says so, no answer is wrong, and the server runs on or says what to do",
  async (name) => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const dataDir = await copied(place.path);
    await damage(dataDir, name, (page) => page.fill(0xa5, 0, 200));
    const found = await verify(dataDir);
    expect([found.code, found.stdout]).toEqual([1, expect.stringMatching(/^database-corrupt /m)]);
    expect(found.stderr).toContain("stop the server, and restore a backup");
    // A backup has the right rows, but only contents are repaired.
    const repaired = await verify(dataDir, "--repair-from", prepared.dataDir);
    expect([repaired.code, repaired.stdout]).toEqual([1, expect.stringMatching(/^database-corrupt /m)]);

    const started = await serve({ dataDir, env: QUIET }).catch((error: unknown) => String(error));
    if (typeof started === "string") {
      expect(started).toMatch(/coffer: .*restore the data directory from a backup/);
      return;
    }
    await using server = started;
    const client = server.client(prepared.key);
    const { drive, files } = prepared;
    const statuses: number[] = [];
    for (const [path, text] of right) {
      const answer = await client.send("GET", path);
      statuses.push(answer.status);
      if (answer.status === 200) expect(answer.text).toBe(text);
      else requireRefusal(answer);
    }
    for (const [method, path] of [
      ["PUT", `/v0/files?drive_id=${drive}&path=small.bin`],
      ["DELETE", `/v0/files/${files["single.bin"]}`],
    ] as const) {
      const answer = await client.send(method, path, method === "PUT" ? { body: "x" } : {});
      statuses.push(answer.status);
      if (answer.status !== 200) requireRefusal(answer);
    }
    for (const path of ["large.bin", "folder/a.bin"] as const) {
      const answer = await client.fetch("GET", `/v0/files/${files[path]}/download`);
      const digest = hashOf(await answer.bytes());
      statuses.push(answer.status);
      const size = path === "large.bin" ? 150 * 1024 : 1024;
      if (answer.status < 400) expect([path, digest]).toEqual([path, hashOf(contentOf(path, size))]);
    }
    expect(statuses).toContain(500);
    expect(await server.stdout.until(/database disk image is malformed/)).not.toBeNull();
    expect((await server.client().send("GET", "/healthz")).status).toBe(200);
    expect([0, 1]).toContain(await server.stop());
  },
);

test.each([
  ["a file's path", "folder/a.bin"],
  ["a content's digest", hashOf(contentOf("large.bin", 150 * 1024))],
])("one wrong bit in %s: verify says so", async (_, text) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const dataDir = await copied(place.path);
  const path = join(dataDir, "coffer.db");
  const bytes = await readFile(path);
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
    const page = at - (at % PAGE);
    if (bytes[page] === LEAF_OF_TABLE) bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  await writeFile(path, bytes);
  const found = await verify(dataDir);
  expect([found.code, found.stdout]).toEqual([1, expect.stringMatching(/^database-corrupt /m)]);
});

test("the log of the database with other bytes, after a kill: what came before them is there, and verify finds it whole", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const dataDir = await copied(place.path);
  const { drive, key } = prepared;
  await using first = await serve({ dataDir, env: QUIET });
  await first.client(key).put(drive, "first.bin", "first");
  await first.kill();
  const log = join(dataDir, "coffer.db-wal");
  const size = Bun.file(log).size;
  await using second = await serve({ dataDir, env: QUIET });
  // Not a file, which the search index might have by the time of the kill.
  const body = { drive_id: drive, path: "second/" };
  await second.client(key).post("/v0/folders", body);
  await second.kill();
  {
    await using file = await open(log, "r+");
    await file.write(Buffer.alloc(100, 0xa5), 0, 100, size + 100);
  }
  await using server = await serve({ dataDir, env: QUIET });
  const client = server.client(key);
  expect(Object.keys(await heldBy(client, drive))).toContain("first.bin");
  const folders = await client.send("GET", `/v0/folders?drive_id=${drive}`);
  expect([folders.status, folders.text]).toEqual([200, expect.not.stringContaining("second/")]);
  expect((await verify(dataDir)).code).toBe(0);
  expect(await server.stop()).toBe(0);
});
