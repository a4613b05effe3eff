import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { contentOf, heldBy, put } from "../../support/faults/faults.ts";
import { refusalOf } from "../../support/samples/failure.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import { eventually, provision } from "../../support/server/scenario.ts";

const SMALL = 1000;
const LARGE = 100_000;

async function problems(client: Client): Promise<unknown> {
  const { status, text } = await client.send("GET", "/readyz");
  return [status, JSON.parse(text).problems];
}

/** A Coffer with a drive. */
async function start() {
  const coffer = await startAppliance();
  const { id: drive, client } = await provision(coffer);
  const { dataDir } = coffer;
  const before = coffer.lines.length;
  return {
    client,
    drive,
    dataDir,
    makeFolder: () => client.status("POST", "/v0/folders", { body: { drive_id: drive, path: "f/" } }),
    upload: (path: string, size: number, seed = path) => put(client, drive, path, contentOf(seed, size)),
    logged: (text: RegExp) => coffer.lines.slice(before).filter((line) => text.test(line)).length,
    /** It ends, and says why. */
    endsAsFailed: async () => expect(await refusalOf(coffer.close())).toContain("data directory is gone"),
    [Symbol.asyncDispose]: async () => {
      await coffer.close().catch(() => {});
      await rm(dirname(dataDir), { recursive: true });
    },
  };
}

describe.each(["", "coffer.db", "coffer.db-wal", "coffer.db-shm"])(
  "the data directory's %p, removed under a server",
  (name) => {
    test("fails the next write, and the end of the server", async () => {
      await using t = await start();
      await rm(join(t.dataDir, name), { recursive: true });
      expect(await t.makeFolder()).toBe(503);
      expect([await t.upload("b.bin", SMALL), await t.upload("c.bin", LARGE)]).toEqual([503, 503]);
      expect(await problems(t.client)).toEqual([503, ["disk_failed"]]);
      expect(t.logged(/the data directory is gone.*was removed, moved or replaced/)).toBe(1);
      await t.endsAsFailed();
      expect(t.logged(/has room again/)).toBe(0);
    });

    test("makes /readyz say so before any write, and no write happens after it", async () => {
      await using t = await start();
      await rename(join(t.dataDir, name), join(dirname(t.dataDir), "elsewhere"));
      expect(await problems(t.client)).toEqual([503, ["disk_failed"]]);
      expect(await t.makeFolder()).toBe(503);
      await t.endsAsFailed();
    });
  },
);

test("the data directory, removed under a server that nobody asks for anything, is missed, and that is said once", async () => {
  await using t = await start();
  // Then the index is at rest: while it is made it would tell of the removal too.
  await t.client.get(`/v0/search?drive_id=${t.drive}&q=a`);
  await rm(t.dataDir, { recursive: true });
  await eventually(() => t.logged(/the data directory is gone.*was removed, moved or replaced/) === 1);
  expect([await t.upload("b.bin", SMALL), await t.upload("b.bin", LARGE)]).toEqual([503, 503]);
  expect(await problems(t.client)).toEqual([503, ["disk_failed"]]);
  expect(t.logged(/"level":"(warn|error)"/)).toBe(1);
  await t.endsAsFailed();
});

test("the temporary directory, removed under a server, is made again", async () => {
  await using t = await start();
  await rm(join(t.dataDir, "tmp"), { recursive: true });
  expect(await problems(t.client)).toEqual([200, undefined]);
  await rm(join(t.dataDir, "tmp"), { recursive: true });
  expect([await t.upload("small", SMALL), await t.upload("large", LARGE)]).toEqual([201, 201]);
  expect(Object.keys(await heldBy(t.client, t.drive))).toHaveLength(2);
});

test("a directory of contents, removed under a server, is made again for an upload that needs it", async () => {
  await using t = await start();
  const hash = hashOf(contentOf("lost", LARGE));
  expect(await t.upload("a.bin", LARGE, "lost")).toBe(201);
  await rm(join(t.dataDir, "blobs", hash.slice(0, 2)), { recursive: true });
  expect(await t.upload("b.bin", LARGE, "lost")).toBe(201);
  expect(await heldBy(t.client, t.drive)).toEqual({ "a.bin": hash, "b.bin": hash });
});

test.each(["removed", "replaced by an empty one"])(
  "contents whose directory is %s under a server are unavailable, and the rest goes on",
  async (how) => {
    await using t = await start();
    const [blobs, kept] = [join(t.dataDir, "blobs"), join(dirname(t.dataDir), "blobs")];
    expect(await t.upload("a", LARGE)).toBe(201);
    await rename(blobs, kept);
    if (how !== "removed") await mkdir(blobs);
    expect([await t.upload("a", LARGE), await t.upload("b", LARGE)]).toEqual([503, 503]);
    expect(await t.upload("c", SMALL)).toBe(201);
    expect(t.logged(/a disk cannot be used/)).toBe(1);
    expect(existsSync(join(blobs, hashOf(contentOf("b", LARGE)).slice(0, 2)))).toBe(false);
    // As when the disk is mounted again.
    await rm(blobs, { recursive: true, force: true });
    await rename(kept, blobs);
    expect(await t.upload("b", LARGE)).toBe(201);
    expect(Object.keys(await heldBy(t.client, t.drive))).toEqual(["a", "b", "c"]);
  },
);
