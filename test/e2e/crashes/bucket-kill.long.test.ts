import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  objectsIn,
  namedIn,
  requireBucketSwept,
  requireRightCache,
} from "../../support/faults/bucket-left.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { contentsOf, FileWriter, type LoadContent, pick } from "../../support/faults/mixed-load.ts";
import { ageOrphans, temporariesIn } from "../../support/faults/nothing-left.ts";
import { verified } from "../../support/faults/verified.ts";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { newBucket, openEngine, type S3Engine, settingsIn } from "../../support/peers/s3-engine.ts";
import { optionsFor } from "../../support/peers/s3-options.ts";
import { newContent } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import type { Client } from "../../support/server/client.ts";
import { type Server, serve, signUp } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** `KILLS=500 bun test …` tries more. */
const KILLS = Number(process.env["KILLS"] ?? 40);
const TIMEOUT_MS = KILLS * 20_000;
const KIB = 1024;
const MIB = KIB * KIB;
/** In the database, sent whole, read before they are sent, passed on as they come, and sent in parts. */
const SIZES = [KIB, KIB, 16 * KIB + 1, 100 * KIB, 100 * KIB, MIB, 3 * MIB, 9 * MIB, 20 * MIB];
const WRITERS = 4;
/** The server is killed after so many answers at most, and so many milliseconds. */
const ANSWERS = 40;
const LATER_MS = 40;
/** After so many kills all bytes in the bucket are read. */
const READ = 20;
/** After so many the cache is empty. */
const COLD = 5;
/** Sweeps know a store by its other contents. */
const KEPT = 40;

const SHARED = contentsOf(SIZES);

/** Often one that others upload too, and perhaps is just being removed. */
function anyContent(): LoadContent {
  if (Math.random() < 0.6) return pick(SHARED);
  const bytes = newContent(pick(SIZES));
  return { bytes, hash: hashOf(bytes) };
}

/** Downloads any file of a writer. What comes whole is what its ETag says. */
async function readAny(client: Client, drive: string): Promise<void> {
  const folder = `w${Math.floor(Math.random() * WRITERS)}/`;
  const paths = await client.paths(`/v0/files?drive_id=${drive}&prefix=${folder}&limit=100`);
  if (paths.length === 0) return;
  const path = `/v0/files/by-path/download?drive_id=${drive}&path=${pick(paths)}`;
  const answer = await client.fetch("GET", path);
  const bytes = await answer.bytes();
  // It may be gone by now.
  if (answer.status === 404) return;
  expect([path, answer.status, answer.headers.get("etag")]).toEqual([
    path,
    200,
    expect.stringContaining(hashOf(bytes)),
  ]);
}

/** All at once, until the server is killed amid them. Returns how many were cut off in a request. */
async function workUntilKilled(server: Server, agents: readonly (() => Promise<void>)[]): Promise<number> {
  const last = 1 + Math.floor(Math.random() * ANSWERS);
  let answers = 0;
  const killed = { is: false };
  const kills: Promise<void>[] = [];
  // The moment is chosen by chance, and is none that an agent knows.
  const killSoon = async () => {
    await Bun.sleep(Math.random() * LATER_MS);
    killed.is = true;
    await server.kill();
  };
  const work = async (agent: () => Promise<void>): Promise<boolean> => {
    while (!killed.is) {
      try {
        await agent();
      } catch (error) {
        if (killed.is && error instanceof Error && "code" in error) return true;
        throw error;
      }
      answers += 1;
      if (answers === last) kills.push(killSoon());
    }
    return false;
  };
  const wereCutOff = await Promise.all(agents.map(work));
  await Promise.all(kills);
  return wereCutOff.filter(Boolean).length;
}

async function killAgainAndAgain(engine: S3Engine): Promise<void> {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { dataDir } = place;
  const bucket = await newBucket(engine);
  const s3 = optionsFor({ settings: settingsIn(engine.env) }, { bucket, prefix: "one/" });
  const env = {
    ...engine.env,
    COFFER_BLOBS: `s3://${bucket}/one`,
    COFFER_BLOB_GRACE: "1m",
    COFFER_KEEP_DAYS: "0",
    COFFER_SWEEP_INTERVAL: "20ms",
  };
  const start = () => serve({ dataDir, env });
  let server = await start();
  try {
    const { key, drive, client } = await signUp(server, "ada");
    for (let n = 0; n < KEPT; n += 1) await client.put(drive, `kept/${n}.bin`, newContent(20_000));
    const writers = Array.from({ length: WRITERS }, (_, n) => new FileWriter(drive, `w${n}/`, anyContent));
    let cutOff = 0;
    for (let round = 1; round <= KILLS; round += 1) {
      const now = server.client(key);
      cutOff += await workUntilKilled(server, [
        ...writers.map((writer) => () => writer.write(now)),
        async () => {
          await readAny(now, drive);
          ageOrphans(dataDir);
        },
      ]);
      await requireRightCache(dataDir);
      if (round % COLD === 0) await rm(join(dataDir, "cache"), { recursive: true });
      const left = await temporariesIn(dataDir);
      server = await start();
      expect((await temporariesIn(dataDir)).filter((name) => left.includes(name))).toEqual([]);
      await eventually(() => rowsIn(dataDir, "SELECT 1 FROM folder_work").length === 0);
      for (const writer of writers) await writer.check(server.client(key));
      await writers[round % writers.length]?.readAll(server.client(key));
      if (round % READ === 0) expect(await verified(dataDir, { s3, depth: "bytes" })).toEqual(NOTHING_FOUND);
    }
    // Else the moments of the kills were badly chosen.
    expect(cutOff).toBeGreaterThan(KILLS / 2);
    for (const writer of writers) await writer.readAll(server.client(key));
    const uploads = await requireBucketSwept(dataDir, s3);
    expect(await server.stop()).toBe(0);
    expect(await objectsIn(s3)).toEqual(namedIn(dataDir));
    expect(await verified(dataDir, { s3, depth: "bytes" })).toEqual(NOTHING_FOUND);
    expect(server.stdout.text).not.toContain('"level":"error"');
    process.stderr.write(`${KILLS} kills cut off ${cutOff} requests, and left ${uploads} uploads in parts\n`);
  } finally {
    await server.kill();
  }
}

/** `coffer verify` only says what it reads. */
const NOTHING_FOUND = [expect.stringMatching(/^note all \d+ bytes of the \d+ contents/)];

describe.skipIf(NO_CEPH !== "")(withReason("Ceph", NO_CEPH), () => {
  const ceph = openEngine(startCeph);

  test(
    "kills amid uploads, downloads and sweeps lose nothing that was answered, and leave nothing once all is swept",
    () => killAgainAndAgain(ceph()),
    TIMEOUT_MS,
  );
});
