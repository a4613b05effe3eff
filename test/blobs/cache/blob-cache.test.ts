import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contentPath, DamagedBlob } from "../../../src/blobs/blob-file.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { endAfter, withMore, withWrong } from "../../support/peers/blob-server.ts";
import { digestOf, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { failureOf, refusalOf } from "../../support/samples/failure.ts";
import { bytesOf, filesBelow, openCache, reasonOf } from "../../support/server/blob-cache.ts";
import { eventually } from "../../support/server/scenario.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { testWith } from "../../support/server/test-with.ts";

const it = testWith(() => openCache());

const SMALL = sampleBytes(20_000);
const LARGE = sampleBytes(1_000_000);

describe.each([
  ["small", SMALL],
  ["large", LARGE],
])("a %s content", (_, bytes) => {
  const middle = { start: 10_000, end: 10_007 };

  it("is fetched once, and is a private file from then on", async ({ cache, server, directory }) => {
    const content = server.put(bytes);
    expect(cache.has(content.digest)).toBe(false);
    expect(await bytesOf(cache, content)).toEqual(bytes);
    await eventually(() => cache.has(content.digest));
    expect(await cache.read(content)).toBeInstanceOf(Blob);
    expect(await bytesOf(cache, content)).toEqual(bytes);
    expect(await bytesOf(cache, content, middle)).toEqual(bytes.subarray(10_000, 10_007));
    expect(server.asked).toEqual([{ start: 0, end: bytes.length }]);
    expect(cache.figures()).toMatchObject({ count: 1, hits: 3, misses: 1 });
    const path = contentPath(directory, content.digest);
    const modes = [path, dirname(path), directory].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700, 0o700]);
    expect(filesBelow(directory)).toHaveLength(1);
  });

  it("is read in every way, here and where it is kept", async ({ cache, server }) => {
    const content = server.put(bytes);
    for (let round = 0; round < 2; round += 1) {
      const pieces: Uint8Array[] = [];
      for await (const piece of cache.pieces(content, 5000)) pieces.push(piece.slice());
      expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes));
      expect(bytes === SMALL || Math.max(...pieces.map(({ length }) => length)) <= 5000).toBe(true);
      expect(await cache.readAll(content)).toEqual(bytes);
      expect(await cache.readBeginning(content, 100)).toEqual(bytes.slice(0, 100));
      expect(await cache.readBeginning(content, 9_000_000)).toEqual(bytes);
      expect(await bytesOf(cache, content, { start: 5, end: 5 })).toEqual(new Uint8Array());
      if (round === 0) await cache.clear();
    }
  });

  it("that is not there, or cannot be reached, is an error before any byte", async ({ cache, server }) => {
    const content = server.put(bytes);
    server.isAway = true;
    for (const range of [undefined, middle]) {
      expect(await failureOf(cache.read(content, range))).toBeInstanceOf(CofferError);
    }
    server.isAway = false;
    server.remove(content);
    for (const range of [undefined, middle]) {
      expect(await failureOf(cache.read(content, range))).toBeInstanceOf(DamagedBlob);
    }
    expect(await failureOf(cache.readAll(content))).toBeInstanceOf(DamagedBlob);
  });

  it("whose file is gone, cut short or another thing is fetched again", async (opened) => {
    const { cache, server, directory } = opened;
    const content = server.put(bytes);
    const path = contentPath(directory, content.digest);
    for (const spoil of [
      () => truncate(path, 10),
      () => writeFile(path, "longer", { flag: "a" }),
      () => rm(path),
    ]) {
      await cache.readAll(content);
      await eventually(() => cache.has(content.digest));
      await spoil();
      expect(await bytesOf(cache, content)).toEqual(bytes);
      await eventually(() => cache.has(content.digest) && statSync(path).size === bytes.length);
    }
    expect(server.asked).toHaveLength(4);
  });

  it("that was uploaded is here at once", async ({ cache, server, directory }) => {
    const content = { digest: digestOf(bytes), size: bytes.length };
    await using elsewhere = await temporaryDirectory(tmpdir());
    for (const place of [dirname(directory), elsewhere.path]) {
      const path = join(place, "uploaded");
      writeFileSync(path, bytes, { mode: 0o600 });
      await cache.add(content, path);
      expect([existsSync(path), cache.has(content.digest)]).toEqual([false, true]);
      expect(await bytesOf(cache, content)).toEqual(bytes);
      expect(filesBelow(directory)).toHaveLength(1);
      await cache.remove(content.digest);
      expect([cache.has(content.digest), filesBelow(directory)]).toEqual([false, []]);
    }
    expect(server.asked).toEqual([]);
  });

  it("is not taken from a file of another size", async ({ cache, directory }) => {
    const path = join(dirname(directory), "uploaded");
    writeFileSync(path, bytes);
    await cache.add({ digest: digestOf(bytes), size: bytes.length + 1 }, path);
    expect([existsSync(path), cache.figures().bytes]).toEqual([false, 0]);
  });
});

it("a small content that has changed here is fetched again", async ({ cache, server, directory }) => {
  const content = server.put(SMALL);
  await cache.readAll(content);
  const path = contentPath(directory, content.digest);
  await writeFile(path, withFlip(SMALL));
  expect(await bytesOf(cache, content)).toEqual(SMALL);
  expect(await Bun.file(path).bytes()).toEqual(SMALL);
});

it("a small content with wrong bytes gives none, and is not kept", async (opened) => {
  const { cache, server, damages, directory } = opened;
  const content = server.put(SMALL);
  server.next.push(withWrong(19_999), endAfter(19_999), withMore(Uint8Array.of(1)));
  expect(await refusalOf(cache.read(content, { start: 0, end: 5 }))).toContain("does not match its SHA-256");
  expect(reasonOf(await failureOf(cache.read(content)))).toContain("1 bytes early");
  expect(await refusalOf(cache.read(content))).toContain("has more than 20000 bytes");
  expect(damages.map(({ problem }) => problem)).toEqual([
    "does not match its SHA-256",
    "has more than 20000 bytes",
  ]);
  expect([cache.figures().bytes, filesBelow(directory)]).toEqual([0, []]);
  expect(await bytesOf(cache, content)).toEqual(SMALL);
});

it("many who ask for a small content cause one fetch", async ({ cache, server }) => {
  const content = server.put(SMALL);
  const all = await Promise.all(Array.from({ length: 20 }, () => bytesOf(cache, content)));
  for (const bytes of all) expect(bytes).toEqual(SMALL);
  expect(server.asked).toHaveLength(1);
});

it("a large content that has changed here fails once its pieces are read, and is fetched then", async (opened) => {
  const { cache, server, directory } = opened;
  const content = server.put(LARGE);
  await cache.readAll(content);
  await eventually(() => cache.has(content.digest));
  await writeFile(contentPath(directory, content.digest), withFlip(LARGE));
  expect(reasonOf(await failureOf(Array.fromAsync(cache.pieces(content))))).toContain("its SHA-256");
  expect(Buffer.concat(await Array.fromAsync(cache.pieces(content), (piece) => piece.slice()))).toEqual(
    Buffer.from(LARGE),
  );
  await eventually(() => cache.has(content.digest));
  await writeFile(contentPath(directory, content.digest), withFlip(LARGE));
  server.isAway = true;
  expect(await failureOf(cache.readAll(content))).toBeInstanceOf(CofferError);
  expect(cache.has(content.digest)).toBe(false);
  server.isAway = false;
  expect(await cache.readAll(content)).toEqual(LARGE);
});

describe("a range that is not here", () => {
  const range = { start: 300_000, end: 500_000 };

  it("is fetched alone, and not kept", async ({ cache, server, directory }) => {
    const content = server.put(LARGE);
    expect(await bytesOf(cache, content, range)).toEqual(LARGE.subarray(300_000, 500_000));
    expect([server.asked, filesBelow(directory)]).toEqual([[range], []]);
  });

  it("is an error where it is shorter or longer", async ({ cache, server }) => {
    const content = server.put(LARGE);
    server.next.push(endAfter(199_999), withMore(Uint8Array.of(1)), endAfter(0));
    expect(reasonOf(await failureOf(bytesOf(cache, content, range)))).toContain("1 bytes early");
    expect(reasonOf(await failureOf(bytesOf(cache, content, range)))).toContain("beyond byte 500000");
    expect(reasonOf(await failureOf(bytesOf(cache, content, range)))).toContain("200000 bytes early");
  });

  it("makes the content come whole once as many bytes were asked for", async ({ cache, server }) => {
    const content = server.put(LARGE);
    for (let round = 0; round < 5; round += 1) {
      expect(cache.has(content.digest)).toBe(false);
      expect(await bytesOf(cache, content, range)).toEqual(LARGE.subarray(300_000, 500_000));
    }
    await eventually(() => cache.has(content.digest));
    const whole = { start: 0, end: 1_000_000 };
    expect(server.asked.toSorted((a, b) => b.start - a.start)).toEqual([
      range,
      range,
      range,
      range,
      range,
      whole,
    ]);
    expect(await cache.read(content, range)).toBeInstanceOf(Blob);
  });
});

it("a file that was given out is sent whole though it is removed then", async ({ cache, server }) => {
  const content = server.put(LARGE);
  await cache.readAll(content);
  await eventually(() => cache.has(content.digest));
  using sender = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async () => {
      const found = await cache.read(content);
      setImmediate(() => void cache.remove(content.digest));
      return new Response(found);
    },
  });
  expect(await (await fetch(sender.url)).bytes()).toEqual(LARGE);
  await eventually(() => !cache.has(content.digest));
});

it("a directory that is a link is refused", async ({ reopen, directory }) => {
  mkdirSync(`${directory}-2`);
  symlinkSync(`${directory}-2`, `${directory}-3`);
  expect(await refusalOf(reopen({ directory: `${directory}-3` }))).toContain("is a symbolic link");
});

/** The same with its last byte changed. */
function withFlip(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return changed;
}
