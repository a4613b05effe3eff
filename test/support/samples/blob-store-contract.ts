import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { BlobStore, SmallBlobs } from "../../../src/blobs/blob-store.ts";
import type { BlobWriter, PinnedBlob } from "../../../src/blobs/blob-writer.ts";
import { type BlobFacts, DamagedBlob, type KnownDamage } from "../../../src/blobs/blob-file.ts";
import { type Digest, parseDigest } from "../../../src/domain/contents/content.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { testWith } from "../server/test-with.ts";
import { isThorough } from "../server/thorough.ts";
import { failureOf } from "./failure.ts";

/** A content that was stored, and stays until it is unpinned. */
export interface Stored extends BlobFacts, Disposable {
  readonly head: Uint8Array;
  /** Whether it has replaced damaged bytes. */
  readonly isHealed: boolean;
  unpin(): void;
}

/** An empty store for one test; disposing it removes its contents. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: BlobStore;
  /** Ends a content as an upload does, with all that makes it durable. */
  commit(writer: BlobWriter): Promise<Stored>;
  /** Removes a content as the sweep does. False while it is pinned. */
  remove(digest: Digest): Promise<boolean>;
  /** The digests of all contents, sorted. */
  digests(): Promise<Digest[]>;
  /** Changes the bytes of a content without the store, as a failing disk does; null for no bytes at all. */
  spoil(digest: Digest, bytes: Uint8Array | null): Promise<void>;
}

/** Ends a content of a store without a database. */
async function committed(writer: BlobWriter): Promise<Stored> {
  const blob = await writer.commit();
  return Object.assign(blob, { isHealed: blob.healed !== null });
}

/** A place where contents are kept. */
interface ContentKind {
  readonly name: string;
  /** Of a content, in bytes. */
  readonly largest: number;
  /** How many disks there are: each promises its own room. */
  readonly disks?: number;
  readonly open: () => Promise<OpenedStore>;
}

/** For a store of its own, without a database: all contents are files. */
export const ALL_FILES: SmallBlobs = { smallBytes: -1, get: () => null };

/** For the same: no content was found damaged. */
export const NO_DAMAGE: KnownDamage = { problemOf: () => null };

/** Of a race: each of its 28 timings is tried so many times. */
const ROUNDS = 28 * (isThorough() ? 8 : 3);
/** A content of this size is removed and written again so often. */
const REWRITES = isThorough() ? 20 : 5;

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes that do not repeat in step with any buffer, the same for the same `length` and `seed`. */
export function sampleBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
}

/** The name of a content in any store, computed by other code than the store's. */
export function digestOf(content: Uint8Array): Digest {
  const digest = parseDigest(createHash("sha256").update(content).digest("hex"));
  if (digest === null) throw new Error("no digest");
  return digest;
}

/** Writes a content in pieces of `pieceLength` bytes, reusing one buffer as a careful caller may. */
export async function put(store: BlobStore, content: Uint8Array, pieceLength?: number): Promise<PinnedBlob> {
  return putWith({ store, commit: (writer) => writer.commit() }, content, pieceLength);
}

async function putWith<T>(
  opened: { readonly store: BlobStore; commit(writer: BlobWriter): Promise<T> },
  content: Uint8Array,
  pieceLength = 100_000,
): Promise<T> {
  await using writer = await opened.store.create();
  const piece = new Uint8Array(pieceLength);
  for (let at = 0; at < content.length; at += pieceLength) {
    const part = content.subarray(at, at + pieceLength);
    piece.set(part);
    await writer.write(piece.subarray(0, part.length));
    piece.fill(0xee);
  }
  return await opened.commit(writer);
}

/** What the contract asks of a store whose contents are put, removed and listed as ever. */
export function plainStore(store: BlobStore): Pick<OpenedStore, "store" | "commit" | "remove" | "digests"> {
  return {
    store,
    commit: committed,
    remove: (digest) => store.remove(digest),
    digests: () => listAll(store),
  };
}

/** The digests in every part of the store, sorted. */
export async function listAll(store: BlobStore): Promise<Digest[]> {
  const found: Digest[] = [];
  for (let shard = 0; shard < store.shardCount; shard++) {
    for (const { digest } of await store.list(shard)) found.push(digest);
  }
  return found.toSorted();
}

/** The same bytes, except for one bit in the middle. */
export function flipped(content: Uint8Array): Uint8Array {
  const bytes = content.slice();
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

function same(actual: Uint8Array, expected: Uint8Array): boolean {
  return Buffer.compare(actual, expected) === 0;
}

/** A content must not be given out, in whole or in part. */
async function expectDamaged(store: BlobStore, blob: Stored): Promise<void> {
  for (const attempt of [
    () => store.readAll(blob),
    () => store.read(blob),
    () => store.read(blob, { start: 0, end: 1 }),
    () => store.readBeginning(blob, 1),
  ]) {
    expect(await failureOf(attempt)).toBeInstanceOf(DamagedBlob);
  }
}

/** What every blob store promises, wherever it keeps its contents. */
export function describeBlobStore({ name, largest, disks = 1, open }: ContentKind): void {
  const it = testWith(open);
  const fits = ([, length]: readonly [name: string, length: number, ...unknown[]]): boolean =>
    length <= largest;

  describe(`${name}: writing and reading`, () => {
    const contents: [name: string, length: number, pieceLength: number][] = [
      ["nothing at all", 0, 1],
      ["one byte", 1, 1],
      ["less than the head, byte by byte", 3000, 1],
      ["the head exactly", 4 * KIB, 4 * KIB],
      ["one byte more than the head", 4 * KIB + 1, 1000],
      ["all of the smallest kind", 16 * KIB, 5000],
      ["one byte less than the buffer", 64 * KIB - 1, 10_000],
      ["the buffer exactly, in one piece", 64 * KIB, 64 * KIB],
      ["the buffer exactly, in uneven pieces", 64 * KIB, 999],
      ["one byte more than the buffer, in one piece", 64 * KIB + 1, 64 * KIB + 1],
      ["one byte more than the buffer, in small pieces", 64 * KIB + 1, 1000],
      ["pieces that each half fill the buffer", MIB, 40_000],
      ["large pieces", 5 * MIB + 3, 2 * MIB],
      ["one very large piece", 20 * MIB + 1, 20 * MIB + 1],
    ];
    test.each(contents.filter(fits))("%s", async (_, length, pieceLength) => {
      await using opened = await open();
      const content = sampleBytes(length);
      using blob = await putWith(opened, content, pieceLength);
      expect(blob.digest).toBe(digestOf(content));
      expect(blob.size).toBe(length);
      expect(same(blob.head, content.subarray(0, 4 * KIB))).toBe(true);
      // It keeps no more in memory than it shows.
      expect(blob.head.buffer.byteLength).toBe(blob.head.length);
      expect(same(await opened.store.readAll(blob), content)).toBe(true);
      expect(same(await (await opened.store.read(blob)).bytes(), content)).toBe(true);
      expect(await opened.digests()).toEqual([blob.digest]);
    });

    it("pieces of mixed lengths, empty ones among them, keep their order", async (opened) => {
      const lengths = [0, 10, 70_000, 1, 0, 65_535, 2, 300_000, 5, 65_536, 65_537, 0].filter(
        (length) => length < largest / 16,
      );
      const content = sampleBytes(lengths.reduce((sum, length) => sum + length, 0));
      await using writer = await opened.store.create();
      let at = 0;
      for (const length of lengths) {
        await writer.write(content.subarray(at, at + length));
        at += length;
        expect(writer.size).toBe(at);
      }
      using blob = await opened.commit(writer);
      expect(same(await opened.store.readAll(blob), content)).toBe(true);
    });

    const whole = Math.min(MIB, largest);
    const ranges: [name: string, start: number, end: number][] = [
      ["the first byte", 0, 1],
      ["the last byte", whole - 1, whole],
      ["nothing, at the start", 0, 0],
      ["nothing, at the end", whole, whole],
      ["across a chunk's border", whole / 4 - 1, whole / 4 + 1],
      ["many chunks, off their borders", 100, whole - 100],
      ["everything", 0, whole],
    ];
    it("ranges", async (opened) => {
      const content = sampleBytes(whole);
      using blob = await putWith(opened, content);
      for (const [label, start, end] of ranges) {
        const part = await (await opened.store.read(blob, { start, end })).bytes();
        expect([label, same(part, content.subarray(start, end))]).toEqual([label, true]);
      }
    });

    it("a small content that was read lately is given at once, and is the same", async (opened) => {
      const content = sampleBytes(1000);
      using blob = await putWith(opened, content);
      for (const range of [
        undefined,
        { start: 0, end: 1000 },
        { start: 10, end: 20 },
        { start: 5, end: 5 },
      ]) {
        await opened.store.read(blob, range);
        const again = opened.store.read(blob, range);
        if (again instanceof Promise) throw new Error("it was read again");
        expect(same(await again.bytes(), content.subarray(range?.start, range?.end))).toBe(true);
      }
    });

    it("a range past the end, before the start, backwards or of no whole bytes is refused", async (opened) => {
      using blob = await putWith(opened, sampleBytes(10));
      for (const [start = 0, end = 0] of [
        [0, 11],
        [-1, 5],
        [5, 4],
        [0.5, 4],
        [Number.NaN, 4],
      ]) {
        const failure = await failureOf(() => opened.store.read(blob, { start, end }));
        expect([start, end, failure]).toEqual([start, end, expect.any(RangeError)]);
      }
    });

    it("a content that is not there is damage, not a refusal", async (opened) => {
      const absent = { digest: digestOf(sampleBytes(10)), size: 10 };
      for (const attempt of [() => opened.store.read(absent), () => opened.store.readAll(absent)]) {
        const error = await failureOf(attempt);
        expect(error).toBeInstanceOf(DamagedBlob);
        expect(error).not.toBeInstanceOf(CofferError);
      }
    });

    it("room that is promised to one content is not given to another, until that is written or dropped", async (opened) => {
      const most = Math.floor(((await opened.store.space.freeBytes()) / disks) * 0.6);
      const others: BlobWriter[] = [];
      for (let disk = 1; disk < disks; disk++) others.push(await opened.store.create(most));
      const first = await opened.store.create(most);
      const refusal = await failureOf(() => opened.store.create(most));
      expect(refusal).toMatchObject({ code: "STORAGE_FULL" });
      await using small = await opened.store.create();
      await small.write(sampleBytes(100_000));
      await first.write(sampleBytes(100_000));
      using stored = await first.commit();
      expect(stored.size).toBe(100_000);
      await using second = await opened.store.create(most);
      await second.abort();
      await using third = await opened.store.create(most);
      expect(third.size).toBe(0);
      for (const other of others) await other.abort();
    });
  });

  describe(`${name}: the same content more than once`, () => {
    const cases: [name: string, length: number, atOnce: number][] = [
      ["one after another, small", 1000, 1],
      ["one after another, large", MIB, 1],
      ["sixteen at once, small", 1000, 16],
      ["sixteen at once, large", MIB, 16],
    ];
    test.each(cases.filter(fits))("%s: kept once", async (_, length, atOnce) => {
      await using opened = await open();
      const content = sampleBytes(length);
      const digest = digestOf(content);
      const blobs = await Promise.all(Array.from({ length: atOnce }, () => putWith(opened, content)));
      blobs.push(await putWith(opened, content));
      expect(new Set(blobs.map((blob) => blob.digest))).toEqual(new Set([digest]));
      expect(await opened.digests()).toEqual([digest]);
      expect(same(await opened.store.readAll({ digest, size: length }), content)).toBe(true);
    });
  });

  describe(`${name}: damaged contents`, () => {
    const sizes: [name: string, length: number][] = [
      ["small", 1000],
      ["large", 512 * KIB],
      ["very large", 2 * MIB],
    ];
    const kinds: [name: string, spoil: (content: Uint8Array) => Uint8Array][] = [
      ["cut to nothing", () => new Uint8Array()],
      ["cut", (content) => content.subarray(0, content.length - 1)],
      ["grown", (content) => Buffer.concat([content, Uint8Array.of(0)])],
    ];
    const cases = [
      ...sizes
        .filter(fits)
        .flatMap(([size, length]) => kinds.map(([kind, spoil]) => [size, kind, length, spoil] as const)),
      ["small", "changed by a bit", 1000, flipped] as const,
      ["larger", "changed by a bit", Math.min(64 * KIB, largest), flipped] as const,
    ];

    test.each(cases)(
      "a %s content that was %s is not given out, until the next upload heals it",
      async (...args) => {
        const [, , length, spoil] = args;
        await using opened = await open();
        const content = sampleBytes(length);
        using spoilt = await putWith(opened, content);
        await opened.spoil(spoilt.digest, spoil(content));
        await expectDamaged(opened.store, spoilt);
        using blob = await putWith(opened, content);
        expect(blob.isHealed).toBe(true);
        expect(same(await (await opened.store.read(blob)).bytes(), content)).toBe(true);
        using again = await putWith(opened, content);
        expect(again.isHealed).toBe(false);
      },
    );

    it("a content without its bytes is not given out, and is there again after the next upload of it", async (opened) => {
      const content = sampleBytes(1000);
      const { digest } = await putWith(opened, content);
      await opened.spoil(digest, null);
      expect(await failureOf(() => opened.store.read({ digest, size: 1000 }))).toBeInstanceOf(DamagedBlob);
      using blob = await putWith(opened, content);
      expect(blob.isHealed).toBe(false);
      expect(same(await opened.store.readAll(blob), content)).toBe(true);
    });

    if (largest >= MIB)
      it("a content just below 1 MiB with a flipped bit is healed by the next upload of it", async (opened) => {
        const content = sampleBytes(MIB - 1);
        const { digest } = await putWith(opened, content);
        await opened.spoil(digest, flipped(content));
        await failureOf(() => opened.store.readAll({ digest, size: content.length }));
        using blob = await putWith(opened, content);
        expect(blob.isHealed).toBe(true);
        expect(same(await opened.store.readAll(blob), content)).toBe(true);
      });

    it("a content that its row gives another size is not given out, also out of memory", async (opened) => {
      using blob = await putWith(opened, sampleBytes(1000));
      await opened.store.readAll(blob);
      const wrong = { digest: blob.digest, size: 999 };
      expect(await failureOf(() => opened.store.readAll(wrong))).toBeInstanceOf(DamagedBlob);
      expect(await failureOf(() => opened.store.read(wrong))).toBeInstanceOf(DamagedBlob);
    });

    it("what was sent lately stays good while the content is damaged", async (opened) => {
      using blob = await putWith(opened, sampleBytes(1000));
      await opened.store.read(blob);
      await opened.spoil(blob.digest, flipped(sampleBytes(1000)));
      expect(await failureOf(() => opened.store.readAll(blob))).toBeInstanceOf(DamagedBlob);
      expect(same(await (await opened.store.read(blob)).bytes(), sampleBytes(1000))).toBe(true);
    });

    test.each([0, 1000, 64 * KIB, 64 * KIB + 1, MIB].filter((size) => size <= largest))(
      "the beginning of a content of %d bytes",
      async (size) => {
        await using opened = await open();
        const content = sampleBytes(size);
        using blob = await putWith(opened, content);
        for (const length of [0, 10, size, size + 10]) {
          expect(same(await opened.store.readBeginning(blob, length), content.subarray(0, length))).toBe(
            true,
          );
        }
      },
    );

    it("a content of which only the beginning was read is not kept in memory", async (opened) => {
      using blob = await putWith(opened, sampleBytes(1000));
      await opened.store.readBeginning(blob, 1000);
      await opened.spoil(blob.digest, flipped(sampleBytes(1000)));
      expect(await failureOf(() => opened.store.readAll(blob))).toBeInstanceOf(DamagedBlob);
    });

    it("sixteen uploads heal a damaged content at once", async (opened) => {
      const content = sampleBytes(Math.min(100_000, largest));
      const { digest } = await putWith(opened, content);
      await opened.spoil(digest, flipped(content));
      const blobs = await Promise.all(Array.from({ length: 16 }, () => putWith(opened, content)));
      expect(blobs.some(({ isHealed }) => isHealed)).toBe(true);
      expect(same(await opened.store.readAll({ digest, size: content.length }), content)).toBe(true);
      expect(await opened.digests()).toEqual([digest]);
    });
  });

  describe(`${name}: pins and removal`, () => {
    it("a removed content is gone, and removing it again is harmless", async (opened) => {
      const blob = await putWith(opened, sampleBytes(10));
      blob.unpin();
      expect(await opened.remove(blob.digest)).toBe(true);
      expect(await opened.digests()).toEqual([]);
      expect(await failureOf(() => opened.store.read(blob))).toBeInstanceOf(Error);
      expect(await opened.remove(blob.digest)).toBe(true);
    });

    it("a content stays until every pin is gone, and each pin counts once", async (opened) => {
      const first = await putWith(opened, sampleBytes(10));
      const second = await putWith(opened, sampleBytes(10));
      first.unpin();
      first.unpin();
      expect(await opened.remove(first.digest)).toBe(false);
      expect(same(await opened.store.readAll(first), sampleBytes(10))).toBe(true);
      second.unpin();
      expect(await opened.remove(first.digest)).toBe(true);
    });

    it("leaving the scope of `using` unpins", async (opened) => {
      {
        using blob = await putWith(opened, sampleBytes(10));
        expect(await opened.remove(blob.digest)).toBe(false);
      }
      expect(await opened.remove(digestOf(sampleBytes(10)))).toBe(true);
    });

    it("a commit holds against a removal at any moment of it", async (opened) => {
      const outcomes = new Set<boolean>();
      for (let round = 0; round < ROUNDS; round++) {
        // New each time, so that it is not read from memory.
        const content = sampleBytes(100, round + 1);
        const digest = digestOf(content);
        (await putWith(opened, content)).unpin();
        await using writer = await opened.store.create();
        await writer.write(content);
        // Either side starts up to three turns before the other; every fourth round in event-loop turns.
        const turn = round % 4 === 0 ? eventLoopTurn : microtaskTurn;
        const lead = Math.floor(round / 4) % 7;
        const [blob, removed] = await Promise.all([
          after(turn, 3 - lead, () => opened.commit(writer)),
          after(turn, lead - 3, () => opened.remove(digest)),
        ]);
        outcomes.add(removed);
        expect(same(await opened.store.readAll({ digest, size: content.length }), content)).toBe(true);
        blob.unpin();
        expect(await opened.remove(digest)).toBe(true);
      }
      // Each side must have won at least once, or the delays are badly chosen.
      expect(outcomes).toEqual(new Set([true, false]));
    });

    it("what a removal in progress is taking away can be written again at once", async (opened) => {
      for (let round = 0; round < REWRITES; round++) {
        const content = sampleBytes(Math.min(MIB, largest), round + 1);
        const old = await putWith(opened, content);
        old.unpin();
        const removal = opened.remove(old.digest);
        const blob = await putWith(opened, content);
        expect(await removal).toBe(true);
        expect(same(await opened.store.readAll(blob), content)).toBe(true);
        blob.unpin();
      }
    });
  });

  describe(`${name}: giving up and misuse`, () => {
    const lengths: [name: string, length: number][] = [
      ["before the first byte", 0],
      ["with little written", 10],
      ["with much written", MIB],
    ];
    test.each(lengths.filter(fits))("abort %s leaves nothing, also twice and at once", async (_, length) => {
      await using opened = await open();
      const writer = await opened.store.create();
      await writer.write(sampleBytes(length));
      await Promise.all([writer.abort(), writer.abort()]);
      await writer.abort();
      expect(await opened.digests()).toEqual([]);
      expect(await failureOf(writer.write(sampleBytes(1)))).toBeInstanceOf(Error);
      expect(await failureOf(writer.commit())).toBeInstanceOf(Error);
    });

    it("abort in the middle of a write lets it end and leaves nothing", async (opened) => {
      const writer = await opened.store.create();
      const write = writer.write(sampleBytes(Math.min(8 * MIB, largest)));
      await writer.abort();
      await write;
      expect(await failureOf(writer.commit())).toBeInstanceOf(Error);
      expect(await opened.digests()).toEqual([]);
    });

    it("abort during or after a commit comes too late and does no harm", async (opened) => {
      const content = sampleBytes(Math.min(MIB, largest));
      const writer = await opened.store.create();
      await writer.write(content);
      const commit = opened.commit(writer);
      await writer.abort();
      using blob = await commit;
      await writer.abort();
      expect(same(await opened.store.readAll(blob), content)).toBe(true);
    });

    it("a second call while one is under way is refused and spoils nothing", async (opened) => {
      const content = sampleBytes(Math.min(MIB, largest));
      await using writer = await opened.store.create();
      const write = writer.write(content);
      const refused = [failureOf(writer.write(content)), failureOf(writer.commit())];
      for (const error of await Promise.all(refused)) expect(error).toBeInstanceOf(Error);
      await write;
      using blob = await opened.commit(writer);
      expect(blob.digest).toBe(digestOf(content));
      expect(await failureOf(writer.commit())).toBeInstanceOf(Error);
    });

    it("leaving the scope of `await using` aborts", async (opened) => {
      {
        await using writer = await opened.store.create();
        await writer.write(sampleBytes(Math.min(MIB, largest)));
      }
      expect(await opened.digests()).toEqual([]);
    });
  });
}

const microtaskTurn = () => Promise.resolve();
const eventLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function after<T>(turn: () => Promise<void>, turns: number, work: () => Promise<T>): Promise<T> {
  for (let i = 0; i < turns; i++) await turn();
  return await work();
}
