import { describe, expect, test } from "bun:test";
import { DamagedBlob, readBlob } from "../../src/blobs/blob-file.ts";
import { UnavailableBlob } from "../../src/blobs/blob-place.ts";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { findPlaced } from "../../src/blobs/joined/find-placed.ts";
import { always, SLOW_DOWN } from "../support/peers/s3-server.ts";
import { digestOf, flipped, listAll, put, sampleBytes } from "../support/samples/blob-store-contract.ts";
import { failureOf } from "../support/samples/failure.ts";
import { openJoined } from "../support/server/open-joined.ts";
import { testWith } from "../support/server/test-with.ts";

const LARGE = 100_000;
const MIB = 1024 * 1024;

/** Every way to read a content. */
function reads(store: BlobStore, content: { digest: ReturnType<typeof digestOf>; size: number }) {
  return [
    async () => (await store.read(content)).bytes(),
    async () => {
      await using held = await store.hold(content);
      return await held.blob.bytes();
    },
    async () => store.readAll(content),
    () => store.readBeginning(content, content.size),
    async () => Buffer.concat(await Array.fromAsync(store.pieces(content), (piece) => piece.slice())),
    async () => Buffer.concat(await Array.fromAsync(store.examine(content), (piece) => piece.slice())),
  ];
}

describe.each([
  ["a bucket and a former disk", "bucket", "disk"],
  ["a disk and a former bucket", "disk", "bucket"],
] as const)("%s", (_, current, former) => {
  const it = testWith(() => openJoined(current));

  it("contents of both are read in every way, and new ones go to the one that is used", async (t) => {
    for (const size of [1000, LARGE, 9 * MIB]) {
      const [old, added] = [sampleBytes(size, 1), sampleBytes(size, 2)];
      (await put(t.before, old)).unpin();
      using blob = await put(t.store, added);
      expect([t.holders(digestOf(old)), t.holders(blob.digest)]).toEqual([[former], [current]]);
      await t.bucket.clearCache();
      for (const bytes of [old, added]) {
        const content = { digest: digestOf(bytes), size };
        await t.store.requirePlaced(content);
        for (const read of reads(t.store, content)) expect(Buffer.compare(await read(), bytes)).toBe(0);
      }
    }
    expect((await listAll(t.store)).length).toBe(6);
    const nowhere = { digest: digestOf(sampleBytes(9)), size: 9 };
    for (const read of reads(t.store, nowhere))
      expect(await failureOf(read)).toMatchObject({ isMissing: true });
  });

  it("what comes again goes to the one that is used as well, and is removed from both", async (t) => {
    const bytes = sampleBytes(LARGE);
    (await put(t.before, bytes)).unpin();
    const blob = await put(t.store, bytes);
    expect([blob.isWritten, blob.healed, t.holders(blob.digest)]).toEqual([true, null, ["disk", "bucket"]]);
    blob.unpin();
    expect(await t.store.remove(blob.digest)).toBe(true);
    expect([t.holders(blob.digest), await listAll(t.store)]).toEqual([[], []]);
  });

  it("one that is damaged where it was is healed by the same upload", async (t) => {
    for (const [n, size] of [LARGE, 2 * MIB].entries()) {
      const bytes = sampleBytes(size, n + 1);
      const content = { digest: digestOf(bytes), size };
      (await put(t.before, bytes)).unpin();
      await t.spoil(former, content.digest, size < MIB ? flipped(bytes) : bytes.subarray(1));
      expect(await failureOf(async () => t.store.readAll(content))).toBeInstanceOf(DamagedBlob);
      using blob = await put(t.store, bytes);
      expect(Buffer.compare(await t.store.readAll(content), bytes)).toBe(0);
      expect(t.holders(blob.digest)).toContain(current);
    }
  });

  it("bytes are checked as they are read where the place does not", async (t) => {
    const [old, added] = [sampleBytes(LARGE, 1), sampleBytes(LARGE, 2)];
    (await put(t.before, old)).unpin();
    using blob = await put(t.store, added);
    const checks = { disk: false, bucket: true };
    expect(t.place.checksReads(digestOf(old))).toBe(checks[former]);
    expect(t.place.checksReads(blob.digest)).toBe(checks[current]);
  });

  it("once the former one holds nothing, nothing is asked of it any more", async (t) => {
    const bytes = sampleBytes(LARGE);
    (await put(t.before, bytes)).unpin();
    expect([await t.place.dropEmptied(), t.place.all.length]).toEqual([[], 2]);
    expect(await t.store.remove(digestOf(bytes))).toBe(true);
    const emptied = await t.place.dropEmptied();
    expect([emptied.length, t.place.all.map(({ isFormer }) => isFormer)]).toEqual([1, [false]]);
    await emptied[0]?.removeMarks();
    if (former === "bucket") expect(t.bucket.server.objects.size).toBe(0);
    t.bucket.server.asked.splice(0);
    if (former === "disk") await t.takeDisk();
    using blob = await put(t.store, bytes);
    expect(Buffer.compare(await t.store.readAll(blob), bytes)).toBe(0);
    expect(
      await failureOf(async () => t.store.readAll({ ...blob, digest: digestOf(sampleBytes(7)) })),
    ).toMatchObject({
      isMissing: true,
    });
    if (former === "bucket") expect(t.bucket.server.asked).toEqual([]);
  });
});

describe("a former place that is away", () => {
  const cases = [
    { current: "bucket", former: "disk" },
    { current: "disk", former: "bucket" },
  ] as const;
  test.each(cases)("$former: its contents are unavailable, all else goes on", async ({ current, former }) => {
    await using t = await openJoined(current);
    const lose = async () => {
      if (former === "disk") await t.takeDisk();
      else t.bucket.server.fault = always(SLOW_DOWN);
    };
    const [old, added] = [sampleBytes(LARGE, 1), sampleBytes(LARGE, 2)];
    (await put(t.before, old)).unpin();
    const gone = { digest: digestOf(old), size: LARGE };
    await t.bucket.clearCache();
    await lose();
    for (const read of reads(t.store, gone)) expect(await failureOf(read)).toBeInstanceOf(UnavailableBlob);
    expect(t.place.isReachable).toBe(true);
    const blob = await put(t.store, added);
    expect(Buffer.compare(await t.store.readAll(blob), added)).toBe(0);
    await t.place.look();
    expect([t.place.away().length, (await t.place.disks()).map(({ isFormer }) => isFormer)]).toEqual([
      1,
      [false, true],
    ]);
    expect([await t.place.dropEmptied(), await listAll(t.store)]).toEqual([[], [blob.digest]]);
    blob.unpin();
    expect(await t.store.remove(blob.digest)).toBe(true);
    expect(await t.store.remove(gone.digest)).toBe(true);
    // It is there, and the sweep finds it later.
    if (former === "disk") await t.bringDiskBack();
    else t.bucket.server.fault = () => null;
    expect(t.holders(gone.digest)).toEqual([former]);
  });
});

describe.each(["bucket", "disk"] as const)("who reads beside a server whose %s is used", (current) => {
  const it = testWith(() => openJoined(current));
  const former = current === "disk" ? "bucket" : "disk";

  it("finds contents of both, lists them, and knows what is away", async (t) => {
    const [old, added] = [sampleBytes(LARGE, 1), sampleBytes(LARGE, 2)];
    (await put(t.before, old)).unpin();
    (await put(t.store, added)).unpin();
    const stored = await t.openStored();
    const contents = [old, added].map((bytes) => ({ bytes, digest: digestOf(bytes), size: LARGE }));
    const inOrder = contents.toSorted((one, other) => (one.digest < other.digest ? -1 : 1));
    const requireListed = stored.sizesInOrder();
    for (const { bytes, ...content } of inOrder) {
      await requireListed(content);
      await stored.requireSize(content);
      expect(await stored.find(content, (path) => readBlob(path, content))).toEqual(Buffer.from(bytes));
      expect(Buffer.compare(await stored.beginning(content, 10), bytes.subarray(0, 10))).toBe(0);
      const pieces = await Array.fromAsync(stored.pieces(content), (piece) => piece.slice());
      expect(Buffer.compare(Buffer.concat(pieces), bytes)).toBe(0);
    }
    const names = (await Array.fromAsync(stored.names())).flatMap(({ digest }) => digest ?? []);
    expect([names.toSorted(), await stored.away()]).toEqual([inOrder.map(({ digest }) => digest), []]);
    const nowhere = { digest: digestOf(sampleBytes(9)), size: 9 };
    for (const look of [() => stored.requireSize(nowhere), () => Array.fromAsync(stored.pieces(nowhere))])
      expect(await failureOf(look)).toMatchObject({ isMissing: true });
    await t.takeDisk();
    expect(await failureOf(stored.requireSize(nowhere))).toBeInstanceOf(UnavailableBlob);
    expect((await stored.away()).length).toBe(1);
  });

  it("repairs a damaged content where it is, and puts a missing one where new ones go", async (t) => {
    const bytes = sampleBytes(LARGE);
    const content = { digest: digestOf(bytes), size: LARGE };
    (await put(t.before, bytes)).unpin();
    const stored = await t.openStored();
    const rewrite = () => stored.rewrite(content, new Response(bytes).body ?? new ReadableStream());
    await t.spoil(former, content.digest, bytes.subarray(1));
    await rewrite();
    expect(t.holders(content.digest)).toEqual([former]);
    expect(Buffer.compare(await t.store.readAll(content), bytes)).toBe(0);
    await t.spoil(former, content.digest, null);
    await rewrite();
    expect(t.holders(content.digest)).toEqual([current]);
  });
});

test("a damaged content on a former disk does not hide the whole one in the bucket, once that was uploaded", async () => {
  await using t = await openJoined("bucket");
  const bytes = sampleBytes(LARGE);
  (await put(t.before, bytes)).unpin();
  (await put(t.store, bytes)).unpin();
  await t.spoil("disk", digestOf(bytes), flipped(bytes));
  using blob = await put(t.store, bytes);
  expect([blob.healed?.problem, t.holders(blob.digest)]).toEqual(["does not match its SHA-256", ["bucket"]]);
});

test("a content that is moved to a place that was just looked at is found", async () => {
  const places = new Map([
    ["disk", false],
    ["bucket", false],
  ]);
  const missing = new DamagedBlob("here", digestOf(sampleBytes(1)), "is missing", { isMissing: true });
  const read = async (name: string) => {
    if (places.get(name) === true) return name;
    places.set("disk", name === "bucket");
    throw missing;
  };
  expect(await findPlaced([...places.keys()], read)).toBe("disk");
  expect(await failureOf(findPlaced(["nowhere"], () => Promise.reject(missing)))).toBe(missing);
});
