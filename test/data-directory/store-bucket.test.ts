import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { BUCKET_GRACE_MS, ORPHAN_GRACE_MS } from "../../src/services/upkeep/sweep.ts";
import { always, S3Server, SLOW_DOWN } from "../support/peers/s3-server.ts";
import { fileOf, filesIn, newContent } from "../support/samples/contents.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { hashOf } from "../support/samples/hash.ts";
import { KEEPS_NOTHING, startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import { eventually, provision } from "../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { testWith } from "../support/server/test-with.ts";

const LARGE = 40_000;
const BUCKET = "s3://a-bucket/p";

/** A Coffer whose contents are in the data directory, with a bucket and an empty disk for later. */
const it = testWith(async () => {
  await using opening = new AsyncDisposableStack();
  const opened: TestAppliance[] = [];
  // The store's clock is that of the server.
  const clock = { now: () => opened[0]?.clock.now() ?? 0 };
  const bucket = opening.use(await S3Server.start("a-bucket", { clock }));
  const place = opening.use(await temporaryDirectory(FAST_DIRECTORY));
  const disk = join(place.path, "disk");
  await mkdir(disk);
  const env: Record<string, string> = { ...bucket.env };
  const coffer = opening.use(await startAppliance(KEEPS_NOTHING, { env }));
  opened.push(coffer);
  const { id: drive, key } = await provision(coffer);
  const target = (path: string) => `/v0/files/by-path?drive_id=${drive}&path=${path}`;
  const closing = opening.move();
  return {
    coffer,
    bucket,
    disk,
    env,
    use: (blobs: string) => coffer.restart({ blobs }),
    /** Stores a content in a file. */
    store: async (path: string, bytes = newContent(LARGE)) => {
      await coffer.client(key).put(drive, path, bytes);
      return { digest: hashOf(bytes), bytes };
    },
    remove: (path: string) => coffer.client(key).delete(target(path)),
    /** The status of a download. */
    download: async (path: string) => {
      const answer = await coffer
        .client(key)
        .fetch("GET", target(path).replace("by-path", "by-path/download"));
      await answer.body?.cancel();
      return answer.status;
    },
    /** Makes orphans so old, and sweeps them. */
    sweep: async (ms: number) => {
      const { sweep } = coffer.appliance.services;
      await sweep.run();
      coffer.clock.advance(ms);
      await sweep.run();
    },
    objects: () => [...bucket.objects.keys()],
    recorded: async (): Promise<unknown> => Bun.file(join(coffer.dataDir, "disks")).json(),
    said: (text: string) => coffer.lines.filter((line) => line.includes(text)),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
});

const nameOf = (digest: string) => `p/blobs/${digest.slice(0, 2)}/${digest}`;

it("a disk is left for a bucket: it is read and emptied, gets nothing new, and is forgotten once it is empty", async (t) => {
  const { dataDir } = t.coffer;
  const old = await t.store("old.bin");
  await t.use(BUCKET);
  expect(await t.recorded()).toEqual({ current: [BUCKET], former: ["."] });
  expect(t.said("still holds contents")).toEqual([expect.stringContaining(`"disk":"${dataDir}"`)]);
  const added = await t.store("added.bin");
  expect([t.objects().toSorted(), filesIn(dataDir).length]).toEqual([
    [nameOf(added.digest), "p/identity"],
    1,
  ]);
  expect([await t.download("old.bin"), await t.download("added.bin")]).toEqual([200, 200]);
  await t.remove("old.bin");
  await t.sweep(ORPHAN_GRACE_MS);
  expect(existsSync(fileOf(dataDir, old.digest))).toBe(true);
  await t.sweep(BUCKET_GRACE_MS);
  expect(filesIn(dataDir)).toEqual([]);
  await t.use(BUCKET);
  expect(await t.recorded()).toEqual({ current: [BUCKET], former: [] });
  expect([t.said("is forgotten").length, existsSync(join(dataDir, "blobs/identity"))]).toEqual([1, false]);
  expect(await t.download("added.bin")).toBe(200);
});

it("a bucket is left for a disk: it is read and emptied, keeps what a bucket keeps, and is forgotten beside the server", async (t) => {
  await t.use(BUCKET);
  const old = await t.store("old.bin");
  await t.coffer.restart({ blobs: t.disk, "sweep-interval": "10ms" });
  expect(await t.recorded()).toEqual({ current: [t.disk], former: [BUCKET] });
  expect(t.said("still holds contents")).toEqual([expect.stringContaining(`"disk":"${BUCKET}"`)]);
  const added = await t.store("added.bin");
  expect(filesIn(t.disk).map(({ digest }) => digest)).toEqual([added.digest]);
  expect([await t.download("old.bin"), await t.download("added.bin")]).toEqual([200, 200]);
  await t.remove("old.bin");
  await t.sweep(ORPHAN_GRACE_MS);
  expect(t.objects()).toContain(nameOf(old.digest));
  t.coffer.clock.advance(BUCKET_GRACE_MS);
  await eventually(() => t.said("is forgotten").length === 1);
  await eventually(() => t.objects().length === 0);
  expect(await t.recorded()).toEqual({ current: [t.disk], former: [] });
  expect(existsSync(join(t.coffer.dataDir, "cache"))).toBe(true);
  t.bucket.asked.splice(0);
  await t.use(t.disk);
  expect([await t.download("added.bin"), t.bucket.asked]).toEqual([200, []]);
  expect(existsSync(join(t.coffer.dataDir, "cache"))).toBe(false);
});

it("a former bucket that does not answer at a start, or later, makes only its contents unavailable", async (t) => {
  await t.use(BUCKET);
  await t.store("old.bin");
  await t.use(t.disk);
  await t.store("added.bin");
  t.bucket.fault = always(SLOW_DOWN);
  await t.use(t.disk);
  await Bun.$`rm -rf ${join(t.coffer.dataDir, "cache")}`;
  expect([await t.download("old.bin"), await t.download("added.bin")]).toEqual([503, 200]);
  await t.store("more.bin");
  expect((await t.coffer.client().send("GET", "/readyz")).status).toBe(200);
  expect([await t.recorded(), t.said("the bucket cannot be used").length]).toEqual([
    { current: [t.disk], former: [BUCKET] },
    1,
  ]);
  t.bucket.fault = () => null;
  t.coffer.clock.advance(60_000);
  await t.coffer.appliance.services.health.watch();
  await eventually(async () => (await t.download("old.bin")) === 200);
});

it("a former disk that is away makes only its contents unavailable", async (t) => {
  await t.use(t.disk);
  await t.store("old.bin");
  await t.use(BUCKET);
  await rename(t.disk, `${t.disk}-gone`);
  await t.use(BUCKET);
  await t.store("added.bin");
  expect([await t.download("old.bin"), await t.download("added.bin")]).toEqual([503, 200]);
  await rename(`${t.disk}-gone`, t.disk);
  await t.coffer.appliance.services.health.watch();
  expect(await t.download("old.bin")).toBe(200);
});

it("a start is refused without the credentials of a former bucket, with a second one, and where it lost its contents", async (t) => {
  await t.use(BUCKET);
  await t.store("old.bin");
  const other = refusalOf(t.use("s3://a-bucket/other"));
  expect(await other).toMatch(/The bucket s3:\/\/a-bucket\/p holds contents .*only one bucket/);
  const keys = ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];
  for (const name of keys) delete t.env[name];
  expect(await refusalOf(t.use(t.disk))).toMatch(
    /still holds contents .* no credentials for it\. Set S3_ACCESS/,
  );
  Object.assign(t.env, t.bucket.env);
  const identity = t.bucket.objects.get("p/identity");
  if (identity === undefined) throw new Error("the bucket has no identity");
  // Its contents cannot be known to be the store's any more.
  t.bucket.objects.delete("p/identity");
  await t.use(t.disk);
  await Bun.$`rm -rf ${join(t.coffer.dataDir, "cache")}`;
  expect([await t.download("old.bin"), t.objects().includes("p/identity")]).toEqual([503, false]);
  t.bucket.objects.set("p/identity", identity);
  await t.use(t.disk);
  expect(await t.download("old.bin")).toBe(200);
});
