import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { provision, serve } from "../../support/server/executable.ts";
import { FILE_CHANGES, prepare } from "../../support/faults/changes.ts";
import { contentOf, type Fault, heldBy, Injection, NO_STRACE, put } from "../../support/faults/faults.ts";
import { changeWithFault, tryOut } from "../../support/faults/faulty-change.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { withReason } from "../../support/server/skip.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const prepared = await prepare();
afterAll(() => prepared[Symbol.asyncDispose]());

// All of a disk's faults, at every call of every change, are in faults.long.test.ts.

const LOG = "coffer.db-wal";
const NEXT_SYNC: Fault = { calls: "fsync,fdatasync", error: "EIO", when: "1", file: LOG };

describe.skipIf(NO_STRACE !== "")(withReason("a disk that fails", NO_STRACE), () => {
  test.each(FILE_CHANGES.filter((_, index) => index % 2 === 0))(
    "in the sync of the log at $name, then a kill: 503, and it happened or it did not",
    async (change) => {
      const trial = await tryOut(prepared, change);
      const { status, hits } = await changeWithFault(prepared, trial, NEXT_SYNC);
      expect([status, hits.length]).toEqual([503, 1]);
    },
  );

  test("in the sync of the log: 503 for writes, reads go on, /readyz and the log say why, SIGTERM ends it with 1", async () => {
    await using place = await temporaryDirectory();
    await using first = await serve({ dataDir: place.dataDir, env: { COFFER_SWEEP_INTERVAL: "20ms" } });
    const agent = await provision(first);
    const client = first.client(agent.key);
    await put(client, agent.drive, "a.bin", contentOf("old", 1000));
    const before = await heldBy(client, agent.drive);
    await Injection.into(first, NEXT_SYNC);
    // The sweep may come first: whichever write it is that fails, all after it are refused.
    expect(await put(client, agent.drive, "a.bin", contentOf("new", 1000))).toBe(503);
    const folder = { drive_id: agent.drive, path: "f/" };
    const refused = await client.send("POST", "/v0/folders", { body: folder });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { code: "UNAVAILABLE", message: expect.stringMatching(/disk failed.*restarts it/) },
    });
    // Until the next start nobody knows which of the two the disk has.
    const after = { "a.bin": hashOf(contentOf("new", 1000)) };
    expect([before, after]).toContainEqual(await heldBy(client, agent.drive));
    await client.get("/v0/account/usage");
    await client.get(`/v0/search?drive_id=${agent.drive}&q=a`);
    const ready = { status: "unavailable", problems: ["disk_failed"] };
    expect(await client.json<object>(503, "GET", "/readyz")).toMatchObject(ready);
    await client.get("/healthz");
    expect(await first.stop()).toBe(1);
    expect(first.stderr.text).toContain("Its disk had failed");
    const errors = first.stdout.text.split("\n").filter((line) => line.includes('"level":"error"'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/the disk failed.*Check the disk, then restart/);
    await using server = await serve(place);
    const held = await heldBy(server.client(agent.key), agent.drive);
    expect([before, after]).toContainEqual(held);
  });

  test("in the sync of the log: the sweep leaves the content in doubt alone, however old its file is", async () => {
    await using place = await temporaryDirectory();
    const content = firstSwept(1000);
    const blob = join(place.dataDir, "blobs/00", hashOf(content));
    await using first = await serve({ dataDir: place.dataDir, env: { COFFER_SWEEP_INTERVAL: "1s" } });
    const agent = await provision(first);
    // A crash left it: the upload finds it there. For a sweep it is as old as its file.
    await Bun.write(blob, content);
    const injection = await Injection.into(first, NEXT_SYNC);
    expect(await put(first.client(agent.key), agent.drive, "a.bin", content)).toBe(503);
    await utimes(blob, 1, 1);
    // The first sweep looks through the directory of the content. It says nothing of what it leaves alone.
    await Bun.sleep(2500);
    expect(existsSync(blob)).toBe(true);
    await first.kill();
    expect(await injection.hits()).toHaveLength(1);
    await using server = await serve(place);
    const held = await heldBy(server.client(agent.key), agent.drive);
    // Empty where this machine was so slow that the sweep's own write met the fault first.
    expect([{ "a.bin": hashOf(content) }, {}]).toContainEqual(held);
  });
});

/** A content whose file is in the first directory of all. */
function firstSwept(size: number): Uint8Array {
  for (let n = 0; ; n += 1) {
    const content = contentOf(`sweep ${n}`, size);
    if (hashOf(content).startsWith("00")) return content;
  }
}
