import { afterAll, describe, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../support/server/client.ts";
import { type Agent, provision, serve } from "../../support/server/executable.ts";
import { attachStrace, contentOf, Injection, NO_STRACE, put } from "../../support/faults/faults.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { eventually } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { verified } from "../../support/faults/verified.ts";

/** So many that their copy sets off a checkpoint. */
const FILES = 700;
const MOST_COPIES = 50;
const ENV = { COFFER_SWEEP_INTERVAL: "1h" };

const place = await temporaryDirectory();
const prepared = join(place.path, "prepared");
const agent = await prepareStore();
afterAll(() => place[Symbol.asyncDispose]());

async function prepareStore(): Promise<Agent> {
  await using server = await serve({ dataDir: prepared, env: ENV });
  const made = await provision(server);
  const { id } = await made.client.put(made.drive, "first.txt");
  await addManyFiles(prepared, id, FILES);
  await server.stop();
  return made;
}

async function start() {
  const dataDir = join(place.path, crypto.randomUUID());
  await cp(prepared, dataDir, { recursive: true });
  return serve({ dataDir, env: ENV });
}

/** Changes many rows. The status; 0 if the server went away. */
async function copyTo(client: Client, to: string): Promise<number> {
  const body = { drive_id: agent.drive, path: "many/", destination_path: to };
  return client.status("POST", "/v0/folders/copy", { body }).catch(() => 0);
}

/**
 * Copies again and again until that fails: only a checkpoint that no write overtakes makes all its calls. Returns how
 * many were answered.
 */
async function copyUntilItFails(client: Client): Promise<number> {
  for (let copies = 0; ; copies++) {
    const status = await copyTo(client, `copy ${copies}/`);
    if (status !== 201) return copies;
    expect(copies).toBeLessThan(MOST_COPIES);
  }
}

/** Starts again, and checks that all copies are there, and the next one as a whole or not at all. */
async function requireCopies(dataDir: string, copies: number): Promise<void> {
  await using server = await serve({ dataDir, env: ENV });
  const client = server.client(agent.key);
  const count = async (folder: string) => {
    const target = `/v0/files?drive_id=${agent.drive}&prefix=${folder}&limit=1`;
    return (await client.get<{ total: number }>(target)).total;
  };
  for (let n = 0; n < copies; n++) expect([n, await count(`copy ${n}/`)]).toEqual([n, FILES]);
  // What was cut off in pieces is undone before anything else gets into the folder.
  const next = `copy ${copies}/`;
  expect(await put(client, agent.drive, `${next}new.bin`, contentOf("new", 1000))).toBe(201);
  expect([1, FILES + 1]).toContain(await count(next));
  expect(await server.stop()).toBe(0);
  expect(await verified(dataDir)).toEqual([]);
}

describe.skipIf(NO_STRACE !== "")(withReason("a checkpoint", NO_STRACE), () => {
  test.each([
    ...["1", "2", "10", "100"].map((when) => ({ calls: "pwrite64", when })),
    { calls: "fsync,fdatasync", when: "1" },
  ])("that is killed at %o of the database's file loses nothing that was answered", async (calls) => {
    await using server = await start();
    const injection = await Injection.into(server, { ...calls, error: "KILL", file: "coffer.db" });
    const copies = await copyUntilItFails(server.client(agent.key));
    await server.exited;
    expect(await injection.hits()).toHaveLength(1);
    // The copy that was cut off is noted.
    const found = await verified(server.dataDir);
    expect(found.filter((line) => !line.startsWith("note a copy"))).toEqual([]);
    await requireCopies(server.dataDir, copies);
  });

  test.each(["pwrite64", "fsync,fdatasync"])(
    "whose %s of the database's file fails: nothing is written any more, and nothing answered is lost",
    async (calls) => {
      await using server = await start();
      const client = server.client(agent.key);
      await Injection.into(server, { calls, error: "EIO", when: "1", file: "coffer.db" });
      const copies = await copyUntilItFails(client);
      expect(await put(client, agent.drive, "new.bin", contentOf("new", 1000))).toBe(503);
      expect(await server.stop()).toBe(1);
      expect(server.stdout.text).toMatch(/the disk failed.*a checkpoint failed/);
      await requireCopies(server.dataDir, copies);
    },
  );

  test("syncs the log before it writes to the database's file, and that before the log begins anew", async () => {
    await using server = await start();
    const client = server.client(agent.key);
    const path = `${server.dataDir}.trace`;
    await attachStrace(server, ["-s", "0", "-y", "-e", "trace=pwrite64,fsync,fdatasync", "-o", path]);
    // The log begins anew with the first write after a checkpoint of all of it.
    let copies = 0;
    await eventually(async () => {
      expect(await copyTo(client, `copy ${(copies += 1)}/`)).toBe(201);
      return callsOf(await Bun.file(path).text()).some(({ what }) => what === "log begun");
    });
    const calls = callsOf(await Bun.file(path).text());
    const begun = calls.findIndex(({ what }) => what === "log begun");
    const thread = calls.find(({ what }) => what === "database written")?.thread;
    const ofCheckpoints = calls.slice(0, begun).filter((call) => call.thread === thread);
    const steps = ofCheckpoints.map(({ what }) => what).filter((what, at, all) => what !== all[at - 1]);
    for (const [at, what] of steps.entries()) {
      if (what === "database written") expect(steps[at - 1]).toBe("log synced");
    }
    expect(steps.slice(-2)).toEqual(["database written", "database synced"]);
    await server.stop();
  });
});

type What = "log begun" | "log synced" | "database written" | "database synced";

interface Call {
  readonly thread: string;
  readonly what: What;
}

/** What matters of a trace, in order. A call that another interrupts counts when it ends. */
function callsOf(trace: string): Call[] {
  const syncing = new Map<string, What>();
  return trace.split("\n").flatMap((line): Call[] => {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (/^pwrite64\(\d+<[^>]*coffer\.db-wal>.*, 32, 0/.test(call)) return [{ thread, what: "log begun" }];
    if (/^pwrite64\(\d+<[^>]*coffer\.db>/.test(call)) return [{ thread, what: "database written" }];
    const [, file] = /^(?:fsync|fdatasync)\(\d+<[^>]*coffer\.(db|db-wal)>/.exec(call) ?? [];
    const synced = file === "db" ? "database synced" : "log synced";
    if (file !== undefined && !call.includes("unfinished")) return [{ thread, what: synced }];
    if (file !== undefined) syncing.set(thread, synced);
    if (!/^<\.\.\. (fsync|fdatasync) resumed>/.test(call)) return [];
    const what = syncing.get(thread);
    syncing.delete(thread);
    return what === undefined ? [] : [{ thread, what }];
  });
}
