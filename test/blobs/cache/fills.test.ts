import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { CofferError } from "../../../src/domain/errors.ts";
import { SmallDisk, NO_SMALL_DISK } from "../../support/faults/small-disk.ts";
import { NO_OPEN_FILES, openFiles } from "../../support/faults/open-files.ts";
import {
  endAfter,
  heldAfter,
  inPieces,
  type Sending,
  withMore,
  withWrong,
} from "../../support/peers/blob-server.ts";
import { sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { failureOf, refusalOf } from "../../support/samples/failure.ts";
import { bytesOf, filesBelow, openCache, reasonOf, streamed } from "../../support/server/blob-cache.ts";
import { eventually } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";
import { testWith } from "../../support/server/test-with.ts";

const it = testWith(() => openCache());

const SIZE = 1_000_000;
const BYTES = sampleBytes(SIZE);
const WHOLE = { start: 0, end: SIZE };

type Reader = Awaited<ReturnType<typeof streamed>>;

/** What a stream gives until it ends or has an error. */
async function readOn(reader: Reader): Promise<{ readonly bytes: Buffer; readonly error: unknown }> {
  const pieces: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { bytes: Buffer.concat(pieces), error: null };
      pieces.push(value);
    }
  } catch (error) {
    return { bytes: Buffer.concat(pieces), error };
  }
}

describe("a connection that is cut", () => {
  it("is followed by one for the rest", async ({ cache, server }) => {
    const content = server.put(BYTES);
    server.next.push(endAfter(300_000), endAfter(200_000), endAfter(1));
    expect(await bytesOf(cache, content)).toEqual(BYTES);
    const starts = server.asked.map(({ start, end }) => [start, end]);
    expect(starts).toEqual([0, 300_000, 500_000, 500_001].map((start) => [start, SIZE]));
    await eventually(() => cache.has(content.digest));
  });

  it("may break in the middle of a piece", async ({ cache, server }) => {
    const content = server.put(BYTES);
    const go = Promise.withResolvers<void>();
    server.next.push(async function* send(bytes) {
      yield* heldAfter(400_000, go.promise)(bytes.subarray(0, 450_000));
      throw new Error("cut");
    });
    const reader = await streamed(cache, content);
    const { value } = await reader.read();
    go.resolve();
    const { bytes, error } = await readOn(reader);
    expect([Buffer.concat([value ?? BYTES, bytes]), error]).toEqual([Buffer.from(BYTES), null]);
  });

  it("is an error where no more comes", async ({ cache, server }) => {
    const content = server.put(BYTES);
    server.next.push(endAfter(300_000), endAfter(0));
    const { bytes, error } = await readOn(await streamed(cache, content));
    expect(reasonOf(error)).toContain("700000 bytes early");
    expect(bytes.equals(BYTES.subarray(0, bytes.length))).toBe(true);
    expect(await bytesOf(cache, content)).toEqual(BYTES);
  });

  it("is an error where the place is away then", async ({ cache, server }) => {
    const content = server.put(BYTES);
    server.next.push(function* send(bytes) {
      yield* inPieces(bytes.subarray(0, 300_000));
      server.isAway = true;
    });
    const { error } = await readOn(await streamed(cache, content));
    expect(error).toBeInstanceOf(CofferError);
  });

  it("is not followed for ever", async ({ cache, server }) => {
    const content = server.put(BYTES);
    server.next.push(...Array.from({ length: 20 }, () => endAfter(1)));
    const { error } = await readOn(await streamed(cache, content));
    expect(reasonOf(error)).toContain("bytes early");
    expect(server.asked.length).toBeLessThan(10);
  });
});

describe.each<[string, Sending, string]>([
  ["whose first byte is wrong", withWrong(0), "does not match its SHA-256"],
  ["whose last byte is wrong", withWrong(SIZE - 1), "does not match its SHA-256"],
  ["that is longer", withMore(Uint8Array.of(0)), "has more than 1000000 bytes"],
])("a content %s", (_, sending, problem) => {
  it("lacks its end for all who read it, is told of, and not kept", async (opened) => {
    const { cache, server, directory, damages } = opened;
    const content = server.put(BYTES);
    server.next.push(sending);
    const readers = [await streamed(cache, content), await streamed(cache, content)];
    for (const { bytes, error } of await Promise.all(readers.map(readOn))) {
      expect(reasonOf(error)).toContain(problem);
      expect(bytes.length).toBeLessThanOrEqual(SIZE - 64 * 1024);
    }
    expect(damages.map((damage) => [damage.digest, damage.problem])).toEqual([[content.digest, problem]]);
    await eventually(() => cache.figures().bytes === 0);
    expect(filesBelow(directory)).toEqual([]);
    expect(await bytesOf(cache, content)).toEqual(BYTES);
  });

  it("lacks its end where it is passed on", async ({ reopen, server, damages, directory }) => {
    const cache = await reopen({ maxBytes: SIZE });
    const content = server.put(BYTES);
    server.next.push(sending);
    const { bytes, error } = await readOn(await streamed(cache, content));
    expect(reasonOf(error)).toContain(problem);
    expect(bytes.length).toBeLessThan(SIZE);
    expect(damages.map((damage) => damage.problem)).toEqual([problem]);
    expect(await bytesOf(cache, content)).toEqual(BYTES);
    expect(filesBelow(directory)).toEqual([]);
  });
});

it("a response with wrong bytes is cut, not ended", async ({ cache, server }) => {
  const content = server.put(BYTES);
  server.next.push(withWrong(SIZE - 1));
  using sender = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: async () => new Response(await cache.read(content)),
  });
  expect(await failureOf((await fetch(sender.url)).bytes())).toBeInstanceOf(Error);
  expect(await (await fetch(sender.url)).bytes()).toEqual(BYTES);
});

describe("readers of one content", () => {
  it("share one fetch, each at its own pace", async ({ cache, server }) => {
    const content = server.put(BYTES);
    const readers = await Promise.all(Array.from({ length: 10 }, () => streamed(cache, content)));
    const [slow, ...fast] = readers;
    for (const { bytes, error } of await Promise.all(fast.map(readOn))) {
      expect([bytes, error]).toEqual([Buffer.from(BYTES), null]);
    }
    await eventually(() => cache.has(content.digest));
    await cache.remove(content.digest);
    if (slow !== undefined) expect((await readOn(slow)).bytes).toEqual(Buffer.from(BYTES));
    expect(server.asked).toEqual([WHOLE]);
  });

  it("get what has come while the rest is awaited, but for the end", async ({ cache, server }) => {
    const content = server.put(BYTES);
    const [most, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    server.next.push(async function* send(bytes) {
      yield* heldAfter(200_000, most.promise)(bytes.subarray(0, SIZE - 1));
      await last.promise;
      yield bytes.subarray(SIZE - 1);
    });
    const reader = await streamed(cache, content);
    let length = 0;
    const readTo = async (end: number) => {
      while (length < end) length += (await reader.read()).value?.length ?? 0;
    };
    await readTo(200_000);
    const late = await streamed(cache, content, { start: 100, end: 150_000 });
    expect((await readOn(late)).bytes).toEqual(Buffer.from(BYTES.subarray(100, 150_000)));
    most.resolve();
    await readTo(SIZE - 64 * 1024);
    expect(length).toBe(SIZE - 64 * 1024);
    last.resolve();
    await readTo(SIZE);
    expect(server.asked).toEqual([WHOLE]);
  });

  it("that leave do not end it for the others", async ({ cache, server }) => {
    const content = server.put(BYTES);
    const go = Promise.withResolvers<void>();
    server.next.push(heldAfter(100_000, go.promise));
    const [first, second] = [await streamed(cache, content), await streamed(cache, content)];
    await first.read();
    await first.cancel();
    go.resolve();
    expect((await readOn(second)).bytes).toEqual(Buffer.from(BYTES));
    expect(server.asked).toEqual([WHOLE]);
  });

  it("may all leave: a short rest is fetched still", async ({ cache, server }) => {
    const content = server.put(BYTES);
    const go = Promise.withResolvers<void>();
    server.next.push(heldAfter(100_000, go.promise));
    const reader = await streamed(cache, content);
    await reader.cancel();
    go.resolve();
    await eventually(() => cache.has(content.digest));
    expect(server.asked).toEqual([WHOLE]);
  });

  it("may all leave: a long rest is not fetched", async ({ cache, server, directory }) => {
    const long = sampleBytes(20 * 1024 * 1024);
    const content = server.put(long);
    let isLeft = false;
    server.next.push(async function* send(bytes) {
      try {
        for (;;) {
          yield bytes.subarray(0, 1);
          await Bun.sleep(1);
        }
      } finally {
        isLeft = true;
      }
    });
    const reader = await streamed(cache, content);
    await reader.read();
    await reader.cancel();
    // Whoever comes next does not wait for what was given up.
    expect((await bytesOf(cache, content)).length).toBe(long.length);
    await eventually(() => isLeft && cache.has(content.digest));
    expect(filesBelow(directory)).toHaveLength(1);
    expect(server.asked).toHaveLength(2);
  });
});

test.skipIf(NO_OPEN_FILES !== "")(
  withReason("a body that nobody reads and nobody cancels is given up once it is lost", NO_OPEN_FILES),
  async () => {
    await using opened = await openCache();
    const { cache, server, directory } = opened;
    const content = server.put(BYTES);
    await (async () => void (await cache.read(content)))();
    await eventually(() => cache.has(content.digest));
    await eventually(async () => {
      Bun.gc(true);
      await Bun.sleep(1);
      return openFiles()?.some((path) => path.startsWith(directory)) === false;
    });
  },
);

test("a content that ranges have earned is fetched to its end, though they are read", async () => {
  await using opened = await openCache(128 * 1024 * 1024);
  const { cache, server } = opened;
  const size = 36 * 1024 * 1024;
  const content = server.put(new Uint8Array(size));
  const go = Promise.withResolvers<void>();
  const range = { start: 0, end: size / 3 };
  server.next.push(inPieces, inPieces, heldAfter(range.end + 100, go.promise));
  for (let round = 0; round < 3; round += 1)
    expect(await bytesOf(cache, content, range)).toHaveLength(range.end);
  go.resolve();
  await eventually(() => cache.has(content.digest));
  expect(server.asked).toEqual([range, range, { start: 0, end: size }]);
});

it("no file stays open once all have read or left", async ({ cache, server, directory }) => {
  const content = server.put(BYTES);
  const readers = await Promise.all([1, 2, 3, 4].map(() => streamed(cache, content)));
  await readers[0]?.read();
  await Promise.all([readers[0]?.cancel(), readers[1]?.cancel(), readers[2] && readOn(readers[2])]);
  // This one does not ask whether more follows.
  for (let length = 0; length < SIZE;) length += (await readers[3]?.read())?.value?.length ?? 0;
  await eventually(() => cache.has(content.digest));
  await eventually(() => openFiles()?.some((path) => path.startsWith(directory)) !== true);
});

it("a directory that is removed meanwhile changes nothing for who reads", async (opened) => {
  const { cache, server, directory, logged } = opened;
  const content = server.put(BYTES);
  const go = Promise.withResolvers<void>();
  server.next.push(heldAfter(300_000, go.promise));
  const reader = await streamed(cache, content);
  await reader.read();
  rmSync(directory, { recursive: true });
  go.resolve();
  const { error } = await readOn(reader);
  expect([error, logged]).toEqual([null, []]);
  for (let round = 0; round < 3; round += 1) {
    await eventually(async () => {
      expect(await bytesOf(cache, content)).toEqual(BYTES);
      return cache.has(content.digest);
    });
    rmSync(directory, { recursive: true });
  }
  expect(logged).toEqual([]);
});

it("a content that is removed while it is fetched is not kept", async ({ cache, server, directory }) => {
  const content = server.put(BYTES);
  const go = Promise.withResolvers<void>();
  server.next.push(heldAfter(300_000, go.promise));
  const reader = await streamed(cache, content);
  await cache.remove(content.digest);
  go.resolve();
  expect((await readOn(reader)).error).toBe(null);
  await eventually(() => cache.figures().bytes === 0);
  expect([cache.has(content.digest), filesBelow(directory)]).toEqual([false, []]);
});

it("a cache that closes ends what is read from it", async ({ cache, server, directory }) => {
  const content = server.put(BYTES);
  const small = server.put(BYTES.slice(0, 20_000));
  const never = new Promise<void>(() => {});
  server.next.push(heldAfter(300_000, never), heldAfter(100, never));
  const reader = await streamed(cache, content);
  const failing = failureOf(cache.readAll(small));
  await eventually(() => server.asked.length === 2);
  await cache.close();
  expect((await readOn(reader)).error).toBeInstanceOf(Error);
  expect(await failing).toBeInstanceOf(Error);
  expect(filesBelow(directory)).toEqual([]);
});

it("a cache that closes ends what is being opened", async ({ reopen, server }) => {
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open: typeof server.open = async (...of) => {
    asked.resolve();
    await go.promise;
    return server.open(...of);
  };
  const cache = await reopen({ remote: { open } });
  server.next.push(heldAfter(300_000, new Promise(() => {})));
  const failing = failureOf(bytesOf(cache, server.put(BYTES)));
  await asked.promise;
  const closing = cache.close();
  go.resolve();
  await closing;
  expect(await failing).toBeInstanceOf(Error);
});

describe("a full disk", () => {
  const name = withReason("is for nobody who reads", NO_SMALL_DISK);
  test.skipIf(NO_SMALL_DISK !== "")(name, async () => {
    await using disk = await SmallDisk.mount(8);
    await using opened = await openCache(4 * 1024 * 1024, disk.outside);
    const { cache, server, clock, directory, logged } = opened;
    const content = server.put(BYTES);
    const small = server.put(BYTES.slice(0, 20_000));
    const go = Promise.withResolvers<void>();
    const otherBytes = sampleBytes(SIZE, 2);
    const other = server.put(otherBytes);
    server.next.push(heldAfter(400_000, go.promise), heldAfter(400_000, go.promise));
    const readers = await Promise.all(
      [other, content, content, content].map((each) => streamed(cache, each)),
    );
    await readers[1]?.read();
    disk.fill();
    // One of the four gets wrong bytes for the rest.
    server.next.push(inPieces, inPieces, withWrong(SIZE - 400_001), inPieces);
    go.resolve();
    const ends = await Promise.all(readers.map(readOn));
    expect(ends.flatMap(({ error }) => (error === null ? [] : [reasonOf(error)]))).toEqual([
      expect.stringContaining("does not match its SHA-256"),
    ]);
    for (const [at, { bytes, error }] of ends.entries()) {
      const expected = at === 0 ? otherBytes : BYTES;
      if (error === null) expect(bytes.equals(expected.subarray(SIZE - bytes.length))).toBe(true);
      if (error === null) expect(bytes.length).toBeGreaterThanOrEqual(SIZE - 64 * 1024);
    }
    expect(await bytesOf(cache, content)).toEqual(BYTES);
    expect(await bytesOf(cache, small)).toEqual(BYTES.slice(0, 20_000));
    expect(logged).toEqual([expect.stringContaining("contents are not cached for a while")]);
    expect(filesBelow(directory)).toEqual([]);
    expect(cache.figures().bytes).toBe(0);

    disk.clear();
    clock.advance(60_000);
    expect(await bytesOf(cache, content)).toEqual(BYTES);
    await eventually(() => cache.has(content.digest));
  });
});

it("the reserve of the disk is kept", async ({ reopen, server }) => {
  const cache = await reopen({ diskReserve: Number.MAX_SAFE_INTEGER });
  const content = server.put(BYTES);
  expect(await bytesOf(cache, content)).toEqual(BYTES);
  expect(cache.figures().bytes).toBe(0);
});

it("a read of what cannot be opened names why", async ({ cache, server }) => {
  const content = server.put(BYTES);
  server.isAway = true;
  const failures = [failureOf(cache.read(content)), failureOf(cache.read(content))];
  for (const failure of await Promise.all(failures)) expect(String(failure)).toContain("are away");
  server.isAway = false;
  expect(await refusalOf(cache.read({ ...content, size: SIZE + 1 }))).toContain("is missing");
});
