import { expect, test } from "bun:test";
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import {
  centralHeader,
  dataDescriptor,
  endOfArchive,
  localHeader,
  type ZipEntry,
} from "../../../src/domain/contents/zip.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough } from "../../support/server/thorough.ts";
import { ZipReader } from "../../support/samples/unzip.ts";

const GIB = 1024 ** 3;
const TIME = Date.UTC(2030, 0, 31, 12, 30, 59);
const SMALL = Buffer.from("Hello World!");

function entry(name: string, size: number, isDescribedAfter = false, modifiedAt = TIME): ZipEntry {
  return { name: Buffer.from(name), isFolder: name.endsWith("/"), size, modifiedAt, isDescribedAfter };
}

/** Writes an archive; of a content that is not given, a hole of its size. */
function write(path: string, files: readonly (readonly [ZipEntry, Buffer?])[]): void {
  const file = openSync(path, "w");
  const directory: Uint8Array[] = [];
  let at = 0;
  const add = (bytes: Uint8Array): void => void (at += writeSync(file, bytes, 0, bytes.length, at));
  for (const [each, content] of files) {
    const crc = content === undefined ? 0x12345678 : crc32(content);
    directory.push(centralHeader(each, crc, at));
    add(localHeader(each, crc));
    if (content === undefined) at += each.size;
    else add(content);
    if (each.isDescribedAfter) add(dataDescriptor(each, crc));
  }
  const offset = at;
  add(Buffer.concat(directory));
  add(endOfArchive({ count: files.length, offset, size: at - offset }));
  closeSync(file);
}

/** An archive, read. */
async function written(files: readonly (readonly [ZipEntry, Buffer?])[]): Promise<ZipReader> {
  await using place = await temporaryDirectory();
  const path = join(place.path, "a.zip");
  write(path, files);
  return await ZipReader.of(path);
}

const ARCHIVES: [name: string, files: (readonly [ZipEntry, Buffer?])[]][] = [
  ["nothing", []],
  ["a file", [[entry("a", 12), SMALL]]],
  ["a file that is described after", [[entry("a", 12, true), SMALL]]],
  ["one of 4 GiB less a byte", [[entry("a", 4 * GIB - 1, true)], [entry("b", 12), SMALL]]],
  ["one of 4 GiB less two bytes", [[entry("a", 4 * GIB - 2, true)], [entry("b", 12), SMALL]]],
  ["one of 5 GiB", [[entry("a", 5 * GIB, true)], [entry("b", 12, true), SMALL]]],
  ["one of 5 GiB that is not described after", [[entry("a", 5 * GIB)], [entry("b/", 0), Buffer.alloc(0)]]],
  [
    "one of 5 GiB behind another, and small ones between",
    [
      [entry("a", 5 * GIB, true)],
      [entry("b", 12), SMALL],
      [entry("c", 5 * GIB, true)],
      [entry("d", 12), SMALL],
    ],
  ],
  ["65535 entries", many(65535)],
];
if (isThorough()) ARCHIVES.push(["65534 entries", many(65534)], ["70000 entries", many(70000)]);

function many(count: number): (readonly [ZipEntry, Buffer])[] {
  return Array.from({ length: count }, (_, n) => [entry(`${n}`, 12), SMALL]);
}

test.each(ARCHIVES)("an archive of %s", async (_, files) => {
  using zip = await written(files);
  expect(zip.entries.map(({ name, size }) => [name, size])).toEqual(
    files.map(([{ name, size }]) => [Buffer.from(name).toString(), size]),
  );
  const others = zip.entries.filter((found, n) => {
    const content = files[n]?.[1];
    return content !== undefined && !zip.content(found).equals(content);
  });
  expect(others).toEqual([]);
});

test.each<[instant: string, told: number | null, dos: string]>([
  ["2030-01-31T12:30:59.999Z", Date.UTC(2030, 0, 31, 12, 30, 59) / 1000, "2030-1-31 12:30:58"],
  ["1970-01-01T00:00:00.000Z", 0, "1980-1-1 0:0:0"],
  ["1969-12-31T23:59:59.999Z", null, "1980-1-1 0:0:0"],
  ["2038-01-19T03:14:07.000Z", 2 ** 31 - 1, "2038-1-19 3:14:6"],
  ["2038-01-19T03:14:08.000Z", null, "2038-1-19 3:14:8"],
  ["2999-01-01T00:00:00.000Z", null, "2107-12-31 23:59:58"],
])("of %s it tells what the format can", async (instant, told, dos) => {
  const each = entry("a", 12, false, Date.parse(instant));
  using zip = await written([[each, SMALL]]);
  expect(zip.entries.map(({ modifiedAt }) => modifiedAt)).toEqual([told]);
  const header = Buffer.from(localHeader(each, 0));
  const [time, date] = [header.readUInt16LE(10), header.readUInt16LE(12)];
  const day = `${(date >> 9) + 1980}-${(date >> 5) & 15}-${date & 31}`;
  expect(`${day} ${time >> 11}:${(time >> 5) & 63}:${(time & 31) * 2}`).toBe(dos);
});

test("what it makes can be used by anybody, and is no link", async () => {
  using zip = await written([
    [entry("a", 12), SMALL],
    [entry("b/", 0), Buffer.alloc(0)],
  ]);
  expect(zip.entries.map(({ mode }) => mode)).toEqual([0o100644, 0o040755]);
});

/** Bytes that say which version and disk something is for or on, and attributes: no reader needs them. */
const UNREAD = { local: [4, 5], central: [4, 5, 6, 7, 34, 35, 36, 37, 38, 39, 40, 41] };
const UNREAD_AT_END = {
  short: [6, 7],
  zip64: [12, 13, 14, 15, 20, 21, 22, 23, 60, 61, 62, 63, 72, 73, 74, 75, 80, 81, 82, 83],
};
test.each<[name: string, file: readonly [ZipEntry, Buffer?], end: readonly number[]]>([
  ["12 bytes", [entry("a", 12, true), SMALL], UNREAD_AT_END.short],
  ["5 GiB", [entry("a", 5 * GIB, true)], UNREAD_AT_END.zip64],
])("the reader notices a changed byte around %s", async (_, changed, end) => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "a.zip");
  write(path, [changed]);
  const [each] = changed;
  const start = localHeader(each, 0).length;
  const directory = start + each.size + dataDescriptor(each, 0).length;
  const stop = directory + centralHeader(each, 0, 0).length;
  const size = Bun.file(path).size;
  const places = Array.from({ length: size - each.size }, (__, n) => (n < start ? n : n + each.size));
  const isRefused = () =>
    ZipReader.of(path).then(
      (zip) => (zip[Symbol.dispose](), false),
      () => true,
    );
  const unnoticed: number[] = [];
  const file = openSync(path, "r+");
  for (const at of places) {
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, at);
    writeSync(file, Buffer.from([~(byte[0] ?? 0) & 0xff]), 0, 1, at);
    if (!(await isRefused())) unnoticed.push(at);
    writeSync(file, byte, 0, 1, at);
  }
  expect(unnoticed).toEqual([
    ...UNREAD.local,
    ...UNREAD.central.map((at) => directory + at),
    ...end.map((at) => stop + at),
  ]);
  writeSync(file, SMALL, 0, 1, size);
  expect(await isRefused()).toBe(true);
  ftruncateSync(file, size - 1);
  expect(await isRefused()).toBe(true);
  closeSync(file);
});

test("the reader notices a changed byte of a content", async () => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "a.zip");
  write(path, [[entry("a", 12, true), SMALL]]);
  const file = openSync(path, "r+");
  writeSync(file, "J", localHeader(entry("a", 12, true), 0).length);
  closeSync(file);
  using zip = await ZipReader.of(path);
  expect(() => zip.texts()).toThrow("the CRC of a");
});
