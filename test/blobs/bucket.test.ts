import { describe, expect, test } from "bun:test";
import { DamagedBlob } from "../../src/blobs/blob-file.ts";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { StoredBucket } from "../../src/blobs/bucket/stored-bucket.ts";
import { plainCredentials } from "../../src/blobs/stored-blobs.ts";
import { BucketBlobs } from "../../src/blobs/bucket/bucket-blobs.ts";
import { newId, type StoreId } from "../../src/domain/id.ts";
import { optionsFor } from "../support/peers/s3-options.ts";
import { always, nth, type S3Fault, SLOW_DOWN } from "../support/peers/s3-server.ts";
import {
  describeBlobStore,
  digestOf,
  type OpenedStore,
  put,
  sampleBytes,
} from "../support/samples/blob-store-contract.ts";
import { failureOf } from "../support/samples/failure.ts";
import { contractStore, openBucket } from "../support/server/open-bucket.ts";
import { testWith } from "../support/server/test-with.ts";

async function openStore(): Promise<OpenedStore> {
  const opened = await openBucket();
  return contractStore(opened, async (name, bytes) => {
    if (bytes === null) opened.server.objects.delete(name);
    else opened.server.objects.set(name, bytes);
  });
}

describeBlobStore({ name: "a bucket", largest: Number.POSITIVE_INFINITY, open: openStore });

const BUCKET_ID = newId<StoreId>(1);
const SIZE = 200_000;
/** Small parts, and a short wait for what does not come. */
const s3 = { partBytes: 64 * 1024, patience: { answerMs: 100, stallMs: 100 } };

const it = testWith(() => openBucket({ s3, store: BUCKET_ID }));

test("a bucket that begins to answer too late is taken for away, and what comes then is dropped", async () => {
  await using opened = await openBucket();
  const { store, server, access } = opened;
  using content = await put(store, sampleBytes(SIZE));
  const blobs = new BucketBlobs(access, 20);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.fault = always({ kind: "late", until: promise });
  const range = { start: 0, end: SIZE };
  for (const ask of [() => blobs.open(content, range), () => blobs.require(content)]) {
    expect(await failureOf(ask)).toMatchObject({ code: "UNAVAILABLE" });
  }
  server.fault = () => null;
  resolve();
  expect((await new BucketBlobs(access).readAll(content)).length).toBe(SIZE);
});

it("gives the address of a content that is not in the cache, and of no other", async ({ store }) => {
  using cached = await put(store, sampleBytes(SIZE, 1));
  const sentAs = { "cache-control": "no-cache", "content-disposition": "attachment", "content-type": "a/b" };
  expect(store.addressOf(cached, 60, sentAs)).toBeNull();
  const address = await store.addressOf({ ...cached, digest: digestOf(sampleBytes(1)) }, 60, sentAs);
  expect(address).toContain("X-Amz-Expires=60");
});

describe("a bucket that is away", () => {
  it("is used again by a thread that nobody tells that it is back", async ({ store, server, ...opened }) => {
    using content = await put(store, sampleBytes(SIZE));
    const places = { cacheDir: null, tmpDir: opened.tmpDir, diskReserve: 0, store: null };
    const { clock } = opened;
    const options = optionsFor(server, { prefix: "a/prefix/", clock });
    const stored = new StoredBucket(
      { ...places, s3: { ...options, credentials: plainCredentials(options.credentials) } },
      clock,
    );
    server.fault = always({ kind: "answer", status: 403, code: "AccessDenied" });
    const read = () => stored.beginning(content, 10);
    expect(await failureOf(read)).toMatchObject({ code: "UNAVAILABLE" });
    server.fault = () => null;
    clock.advance(60_000);
    expect((await read()).length).toBe(10);
  });

  it("is said once, and once again when it is back; meanwhile cached contents are read, and no others", async (opened) => {
    const { store, server, clock, access, told, place } = opened;
    server.objects.set("a/prefix/identity", Buffer.from(`${BUCKET_ID}\n`));
    using lost = await put(store, sampleBytes(SIZE, 2));
    await opened.clearCache();
    using hot = await put(store, sampleBytes(SIZE, 1));
    server.fault = always(SLOW_DOWN);
    for (let n = 0; n < 4; n++) {
      expect(await failureOf(() => wholeOf(store, lost))).toMatchObject({ code: "UNAVAILABLE" });
    }
    expect([told.length, place.isReachable, place.away()]).toEqual([
      1,
      false,
      [{ root: "s3://a-bucket/a/prefix", why: told[0] ?? "" }],
    ]);
    expect(await wholeOf(store, hot)).toEqual(Buffer.from(sampleBytes(SIZE, 1)));
    const asked = server.asked.length;
    expect(await failureOf(() => wholeOf(store, lost))).toMatchObject({ code: "UNAVAILABLE" });
    // Before its body is read.
    expect(await failureOf(() => store.create(SIZE))).toMatchObject({ code: "UNAVAILABLE" });
    expect(await failureOf(() => put(store, sampleBytes(SIZE, 3)))).toMatchObject({ code: "UNAVAILABLE" });
    expect(server.asked.length).toBe(asked);

    server.fault = () => null;
    clock.advance(60_000);
    await access.look();
    expect([told.length, told[1], place.isReachable]).toEqual([2, null, true]);
    expect(await wholeOf(store, lost)).toEqual(Buffer.from(sampleBytes(SIZE, 2)));
  });

  it("is not used when it comes back with another identity, or without one", async (opened) => {
    const { store, server, clock, access } = opened;
    using blob = await put(store, sampleBytes(SIZE));
    await opened.clearCache();
    access.giveUp("it is away");
    for (const identity of ["another\n", null]) {
      if (identity === null) server.objects.delete("a/prefix/identity");
      else server.objects.set("a/prefix/identity", Buffer.from(identity));
      clock.advance(60_000);
      await access.look();
      expect(await failureOf(() => wholeOf(store, blob))).toMatchObject({ code: "UNAVAILABLE" });
    }
    expect(server.asked.filter((asked) => asked.startsWith("GET a/prefix/blobs"))).toEqual([]);
  });

  it("is not used while its credentials are refused; one refused object changes nothing", async (opened) => {
    const { store, server, told, access } = opened;
    server.objects.set("a/prefix/identity", Buffer.from(`${BUCKET_ID}\n`));
    using blob = await put(store, sampleBytes(SIZE));
    await opened.clearCache();
    const denied: S3Fault = { kind: "answer", status: 403, code: "AccessDenied" };
    server.fault = always(denied, /blobs/);
    expect(await failureOf(() => wholeOf(store, blob))).toMatchObject({ code: "UNAVAILABLE" });
    expect([told, access.away]).toEqual([[], null]);
    server.fault = always(denied);
    expect(await failureOf(() => wholeOf(store, blob))).toMatchObject({ code: "UNAVAILABLE" });
    expect(told).toEqual([expect.stringContaining("AccessDenied")]);
    expect(told.join()).not.toContain("secret");
  });
});

describe("in the bucket", () => {
  it("a held content stays while the cache loses it, and leaves nothing", async (opened) => {
    const bytes = sampleBytes(SIZE);
    using blob = await put(opened.store, bytes);
    for (const isHot of [true, false]) {
      if (!isHot) await opened.clearCache();
      await using held = await opened.store.hold(blob);
      await opened.clearCache();
      expect(await held.blob.slice(100, 200).bytes()).toEqual(bytes.subarray(100, 200));
      expect(await held.blob.bytes()).toEqual(bytes);
    }
    expect(opened.temporary()).toEqual([]);
  });

  it("a damaged content is not taken for another one until it is seen that it is", async (opened) => {
    const { store, server } = opened;
    const bytes = sampleBytes(SIZE);
    using blob = await put(store, bytes);
    server.objects.set(opened.nameOf(blob.digest), bytes.with(0, (bytes[0] ?? 0) ^ 1));
    await opened.clearCache();
    const damage = await failureOf(() => wholeOf(store, blob));
    expect(damage).toBeInstanceOf(DamagedBlob);
    const [{ state } = { state: null }] = opened.damages;
    expect(state).not.toBeNull();
    expect(store.hasChanged(blob.digest, state)).toBe(false);
    expect(store.hasChanged(digestOf(sampleBytes(1)), "anything")).toBe(false);
    using healed = await put(store, bytes);
    expect([healed.isWritten, store.hasChanged(blob.digest, state)]).toEqual([true, true]);
  });

  it("a content that may still be removed is not matched nor written, for a while", async (opened) => {
    const { store, server, clock } = opened;
    const bytes = sampleBytes(SIZE);
    const blob = await put(store, bytes);
    blob.unpin();
    server.fault = nth(1, { kind: "answer", status: 403, code: "AccessDenied" });
    expect(await failureOf(() => store.remove(blob.digest))).toMatchObject({ code: "UNAVAILABLE" });
    server.objects.set("a/prefix/identity", Buffer.from(`${BUCKET_ID}\n`));
    await opened.access.look();
    expect(await failureOf(() => put(store, bytes))).toMatchObject({ code: "UNAVAILABLE" });
    clock.advance(60_000);
    await opened.access.look();
    using again = await put(store, bytes);
    expect(await wholeOf(store, again)).toEqual(Buffer.from(bytes));
  });

  it("parts of uploads that a crash has left are removed", async (opened) => {
    const { store, server, clock } = opened;
    server.fault = (asked) => (/^(?:DELETE|PUT)/.test(asked) ? SLOW_DOWN : null);
    expect(await failureOf(() => put(store, sampleBytes(SIZE)))).toMatchObject({ code: "UNAVAILABLE" });
    server.fault = () => null;
    clock.advance(1000);
    expect(server.openUploads).toBe(1);
    server.objects.set("a/prefix/identity", Buffer.from(`${BUCKET_ID}\n`));
    clock.advance(60_000);
    await opened.access.look();
    expect(await store.removeUnfinished(clock.now() - 120_000)).toBe(0);
    expect(await store.removeUnfinished(clock.now())).toBe(1);
    expect(server.openUploads).toBe(0);
  });
});

/** All bytes of a read, as a client gets them. */
async function wholeOf(store: BlobStore, content: Parameters<BlobStore["read"]>[0]): Promise<Uint8Array> {
  const body = await store.read(content);
  return body instanceof Blob ? body.bytes() : Buffer.concat(await Array.fromAsync(body));
}
