import { expect, test } from "bun:test";
import { tarEnd, tarHeader } from "../../src/backup/tar.ts";
import { BadTar, readTar, tarPadding } from "../../src/domain/contents/tar.ts";
import { failureOf } from "../support/samples/failure.ts";

/** Around the size of a block, and none at all. */
const SIZES = [0, 1, 511, 512, 513, 5000];

function archive(sizes: readonly number[]): Uint8Array {
  const files = sizes.flatMap((size) => [
    tarHeader(`a/${size}`, size),
    new Uint8Array(size).fill(size % 251),
    tarPadding(size),
  ]);
  return Buffer.concat([...files, tarEnd()]);
}

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(source: AsyncIterable<Uint8Array>): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for await (const { name, size, bytes } of readTar(source)) {
    let length = 0;
    for await (const piece of bytes) {
      expect(piece.every((byte) => byte === size % 251)).toBe(true);
      length += piece.length;
    }
    expect(length).toBe(size);
    found.push([name, size]);
  }
  return found;
}

test("archives are as others write and read them, without a block too many", async () => {
  const expected = SIZES.map((size): [string, number] => [`a/${size}`, size]);
  const bytes = archive(SIZES);
  expect(bytes.length).toBe(512 * (SIZES.length + 0 + 1 + 1 + 1 + 2 + 10 + 2));
  const files = await new Bun.Archive(bytes).files();
  expect([...files].map(([name, { size }]) => [name, size])).toEqual(
    expect.arrayContaining(expected.filter(([, size]) => size > 0)),
  );
  for (const length of [1, 512, 700, bytes.length])
    expect(await read(pieces(bytes, length))).toEqual(expected);
  const others = await new Bun.Archive({ "a/5": new Uint8Array(5).fill(5) }).bytes();
  expect(await read(pieces(others, 512))).toEqual([["a/5", 5]]);
});

test("what is not read of a file is skipped", async () => {
  const names: string[] = [];
  for await (const { name } of readTar(pieces(archive(SIZES), 100))) names.push(name);
  expect(names).toEqual(SIZES.map((size) => `a/${size}`));
});

test.each([8 ** 11 - 1, 8 ** 11, 5 * 1024 ** 4])(
  "a file of %i bytes has its size in the header",
  async (size) => {
    for await (const entry of readTar(pieces(tarHeader("large", size), 512))) {
      expect(entry.size).toBe(size);
      break;
    }
  },
);

test("a header with a wrong sum, and an archive that is cut off, are refused", async () => {
  const bytes = archive([700]);
  const changed = Uint8Array.from(bytes);
  changed[0] = 0x62;
  for (const wrong of [bytes.subarray(0, 1000), bytes.subarray(0, 1536), changed]) {
    expect(await failureOf(read(pieces(wrong, 512)))).toBeInstanceOf(BadTar);
  }
  expect(await read(pieces(bytes, 512))).toEqual([["a/700", 700]]);
});
