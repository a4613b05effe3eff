import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { RETRY_PAUSES_MS } from "../../../src/domain/contents/extraction.ts";
import { DAY_MS } from "../../../src/domain/time.ts";
import { BUCKET_GRACE_MS, ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { always, type S3Fault, S3Server, SLOW_DOWN } from "../../support/peers/s3-server.ts";
import { newContent } from "../../support/samples/contents.ts";
import { pdf, pdfLines } from "../../support/samples/documents.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { turnedJpeg } from "../../support/samples/pictures.ts";
import { KEEPS_NOTHING, startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { eventually, provision } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";

const SIZE = 100_000;
/** After this time every text is due that is to be read again. */
const PAUSE_MS = Math.max(...RETRY_PAUSES_MS);
/** How many shards there are: a sweep looks at one. */
const SHARDS = 256;

/** A Coffer whose contents are in a bucket. @param more settings */
async function openWith(more: Record<string, string> = {}) {
  await using opening = new AsyncDisposableStack();
  const opened: TestAppliance[] = [];
  // That of threads, whose requests the bucket refuses while another time is set.
  const startsAt = Date.now();
  const clock = { now: () => opened[0]?.clock.now() ?? startsAt };
  const bucket = opening.use(await S3Server.start("a-bucket", { clock }));
  const settings = { blobs: "s3://a-bucket/one", ...KEEPS_NOTHING, ...more };
  const coffer = opening.use(
    await startAppliance(settings, { env: bucket.env, prepare: async () => startsAt }),
  );
  opened.push(coffer);
  const { id: drive, key } = await provision(coffer);
  const client = () => coffer.client(key);
  const closing = opening.move();
  return {
    coffer,
    drive,
    bucket,
    put: (path: string, content: Uint8Array<ArrayBuffer>) => client().put(drive, path, content),
    remove: (id: string) => client().json(200, "DELETE", `/v0/files/${id}`),
    /** What a path of the drive answers, read whole. */
    ask: (path: string) => client().send("GET", `/v0/${path}`),
    /** Has the texts read again that are due once the time has passed, or was set back. */
    retryAfter: (ms: number) => {
      coffer.clock.advance(ms);
      return coffer.appliance.services.indexer.retryDocuments();
    },
    /** How often a text was read in vain. */
    tries: () => rowsIn(coffer.dataDir, "SELECT tries FROM document_retry").flat()[0],
    finds: async (word: string) => {
      const found = await client().get<{ total: number }>(`/v0/search?drive_id=${drive}&q=${word}`);
      return found.total === 1;
    },
    download: async (id: string) => {
      const answer = await client().fetch("GET", `/v0/files/${id}/download`);
      return { status: answer.status, bytes: await answer.bytes() };
    },
    blobs: () => [...bucket.objects.keys()].filter((name) => name.startsWith("one/blobs/")),
    clearCache: () => rm(join(coffer.dataDir, "cache"), { recursive: true, force: true }),
    sweep: (ms: number) => {
      coffer.clock.advance(ms);
      return coffer.appliance.services.sweep.run();
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const it = testWith(() => openWith());

describe("what no file uses any more", () => {
  it("stays for a week, and is found again until then", async (t) => {
    const content = newContent(SIZE);
    const { id } = await t.put("a.bin", content);
    await t.remove(id);
    await t.sweep(0);
    await t.sweep(ORPHAN_GRACE_MS);
    await t.sweep(BUCKET_GRACE_MS - ORPHAN_GRACE_MS - 1);
    expect(t.blobs()).toHaveLength(1);
    await t.sweep(1);
    expect(t.blobs()).toEqual([]);
  });

  it("as a stray of a crash goes after the same time, a shard with each sweep", async (t) => {
    const { id } = await t.put("a.bin", newContent(SIZE));
    const [known = ""] = t.blobs();
    const digest = basename(known);
    const names = ["old", "young"].map(
      (name) => `one/blobs/${digest.slice(0, 2)}/${digestLike(digest, name)}`,
    );
    const [old = "", young = ""] = names;
    for (const name of names) t.bucket.objects.set(name, new Uint8Array(1));
    const now = t.coffer.clock.now();
    t.bucket.writtenAt.set(old, now - BUCKET_GRACE_MS).set(young, now - BUCKET_GRACE_MS + DAY_MS);
    // The database must know as many as it does not.
    for (let n = 0; n < 3; n++) await t.put(`${n}.bin`, newContent(SIZE));
    t.bucket.asked.splice(0);
    for (let n = 0; n < SHARDS; n++) await t.sweep(0);
    expect([t.bucket.objects.has(old), t.bucket.objects.has(young), t.bucket.objects.has(known)]).toEqual([
      false,
      true,
      true,
    ]);
    const uploads = t.bucket.asked.filter((asked) => asked.includes("uploads"));
    expect(uploads.length).toBeLessThanOrEqual(2);
    expect((await t.download(id)).status).toBe(200);
  });

  it("is not forgotten while the bucket is away", async (t) => {
    const { id } = await t.put("a.bin", newContent(SIZE));
    const other = await t.put("b.bin", newContent(SIZE));
    await t.remove(id);
    await t.sweep(0);
    await t.clearCache();
    t.bucket.fault = always(SLOW_DOWN);
    for (let n = 0; n < 2; n++) expect((await t.download(other.id)).status).toBe(503);
    t.bucket.asked.splice(0);
    await t.sweep(BUCKET_GRACE_MS);
    expect([t.bucket.asked, t.blobs().length]).toEqual([[], 2]);
    t.bucket.fault = () => null;
    t.coffer.clock.advance(60_000);
    await t.coffer.appliance.services.health.watch();
    await eventually(async () => (await t.coffer.appliance.services.health.problems()).length === 0);
    await t.sweep(0);
    expect(t.blobs()).toHaveLength(1);
  });
});

describe("a bucket", () => {
  it("with wrong bytes: they are refused, told, and healed by the same upload", async (t) => {
    const content = newContent(SIZE);
    const { id } = await t.put("a.bin", content);
    const [name = ""] = t.blobs();
    t.bucket.objects.set(name, content.with(5, 99));
    await t.clearCache();
    for (let n = 0; n < 2; n++) expect((await t.download(id)).status).toBe(500);
    expect(t.coffer.appliance.services.scrub.status().damaged).toBe(1);
    await t.put("again.bin", content);
    expect(t.coffer.appliance.services.scrub.status().damaged).toBe(0);
    expect(Buffer.compare((await t.download(id)).bytes, content)).toBe(0);
  });

  it("with a wrong end of a content that is sent as it comes: the connection is cut, and the next is refused", async (t) => {
    const content = newContent(9_000_000);
    const { id } = await t.put("a.bin", content);
    const [name = ""] = t.blobs();
    t.bucket.objects.set(name, content.with(content.length - 1, 99));
    await t.clearCache();
    expect(await failureOf(t.download(id))).toMatchObject({ code: "ECONNRESET" });
    await eventually(async () => (await t.download(id)).status === 500);
    t.bucket.asked.splice(0);
    expect((await t.download(id)).status).toBe(500);
    expect(t.bucket.asked).toEqual([]);
  });

  it("that is away at a start does not stop it, and is used when it is back", async (t) => {
    const content = newContent(SIZE);
    const { id } = await t.put("a.bin", content);
    await t.clearCache();
    t.bucket.fault = always(SLOW_DOWN);
    await t.coffer.restart();
    expect((await t.download(id)).status).toBe(503);
    const ready = await t.coffer.client().send("GET", "/readyz");
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining("disk_unavailable")]);
    expect(t.coffer.lines.filter((line) => line.includes("the bucket cannot be used"))).toHaveLength(1);
    t.bucket.fault = () => null;
    t.coffer.clock.advance(60_000);
    await t.coffer.appliance.services.health.watch();
    await eventually(() => t.coffer.lines.some((line) => line.includes("the bucket of contents is back")));
    expect(Buffer.compare((await t.download(id)).bytes, content)).toBe(0);
  });
});

test("a text that cannot be read from the bucket is read again until it is found", async () => {
  await using t = await openWith({ "blob-cache": "0" });
  t.bucket.fault = cutOff;
  const text = `needle ${"straw ".repeat(20_000)}`;
  await t.put("a.txt", Uint8Array.from(Buffer.from(text)));
  // More often than what fails for another reason.
  for (let n = 1; n <= RETRY_PAUSES_MS.length; n++) {
    await eventually(() => t.tries() === n);
    await t.retryAfter(PAUSE_MS);
  }
  await eventually(() => t.tries() === RETRY_PAUSES_MS.length + 1);
  t.bucket.fault = () => null;
  await t.retryAfter(-PAUSE_MS * RETRY_PAUSES_MS.length);
  await eventually(() => t.finds("needle"));
  expect(t.coffer.lines.filter((line) => line.includes("could not be indexed"))).toEqual([]);
});

test("a content that was cut off on its way is drawn, read, packed and found once it comes whole", async () => {
  await using t = await openWith({ "blob-cache": "0" });
  t.bucket.fault = cutOff;
  const picture = await t.put("a.jpg", await turnedJpeg("x".repeat(40_000)));
  const lines = Array.from({ length: 4000 }, (_, n) => `needle ${n} in a large document`);
  const document = await t.put("b.pdf", pdf([pdfLines(...lines)]));
  const paths = [
    `files/${picture.id}/thumbnail`,
    `files/${document.id}/extract`,
    `archive?drive_id=${t.drive}`,
  ];
  for (const path of paths) expect([path, (await t.ask(path)).status]).toEqual([path, 503]);
  await eventually(() => t.tries() === 1);
  t.bucket.fault = () => null;
  for (const path of paths) expect([path, (await t.ask(path)).status]).toEqual([path, 200]);
  await t.retryAfter(PAUSE_MS);
  await eventually(() => t.finds("needle"));
  expect(t.coffer.appliance.services.scrub.status().damaged).toBe(0);
});

/** A fault with which no content comes. */
function cutOff(asked: string): S3Fault | null {
  return asked.startsWith("GET one/blobs") ? { kind: "cut-body", after: 0 } : null;
}

/** Another digest of the same shard. */
function digestLike(digest: string, name: string): string {
  return digest.slice(0, 2) + new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(2);
}
