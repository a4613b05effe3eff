import { describe, expect } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type BlobFacts, contentPath } from "../../../src/blobs/blob-file.ts";
import type { BlobCache } from "../../../src/blobs/cache/blob-cache.ts";
import { CachedFiles } from "../../../src/blobs/cache/cached-files.ts";
import { newTempPath } from "../../../src/blobs/temp-file.ts";
import { digestOf, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { bytesOf, diskUse, filesBelow, openCache, streamed } from "../../support/server/blob-cache.ts";
import { Random } from "../../support/server/random.ts";
import { eventually } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";

const BLOCK = 4096;
/** Room for ten contents of 20 blocks, and half a one. */
const MOST = 210 * BLOCK;
const SIZE = 20 * BLOCK;

const it = testWith(() => openCache(MOST));

/** Contents of `SIZE` bytes, each from a seed of its own. */
function samples(count: number): Uint8Array<ArrayBuffer>[] {
  return Array.from({ length: count }, (_, seed) => sampleBytes(SIZE, seed + 1));
}

/** Reads a content until it is kept. */
async function fill(cache: BlobCache, content: BlobFacts): Promise<void> {
  await bytesOf(cache, content);
  await eventually(() => cache.has(content.digest));
}

describe("where there is too much", () => {
  it("what was read longest ago goes first", async ({ cache, server, clock }) => {
    const contents = samples(12).map((bytes) => server.put(bytes));
    for (const content of contents.slice(0, 10)) await fill(cache, content);
    for (const at of [0, 2, 4]) expect(await cache.read(contents[at] ?? raise())).toBeInstanceOf(Blob);
    clock.advance(60_000);
    for (const content of contents.slice(10)) await fill(cache, content);
    const kept = contents.map(({ digest }) => cache.has(digest));
    expect(kept.flatMap((isKept, at) => (isKept ? [] : [at]))).toEqual([1, 3]);
    expect(cache.figures()).toMatchObject({ bytes: 10 * SIZE, count: 10 });
  });

  it("what was given out just now stays, and new contents are passed on", async (opened) => {
    const { cache, server, clock } = opened;
    const contents = samples(11).map((bytes) => server.put(bytes));
    for (const content of contents.slice(0, 10)) await fill(cache, content);
    const given = await Promise.all(contents.slice(0, 10).map((content) => cache.read(content)));
    const late = contents[10] ?? raise();
    expect(await bytesOf(cache, late)).toEqual(sampleBytes(SIZE, 11));
    expect(await bytesOf(cache, late)).toEqual(sampleBytes(SIZE, 11));
    const sent = await Promise.all(given.map((blob) => new Response(blob).bytes()));
    expect(sent).toEqual(samples(10));
    clock.advance(31_000);
    await fill(cache, late);
    expect(cache.figures().count).toBe(10);
  });

  it("a content that would take more than half is passed on", async ({ cache, server, directory }) => {
    const half = sampleBytes(105 * BLOCK);
    const more = sampleBytes(105 * BLOCK + 1);
    await fill(cache, server.put(half));
    expect(await bytesOf(cache, server.put(more))).toEqual(more);
    await fill(cache, server.put(half));
    expect(filesBelow(directory)).toHaveLength(1);
  });

  it("there is never more on the disk than may be, whatever is read at once", async (opened) => {
    const { cache, server, clock, directory } = opened;
    const random = new Random(1);
    const samplesOfAll = Array.from({ length: 60 }, (_, seed) => sampleBytes(17_000 + seed * 6000, seed + 1));
    const contents = samplesOfAll.map((bytes) => server.put(bytes));
    let most = 0;
    const look = () => {
      most = Math.max(most, diskUse(directory));
      expect(cache.figures().bytes).toBeLessThanOrEqual(MOST);
    };
    const isOver = new AbortController();
    const watch = (async () => {
      for (; !isOver.signal.aborted; await Bun.sleep(0)) look();
    })();
    const read = async () => {
      for (let round = 0; round < 60; round += 1) {
        clock.advance(1000);
        const at = random.below(60);
        const { digest, size } = contents[at] ?? raise();
        const expected = samplesOfAll[at] ?? raise();
        if (random.chance(0.1)) await cache.remove(digest);
        const end = random.chance(0.8) ? size : random.below(size) + 1;
        expect(await bytesOf(cache, { digest, size }, { start: 0, end })).toEqual(expected.subarray(0, end));
      }
    };
    await Promise.all(Array.from({ length: 8 }, read));
    isOver.abort();
    await watch;
    expect(most).toBeGreaterThan(MOST / 2);
    expect(most).toBeLessThanOrEqual(MOST);
    await eventually(() => cache.figures().bytes === diskUse(directory));
    await cache.clear();
    expect([cache.figures().bytes, cache.figures().count, filesBelow(directory)]).toEqual([0, 0, []]);
  });

  it("others that are fetched at once leave no room for more", async ({ cache, server }) => {
    const contents = [1, 2, 3].map((seed) => server.put(sampleBytes(100 * BLOCK, seed)));
    const readers = await Promise.all(contents.map((content) => streamed(cache, content)));
    for (const reader of readers) for (; !(await reader.read()).done;);
    await eventually(() => cache.figures().count === 2);
    expect(server.asked).toHaveLength(3);
  });
});

describe("after a restart", () => {
  it("the contents are there, and go in the order of their use", async ({ cache, server, clock, reopen }) => {
    const contents = samples(12).map((bytes) => server.put(bytes));
    for (const content of contents.slice(0, 10)) {
      await fill(cache, content);
      clock.advance(3_600_000);
    }
    for (const at of [0, 2, 4]) await cache.read(contents[at] ?? raise());
    await Bun.sleep(0);
    clock.advance(3_600_000);
    const again = await reopen();
    expect(again.figures()).toEqual({ bytes: 10 * SIZE, count: 10, hits: 0, misses: 0 });
    const asked = server.asked.length;
    expect(await bytesOf(again, contents[9] ?? raise())).toEqual(sampleBytes(SIZE, 10));
    expect(server.asked).toHaveLength(asked);
    clock.advance(60_000);
    for (const content of contents.slice(10)) await fill(again, content);
    const kept = contents.map(({ digest }) => again.has(digest));
    expect(kept.flatMap((isKept, at) => (isKept ? [] : [at]))).toEqual([1, 3]);
  });

  it("with less room the oldest are gone", async ({ cache, server, clock, reopen, directory }) => {
    const contents = samples(10).map((bytes) => server.put(bytes));
    for (const content of contents) {
      await fill(cache, content);
      clock.advance(3_600_000);
    }
    const again = await reopen({ maxBytes: 60 * BLOCK });
    expect(contents.map(({ digest }) => again.has(digest))).toEqual([
      ...Array(7).fill(false),
      true,
      true,
      true,
    ]);
    expect(diskUse(directory)).toBe(3 * SIZE);
  });

  it("what a crash has left is removed, and what is not the cache's stays as it is", async (opened) => {
    const { cache, server, directory, reopen } = opened;
    const [first, second, third] = samples(3).map((bytes) => server.put(bytes));
    if (first === undefined || second === undefined || third === undefined) throw new Error("no samples");
    await fill(cache, first);
    const outside = join(dirname(directory), "outside");
    mkdirSync(outside);
    const half = newTempPath(directory);
    writeFileSync(half, "half");
    const foreign = ["README", "ab/notes.txt", `ab/${"a".repeat(64)}`, "cd0/x"].map((name) =>
      join(directory, name),
    );
    for (const path of foreign) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "mine");
    }
    const links = [
      [newTempPath(directory), join(outside, "temp")],
      [contentPath(directory, second.digest), join(outside, "content")],
      [dirname(contentPath(directory, third.digest)), join(outside, "shard")],
    ] as const;
    mkdirSync(join(outside, "shard"));
    writeFileSync(join(outside, "temp"), "target");
    writeFileSync(join(outside, "content"), sampleBytes(SIZE, 2));
    writeFileSync(join(outside, "shard", third.digest), sampleBytes(SIZE, 3));
    for (const [path, target] of links) {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path);
    }
    const outsideBefore = filesBelow(outside);
    const again = await reopen();
    expect([again.figures().count, existsSync(half)]).toEqual([1, false]);
    for (const content of [first, second, third]) await bytesOf(again, content);
    await eventually(() => again.figures().bytes === SIZE);
    await again.clear();
    for (const path of foreign) expect(await Bun.file(path).text()).toBe("mine");
    for (const [path, target] of links) expect(readlinkSync(path)).toBe(target);
    expect(filesBelow(outside)).toEqual(outsideBefore);
    expect(again.figures()).toMatchObject({ bytes: 0, count: 0 });
  });

  it("all is read at once, and more is kept once all is counted", async (opened) => {
    const { cache, server, options } = opened;
    const content = server.put(sampleBytes(SIZE));
    await fill(cache, content);
    await cache.close();
    const again = await CachedFiles.open(options);
    expect(again.place(SIZE)).toBe(null);
    expect(await again.find(content)).toBe(contentPath(options.directory, content.digest));
    await again.counted;
    expect(again.figures).toEqual({ bytes: SIZE, count: 1 });
    expect(again.place(SIZE)).not.toBe(null);
    await again.close();
    expect(again.place(SIZE)).toBe(null);
  });

  it("marks of the future, or of no time, do no harm", async ({
    cache,
    server,
    directory,
    reopen,
    clock,
  }) => {
    const contents = samples(3).map((bytes) => server.put(bytes));
    for (const content of contents) await fill(cache, content);
    const times = [0, 4_000_000_000, clock.now() / 1000];
    for (const [at, { digest }] of contents.entries()) {
      utimesSync(contentPath(directory, digest), times[at] ?? 0, times[at] ?? 0);
    }
    const again = await reopen({ maxBytes: 40 * BLOCK });
    expect(contents.map(({ digest }) => again.has(digest))).toEqual([false, true, true]);
  });
});

it("a file that is being removed is not given out", async ({ cache, server, options }) => {
  const content = server.put(sampleBytes(SIZE));
  await fill(cache, content);
  await cache.close();
  const files = await CachedFiles.open(options);
  await files.counted;
  const [, path] = await Promise.all([files.remove(content.digest), files.find(content)]);
  expect([path, files.has(content.digest), files.figures.bytes]).toEqual([null, false, 0]);
  await files.close();
});

it("a use is marked on the disk now and then", async ({ cache, server, directory, clock }) => {
  const content = server.put(sampleBytes(SIZE));
  await fill(cache, content);
  const path = contentPath(directory, content.digest);
  const markedAt = () => statSync(path).mtimeMs;
  const start = clock.now();
  expect(markedAt()).toBe(start);
  clock.advance(200_000);
  await cache.read(content);
  expect(markedAt()).toBe(start);
  clock.advance(200_000);
  await cache.read(content);
  await eventually(() => markedAt() === start + 400_000);
});

it("an uploaded content without room is removed", async ({ cache, directory }) => {
  const bytes = sampleBytes(150 * BLOCK);
  const path = join(dirname(directory), "uploaded");
  writeFileSync(path, bytes);
  await cache.add({ digest: digestOf(bytes), size: bytes.length }, path);
  expect([existsSync(path), cache.figures().bytes, filesBelow(directory)]).toEqual([false, 0, []]);
});

it("all of it may be removed at any time", async ({ cache, server, directory, logged }) => {
  const contents = samples(10).map((bytes) => server.put(bytes));
  const isOver = new AbortController();
  const removing = (async () => {
    for (; !isOver.signal.aborted; await Bun.sleep(1)) rmSync(directory, { recursive: true, force: true });
  })();
  for (let round = 0; round < 10; round += 1) {
    const reads = contents.map(async (content, at) => {
      if (round % 3 === 0) return expect(await cache.readAll(content)).toEqual(sampleBytes(SIZE, at + 1));
      const pieces = await Array.fromAsync(cache.pieces(content), (piece) => piece.slice());
      return expect(Buffer.concat(pieces)).toEqual(Buffer.from(sampleBytes(SIZE, at + 1)));
    });
    await Promise.all(reads);
  }
  isOver.abort();
  await removing;
  expect(logged).toEqual([]);
  rmSync(directory, { recursive: true, force: true });
  for (const content of contents) await bytesOf(cache, content);
});

function raise(): never {
  throw new Error("no such sample");
}
