import { afterAll, expect, test } from "bun:test";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rowsIn } from "../../support/faults/change-database.ts";
import { QUIET } from "../../support/faults/changes.ts";
import { heldBy } from "../../support/faults/faults.ts";
import { stoppedStore } from "../../support/faults/stopped-store.ts";
import { hashOf } from "../../support/samples/hash.ts";
import type { Answer } from "../../support/server/client.ts";
import { serve } from "../../support/server/executable.ts";
import { runHere } from "../../support/server/run-here.ts";
import { someOf } from "../../support/server/thorough.ts";

const store = await stoppedStore();
afterAll(() => store[Symbol.asyncDispose]());

/** What some reads answer as long as nothing is damaged, by path. */
const right = await readings();

async function readings(): Promise<ReadonlyMap<string, string>> {
  const { drive, key } = store;
  const paths = [`/v0/files?drive_id=${drive}`, `/v0/folders?drive_id=${drive}`, `/v0/drives/${drive}`];
  await using server = await serve({ dataDir: await store.copied(), env: QUIET });
  const read = async (path: string) => [path, (await server.client(key).send("GET", path)).text] as const;
  return new Map(await Promise.all(paths.map(read)));
}

// https://sqlite.org/fileformat2.html#b_tree_pages
const PAGE = 4096;
const LEAF_OF_TABLE = 0x0d;

/** Writes other bytes at the start of the page where a table or an index begins. */
async function damage(dataDir: string, name: string): Promise<void> {
  const [[root] = []] = rowsIn(dataDir, "SELECT rootpage FROM sqlite_schema WHERE name = ?", name);
  if (root === undefined) throw new Error(`there is no ${name}`);
  await using file = await open(join(dataDir, "coffer.db"), "r+");
  await file.write(Buffer.alloc(200, 0xa5), 0, 200, (Number(root) - 1) * PAGE);
}

/** The database is found to be corrupt. */
async function requireFound(dataDir: string, ...args: string[]): Promise<void> {
  expect(await runHere(["verify", ...args], dataDir)).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^database-corrupt /m),
    stderr: expect.stringContaining("stop the server, and restore a backup"),
  });
}

function requireRefusal({ status, text, headers }: Answer): void {
  expect([status, JSON.parse(text).error.request_id]).toEqual([500, headers.get("x-request-id")]);
}

const PARTS = ["file", "folder", "blob", "small_content", "drive", "api_key", "file_path", "file_folder"];

test.each(someOf(PARTS, 2))(
  "a page of %s with other bytes: verify says so, no answer is wrong, and the server runs on or says what to do",
  async (name) => {
    const dataDir = await store.copied();
    await damage(dataDir, name);
    await requireFound(dataDir);
    // A backup has the right rows, but only contents are repaired.
    await requireFound(dataDir, "--repair-from", store.whole);

    const started = await serve({ dataDir, env: QUIET }).catch((error: unknown) => String(error));
    if (typeof started === "string") {
      expect(started).toMatch(/coffer: .*restore the data directory from a backup/);
      return;
    }
    await using server = started;
    const client = server.client(store.key);
    const statuses: number[] = [];
    for (const [path, text] of right) {
      const answer = await client.send("GET", path);
      statuses.push(answer.status);
      if (answer.status === 200) expect(answer.text).toBe(text);
      else requireRefusal(answer);
    }
    for (const [method, path, options] of [
      ["PUT", `/v0/files?drive_id=${store.drive}&path=replaced.txt`, { body: "x" }],
      ["DELETE", `/v0/files/${store.small.id}`],
    ] as const) {
      const answer = await client.send(method, path, options);
      statuses.push(answer.status);
      if (answer.status !== 200) requireRefusal(answer);
    }
    for (const { id, content } of [store.large, store.small]) {
      const answer = await client.fetch("GET", `/v0/files/${id}/download`);
      const bytes = await answer.bytes();
      statuses.push(answer.status);
      if (answer.status < 400) expect([id, hashOf(bytes)]).toEqual([id, hashOf(content)]);
    }
    expect(statuses).toContain(500);
    expect(await server.stdout.until(/database disk image is malformed/)).not.toBeNull();
    expect(await server.client().status("GET", "/healthz")).toBe(200);
    expect([0, 1]).toContain(await server.stop());
  },
);

test.each([
  ["a file's path", "a/b/small.txt"],
  ["a content's digest", "digest"],
])("one wrong bit in %s: verify says so", async (_, text) => {
  const dataDir = await store.copied();
  const path = join(dataDir, "coffer.db");
  const bytes = await readFile(path);
  const sought = text === "digest" ? store.large.digest : text;
  for (let at = bytes.indexOf(sought); at !== -1; at = bytes.indexOf(sought, at + 1)) {
    const page = at - (at % PAGE);
    if (bytes[page] === LEAF_OF_TABLE) bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  await writeFile(path, bytes);
  await requireFound(dataDir);
});

test("the log of the database with other bytes, after a kill: what came before them is there, and verify finds it whole", async () => {
  const dataDir = await store.copied();
  const { drive, key } = store;
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
  expect((await runHere(["verify"], dataDir)).code).toBe(0);
  expect(await server.stop()).toBe(0);
});
