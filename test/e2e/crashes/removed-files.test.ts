import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../support/server/client.ts";
import { provision, serve } from "../../support/server/executable.ts";
import { contentOf, heldBy, put } from "../../support/faults/faults.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const SMALL = 1000;
const LARGE = 100_000;

async function makeFolder(client: Client, drive: string): Promise<number> {
  return (await client.send("POST", "/v0/folders", { body: { drive_id: drive, path: "f/" } })).status;
}

async function problems(client: Client): Promise<unknown> {
  const { status, text } = await client.send("GET", "/readyz");
  return [status, JSON.parse(text).problems];
}

/** A server with a drive that has a file. */
async function start() {
  const server = await serve();
  const agent = await provision(server);
  expect(await put(agent.client, agent.drive, "a.bin", contentOf("a", SMALL))).toBe(201);
  return { server, ...agent };
}

describe.each(["", "coffer.db", "coffer.db-wal", "coffer.db-shm"])(
  "the data directory's %p, removed under a server",
  (name) => {
    test("fails the next write, and SIGTERM ends the server", async () => {
      const { server, client, drive } = await start();
      await using _ = server;
      await rm(join(server.dataDir, name), { recursive: true });
      expect(await makeFolder(client, drive)).toBe(503);
      expect(await put(client, drive, "b.bin", contentOf("b", SMALL))).toBe(503);
      expect(await put(client, drive, "c.bin", contentOf("c", LARGE))).toBe(503);
      expect(await problems(client)).toEqual([503, ["disk_failed"]]);
      expect(await server.stdout.until(/the disk failed.*was removed, moved or replaced/)).not.toBeNull();
      expect(await server.stop()).toBe(1);
      expect(server.stdout.text).not.toContain("has room again");
    });

    test("makes /readyz say so before any write, and no write happens after it", async () => {
      await using place = await temporaryDirectory(FAST_DIRECTORY);
      const { server, client, drive } = await start();
      await using _ = server;
      await rename(join(server.dataDir, name), join(place.path, "elsewhere"));
      expect(await problems(client)).toEqual([503, ["disk_failed"]]);
      expect(await makeFolder(client, drive)).toBe(503);
      expect(await server.stop()).toBe(1);
    });
  },
);

test("the data directory, removed under a server that nobody asks for anything, is missed, and that is said once", async () => {
  const { server, client, drive } = await start();
  await using _ = server;
  // Then the index is at rest: while it is made it would tell of the removal too.
  await client.get(`/v0/search?drive_id=${drive}&q=a`);
  await rm(server.dataDir, { recursive: true });
  expect(await server.stdout.until(/the disk failed.*was removed, moved or replaced/)).not.toBeNull();
  for (const size of [SMALL, LARGE]) {
    expect(await put(client, drive, "b.bin", contentOf("b", size))).toBe(503);
  }
  expect(await problems(client)).toEqual([503, ["disk_failed"]]);
  const complaints = server.stdout.text.match(/^.*"level":"(?:warn|error)".*$/gm);
  expect(complaints).toEqual([expect.stringContaining("the disk failed")]);
  expect(await server.stop()).toBe(1);
});

test("the temporary directory, removed under a server, is made again", async () => {
  await using server = await serve();
  const { client, drive } = await provision(server);
  await rm(join(server.dataDir, "tmp"), { recursive: true });
  expect(await problems(client)).toEqual([200, undefined]);
  await rm(join(server.dataDir, "tmp"), { recursive: true });
  for (const size of [SMALL, LARGE]) {
    expect(await put(client, drive, `${size}.bin`, contentOf("new", size))).toBe(201);
  }
  expect(Object.keys(await heldBy(client, drive))).toHaveLength(2);
  expect(await server.stop()).toBe(0);
});

test("a directory of contents, removed under a server, is made again for an upload that needs it", async () => {
  await using server = await serve();
  const { client, drive } = await provision(server);
  const content = contentOf("lost", LARGE);
  expect(await put(client, drive, "a.bin", content)).toBe(201);
  const shard = join(server.dataDir, "blobs", hashOf(content).slice(0, 2));
  await rm(shard, { recursive: true });
  expect(await put(client, drive, "b.bin", content)).toBe(201);
  expect(await heldBy(client, drive)).toEqual({ "a.bin": hashOf(content), "b.bin": hashOf(content) });
  expect(await server.stop()).toBe(0);
});

test.each(["removed", "replaced by an empty one"])(
  "contents whose directory is %s under a server: uploads of files fail, and the rest goes on",
  async (how) => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    await using server = await serve();
    const { client, drive } = await provision(server);
    const blobs = join(server.dataDir, "blobs");
    expect(await put(client, drive, "a.bin", contentOf("a", LARGE))).toBe(201);
    await rename(blobs, join(place.path, "blobs"));
    if (how !== "removed") await mkdir(blobs);
    for (const seed of ["a", "b"]) {
      expect(await put(client, drive, `${seed}.bin`, contentOf(seed, LARGE))).toBe(500);
    }
    expect(await put(client, drive, "c.bin", contentOf("c", SMALL))).toBe(201);
    await server.stdout.until(/was removed, moved or replaced/);
    expect(existsSync(join(blobs, hashOf(contentOf("b", LARGE)).slice(0, 2)))).toBe(false);
    // As when the disk is mounted again.
    await rm(blobs, { recursive: true, force: true });
    await rename(join(place.path, "blobs"), blobs);
    expect(await put(client, drive, "b.bin", contentOf("b", LARGE))).toBe(201);
    expect(Object.keys(await heldBy(client, drive))).toEqual(["a.bin", "b.bin", "c.bin"]);
    expect(await server.stop()).toBe(0);
  },
);
