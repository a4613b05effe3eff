import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { requireBucketSwept } from "../../support/faults/bucket-left.ts";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { FaultProxy } from "../../support/peers/fault-proxy.ts";
import { EACH_FAULT, type ProxyFault } from "../../support/peers/proxy-faults.ts";
import { newBucket, openEngine, type S3Engine, settingsIn } from "../../support/peers/s3-engine.ts";
import { optionsFor } from "../../support/peers/s3-options.ts";
import { newContent, requireContent } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { inShell, run, serve, signUp } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const MIB = 1024 * 1024;
/** One that is sent without a look, one after it, and one in parts. */
const SIZES = [20_000, 2 * MIB, 20 * MIB];
const HELD: readonly ProxyFault[] = (["before", "upload", "after"] as const).map((when) => ({
  kind: "held",
  when,
}));
/** More requests than an upload or a start makes. */
const MOST_REQUESTS = 30;

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** A store in a bucket of an engine, with a proxy before it. */
async function openStore(engine: S3Engine) {
  await using opening = new AsyncDisposableStack();
  const proxy = opening.use(await FaultProxy.before(engine.env.S3_ENDPOINT));
  const { dataDir } = opening.use(await temporaryDirectory(FAST_DIRECTORY));
  const bucket = await newBucket(engine);
  const settings = {
    ...engine.env,
    S3_ENDPOINT: proxy.endpoint,
    COFFER_BLOBS: `s3://${bucket}/one`,
    COFFER_BLOB_GRACE: "1m",
    COFFER_KEEP_DAYS: "0",
  };
  const closing = opening.move();
  return {
    proxy,
    dataDir,
    options: optionsFor({ settings: settingsIn(engine.env) }, { bucket, prefix: "one/" }),
    /** Sweeps come when they are asked for, and not amid the requests that are counted. */
    start: (sweepInterval = "24h") =>
      serve({ dataDir, env: { ...settings, COFFER_SWEEP_INTERVAL: sweepInterval } }),
    /** Starts with a fault in the nth request: killed once that is held, or refused, or stopped. Whether it was hit. */
    startWith: async (fault: ProxyFault, n: number): Promise<boolean> => {
      proxy.clear();
      proxy.inject({ fault, from: n });
      const pidFile = join(dirname(dataDir), "pid");
      const wrapper = inShell(`echo $$ > ${pidFile}`);
      const starting = serve({ dataDir, env: settings, wrapper }).catch(asError);
      const isHeld = await Promise.race([starting.then(() => false), proxy.held.then(() => true)]);
      if (isHeld) process.kill(Number(await Bun.file(pidFile).text()), "SIGKILL");
      const started = await starting;
      if (!(started instanceof Error)) await started.stop();
      else if (!isHeld) expect(started.message).toContain("coffer: ");
      return proxy.requests.some((request) => request.fault !== null);
    },
    verify: () => run(["verify", "--full"], { dataDir, env: settings }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Kills a server while each request of an upload is held, and repeats every other upload. */
async function killAtEachRequest(engine: S3Engine): Promise<void> {
  await using t = await openStore(engine);
  let server = await t.start();
  try {
    const { key, drive, client } = await signUp(server, "ada");
    // Sweeps know a store by its contents, and the first upload finds out what the engine takes.
    for (let n = 0; n < 40; n += 1) await client.put(drive, `kept/${n}.bin`, newContent(20_000));
    const kept = new Map<string, string>();
    for (const size of SIZES) {
      for (const fault of HELD) {
        let kills = 0;
        for (let n = 1; n < MOST_REQUESTS; n += 1) {
          const path = `${size}-${fault.kind === "held" ? fault.when : ""}-${n}.bin`;
          const content = newContent(size);
          // What a new process asks first is no part of an upload.
          await server.client(key).store(drive, "first.bin", newContent(20_000));
          t.proxy.clear();
          t.proxy.inject({ fault, from: n });
          const upload = server
            .client(key)
            .store(drive, path, content)
            .catch((error: unknown) => error);
          const isHeld = await Promise.race([upload.then(() => false), t.proxy.held.then(() => true)]);
          if (!isHeld) {
            expect(await upload).toBeString();
            kept.set(path, hashOf(content));
            break;
          }
          kills += 1;
          await server.kill();
          expect(await upload).toBeInstanceOf(Error);
          t.proxy.clear();
          server = await t.start();
          const now = server.client(key);
          const there = await now.status("GET", `/v0/files/by-path?drive_id=${drive}&path=${path}`);
          expect([path, there]).toEqual([path, 404]);
          if (n % 2 === 0) continue;
          await now.put(drive, path, content);
          kept.set(path, hashOf(content));
        }
        expect(kills).toBeGreaterThan(0);
      }
    }
    await server.stop();
    server = await t.start("20ms");
    for (const [path, hash] of kept) {
      const answer = await server
        .client(key)
        .fetch("GET", `/v0/files/by-path/download?drive_id=${drive}&path=${path}`);
      expect([path, hashOf(await answer.bytes())]).toEqual([path, hash]);
    }
    await requireBucketSwept(t.dataDir, t.options);
    expect(await server.stop()).toBe(0);
    expect(await t.verify()).toMatchObject({ code: 0, stdout: expect.stringContaining("findings: 0") });
  } finally {
    await server.kill();
  }
}

/** The first start of a store and another one, with a fault in each request of them; the next one must be right. */
async function startWithFaults(engine: S3Engine, fault: ProxyFault): Promise<void> {
  for (let n = 1, isHit = true; isHit; n += 1) {
    expect(n).toBeLessThan(MOST_REQUESTS);
    await using t = await openStore(engine);
    const hits: boolean[] = [];
    for (const name of ["ada", "bob"]) {
      hits.push(await t.startWith(fault, n));
      t.proxy.clear();
      await using server = await t.start();
      const { drive, client } = await signUp(server, name);
      const content = newContent(20_000);
      const { id } = await client.put(drive, "a.bin", content);
      await requireContent(client, { id, content });
      expect(await server.stop()).toBe(0);
    }
    isHit = hits.includes(true);
  }
}

describe.skipIf(NO_CEPH !== "")(withReason("Ceph", NO_CEPH), () => {
  const ceph = openEngine(startCeph);

  test(
    "a kill at any request of an upload names nothing wrong, and leaves nothing once all is swept",
    () => killAtEachRequest(ceph()),
    900_000,
  );

  test.each([...EACH_FAULT, ...HELD])(
    "a start whose request to the bucket has the fault %j ends well, or may be made again",
    (fault) => startWithFaults(ceph(), fault),
    300_000,
  );
});
