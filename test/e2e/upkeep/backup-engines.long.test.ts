import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { completeIn, heldIn, startFilled, succeed, upload } from "../../support/faults/backups.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { contentOf, heldBy, put } from "../../support/faults/faults.ts";
import { verified } from "../../support/faults/verified.ts";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { FaultProxy } from "../../support/peers/fault-proxy.ts";
import { EACH_FAULT, type ProxyFault } from "../../support/peers/proxy-faults.ts";
import { clientOf, newBucket, openEngine, type S3Engine } from "../../support/peers/s3-engine.ts";
import { NO_SWIFT, startSwift } from "../../support/peers/swift.ts";
import { contentsIn } from "../../support/samples/contents.ts";
import { run } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";

/** Bytes: what any client sends in parts. */
const LARGE = 80 * 1024 * 1024;
/** One in the database, and two that are files of their own. */
const FILES = 3;
/** How many backups are made, most of which are killed. */
const BACKUPS = 40;
/** More requests than a backup of so few files makes. */
const MOST_REQUESTS = 60;
/** Each fault is tried in every fourth request, so that each request has a quarter of them: a trial is many processes. */
const EVERY = 4;
const TIMEOUT_MS = 900_000;

const KEEPS_BACKUPS = "keeps backups like a directory, also of what is sent in parts";

type Tried = ProxyFault | "another object";

const FAULTS: readonly Tried[] = [...EACH_FAULT, "another object"];

/** Whether a command may end with a fault: a list that cannot be right is not asked for again. */
function mayEnd(fault: Tried): boolean {
  return fault !== "another object" && fault.kind === "flipped" && fault.body === "answer";
}

describe.skipIf(NO_CEPH !== "")(withReason("Ceph", NO_CEPH), () => {
  const ceph = openEngine(startCeph);

  test(KEEPS_BACKUPS, () => keepBackups(ceph()));

  test("whichever backup is killed, no content is collected that one needs whose contents stay there", () =>
    killBackups(ceph()));

  // They wait more than they work.
  test.concurrent.each(FAULTS.entries().toArray())(
    "fault %d: a backup and a restore are whole, or may be done again, whichever request has %j",
    async (at, fault) => {
      await using t = await startFaulty(ceph(), fault);
      const first = 1 + (at % EVERY);
      expect(await untilUnhit(first, (n) => t.backUp(n))).toBeGreaterThan(FILES);
      expect(await untilUnhit(first, (n) => t.restore(n))).toBeGreaterThan(FILES);
    },
    TIMEOUT_MS,
  );
});

describe.skipIf(NO_SWIFT !== "")(withReason("Swift", NO_SWIFT), () => {
  const swift = openEngine(startSwift);

  test(KEEPS_BACKUPS, () => keepBackups(swift()));
});

async function keepBackups(engine: S3Engine): Promise<void> {
  const { env } = engine;
  await using t = await startFilled(12);
  const { client, drive } = t.agent;
  const where = `s3://${await newBucket(engine)}/some/where`;
  const args = ["backup", where, "--data-dir", t.dataDir];
  expect(await put(client, drive, "large", contentOf("large", LARGE))).toBe(201);
  expect(await succeed(args, { env })).toContain("new there: 9.");
  await upload(t.agent, 3, 50);
  expect(await succeed([...args, "--keep", "1"], { env })).toMatch(
    /new there: 2\.\nRemoved what is no longer kept\. Backups: 1; contents: 0/,
  );
  const held = await heldBy(client, drive);
  await succeed(["restore", where, "--data-dir", t.at("restored")], { env });
  expect(await verified(t.at("restored"))).toEqual([]);
  expect(await heldIn(t.at("restored"), t.agent)).toEqual(held);
}

async function killBackups(engine: S3Engine): Promise<void> {
  const bucket = await newBucket(engine);
  const env = {
    ...engine.env,
    COFFER_BLOBS: `s3://${bucket}/contents`,
    COFFER_KEEP_DAYS: "0",
    COFFER_SWEEP_INTERVAL: "50ms",
  };
  await using t = await startFilled(FILES, env);
  const { client, drive } = t.agent;
  const objects = clientOf(engine.env, bucket);
  const place = t.at("place");
  const args = ["backup", place, "--keep", "2", "--data-dir", t.dataDir];
  const began = performance.now();
  await succeed(args, { env });
  const usualMs = performance.now() - began;
  let kills = 0;
  for (let n = 0; n < BACKUPS; n++) {
    expect(await put(client, drive, "f", contentOf(`f ${n}`, 50_000))).toBe(201);
    const seconds = String((usualMs / 1000) * (0.2 + (1.8 * n) / BACKUPS));
    const { code } = await run(args, { env, wrapper: ["timeout", "-s", "KILL", seconds] });
    if (code !== 0) kills += 1;
    await client.delete(`/v0/files/by-path?drive_id=${drive}&path=f`);
    await collected(t.dataDir);
    for (const id of await completeIn(place)) {
      // It ends with 1 if a content is missing.
      await succeed(["restore", place, "--backup", id, "--data-dir", t.at("restored")], { env });
      await rm(t.at("restored"), { recursive: true });
    }
  }
  expect([kills > 5, kills < BACKUPS]).toEqual([true, true]);
  await succeed(["backup", place, "--keep", "1", "--data-dir", t.dataDir], { env });
  const namesIn = async (prefix: string) =>
    (await objects.list({ prefix })).contents?.map(({ key }) => basename(key)) ?? [];
  expect(await namesIn("contents/leases/")).toEqual(await completeIn(place));
  const needed = rowsIn(t.dataDir, "SELECT digest FROM blob WHERE size > 16384 ORDER BY digest").flat();
  await eventually(async () => Bun.deepEquals(await namesIn("contents/blobs/"), needed));
}

/** Resolves once the server has forgotten what no file has, as if that, and the end of a killed backup, were long ago. */
async function collected(dataDir: string): Promise<void> {
  changeDatabase(dataDir, "DELETE FROM backup_lease");
  await eventually(async () => {
    changeDatabase(dataDir, "UPDATE blob SET orphaned_at = 1 WHERE refs = 0");
    return rowsIn(dataDir, "SELECT pk FROM blob WHERE refs = 0").length === 0;
  });
}

/** Tries a request, the fourth after it, and so on, until there is none; the number that there was none with. */
async function untilUnhit(first: number, isHit: (n: number) => Promise<boolean>): Promise<number> {
  for (let n = first; n < MOST_REQUESTS; n += EVERY) if (!(await isHit(n))) return n;
  throw new Error("there were more requests than this can make");
}

function digestsIn(dataDir: string): Set<string> {
  return new Set(contentsIn(dataDir).map(({ digest }) => digest));
}

/** A bucket of an engine, and a proxy before it, with a fault in one request of a command. */
async function openFaulty(engine: S3Engine, fault: Tried) {
  const proxy = await FaultProxy.before(engine.env.S3_ENDPOINT);
  const env = { ...engine.env, S3_ENDPOINT: proxy.endpoint };
  const bucket = await newBucket(engine);
  await clientOf(engine.env, bucket).write("another", "what no backup has");
  const target = clientOf(env, bucket).presign("another").slice(proxy.endpoint.length);
  const rule =
    fault === "another object" ? ({ fault: { kind: "foreign", target }, method: "GET" } as const) : { fault };
  return {
    bucket,
    /** Runs a command whose nth request has the fault. */
    run: async (n: number, args: readonly string[]) => {
      proxy.clear();
      proxy.inject({ ...rule, from: n });
      const ended = await run(args, { env });
      return { ...ended, isHit: proxy.requests.some((request) => request.fault !== null) };
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** A server with some files and a backup, and an engine with a fault. */
async function startFaulty(engine: S3Engine, fault: Tried) {
  await using opened = new AsyncDisposableStack();
  const { bucket, ...faulty } = opened.use(await openFaulty(engine, fault));
  const { dataDir, at } = opened.use(await startFilled(FILES));
  const restored = at("restored");
  const backUp = (place: string) => ["backup", `s3://${bucket}/${place}`, "--data-dir", dataDir];
  const restore = (place: string) => ["restore", `s3://${bucket}/${place}`, "--data-dir", restored];
  const requireWhole = async () => {
    expect(await verified(restored)).toEqual([]);
    expect(digestsIn(restored)).toEqual(digestsIn(dataDir));
  };
  const requireEnd = ({ code, stderr }: Awaited<ReturnType<typeof faulty.run>>, n: number, said: RegExp) => {
    const ended = mayEnd(fault) && code !== 0 ? [n, 1, expect.stringMatching(said)] : [n, 0, ""];
    expect([n, code, stderr]).toEqual(ended);
  };
  const removeRestored = () => rm(restored, { recursive: true, force: true });
  const requireRestorable = async (place: string) => {
    await succeed(restore(place), engine);
    await requireWhole();
    await removeRestored();
  };
  await succeed(backUp("place"), engine);
  const owned = opened.move();
  return {
    /** Makes a backup in a new place, with the fault in its nth request, and again if it failed. Whether it had so many requests. */
    backUp: async (n: number): Promise<boolean> => {
      const place = `place-${n}`;
      const ended = await faulty.run(n, backUp(place));
      requireEnd(ended, n, /^coffer: .+\n$/);
      if (ended.code !== 0) await succeed(backUp(place), engine);
      await requireRestorable(place);
      return ended.isHit;
    },
    /** Restores a backup, with the fault in its nth request. Whether it had so many. */
    restore: async (n: number): Promise<boolean> => {
      const ended = await faulty.run(n, restore("place"));
      // Files that are damaged are named before.
      requireEnd(ended, n, /^( {2}.+\n)*coffer: .+\n$/);
      const isDone = existsSync(join(restored, "coffer.db"));
      if (!isDone) await succeed(restore("place"), engine);
      if (ended.code === 0 || !isDone) await requireWhole();
      await removeRestored();
      return ended.isHit;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
