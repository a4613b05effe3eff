import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Entry as Found, ExtraField, LocalFileHeader } from "yauzl";
import { fromRandomAccessReaderPromise, parseExtraFields, RandomAccessReader } from "yauzl";

/** An entry of an archive, as in its directory. */
interface Entry {
  readonly name: string;
  readonly size: number;
  readonly crc: number;
  /** Seconds since the epoch, from the extended timestamp; null without one. */
  readonly modifiedAt: number | null;
  readonly mode: number;
  /** Where its content starts. */
  readonly start: number;
}

const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;
const ZIP64 = 0x0001;
const TIMESTAMP = 0x5455;
const HAS_DESCRIPTOR = 0x0008;
const NAME_IS_UTF8 = 0x0800;

/**
 * Reads an archive's headers with yauzl, and checks more of APPNOTE.TXT than yauzl does, as other programs may: every byte
 * belongs to an entry, the directory or the end; local headers, descriptors and the end agree with the directory; each
 * content is stored and has its CRC; names are UTF-8 and unique.
 */
export class ZipReader implements Disposable {
  readonly entries: readonly Entry[];
  readonly #file: FileBytes;

  private constructor(file: FileBytes, entries: readonly Entry[]) {
    this.#file = file;
    this.entries = entries;
  }

  static async of(path: string): Promise<ZipReader> {
    const file = new FileBytes(path);
    try {
      return new ZipReader(file, await entriesOf(file));
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  /** A content. Checks its CRC, which yauzl does not. */
  content({ name, size, crc, start }: Entry): Buffer {
    const content = this.#file.bytes(start, size);
    require(crc32(content) === crc, `the CRC of ${name}`);
    return content;
  }

  /** Every content as text, by name. */
  texts(): Record<string, string> {
    return Object.fromEntries(this.entries.map((entry) => [entry.name, this.content(entry).toString()]));
  }
}

/** Reads synchronously: with yauzl's own reader, 70,000 entries take four times as long. */
class FileBytes extends RandomAccessReader implements Disposable {
  readonly size: number;
  readonly #file: number;

  constructor(path: string) {
    super();
    this.#file = openSync(path, "r");
    this.size = fstatSync(this.#file).size;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  bytes(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    require(at >= 0 && readSync(this.#file, bytes, 0, length, at) === length, `the bytes from ${at}`);
    return bytes;
  }

  /** For yauzl. An error of `bytes` rejects yauzl's promise. */
  override read(
    into: Buffer,
    offset: number,
    length: number,
    at: number,
    done: (error: Error | null) => void,
  ): void {
    into.set(this.bytes(at, length), offset);
    done(null);
  }
}

async function entriesOf(file: FileBytes): Promise<Entry[]> {
  // Names stay bytes: yauzl refuses some that a drive may have, such as `C:/`, and changes others.
  const zip = await fromRandomAccessReaderPromise(file, file.size, {
    autoClose: false,
    decodeStrings: false,
  });
  const entries: Entry[] = [];
  let next = 0;
  let size = 0;
  for await (const found of zip.eachEntry()) {
    require(found.relativeOffsetOfLocalHeader === next, `where entry ${entries.length} stands`);
    const local = await zip.readLocalFileHeaderPromise(found);
    entries.push(entryOf(found, local));
    next = endOf(file, found, local);
    size += 46 + found.fileNameLength + found.extraFieldLength + found.fileCommentLength;
  }
  require(new Set(entries.map(({ name }) => name)).size === entries.length, "a name that is there twice");
  requireEnd(file, entries.length, next, size);
  return entries;
}

function entryOf(found: Found, local: LocalFileHeader): Entry {
  const flags = found.generalPurposeBitFlag;
  require((flags & ~HAS_DESCRIPTOR) === NAME_IS_UTF8 && found.compressionMethod === 0, "the method");
  return {
    name: new TextDecoder("utf-8", { fatal: true }).decode(found.fileNameRaw),
    size: found.uncompressedSize,
    crc: found.crc32,
    modifiedAt: field(found.extraFields, TIMESTAMP)?.readInt32LE(1) ?? null,
    mode: found.externalFileAttributes >>> 16,
    start: local.fileDataStart,
  };
}

/** Where the next entry starts. yauzl does not check local headers or descriptors. */
function endOf(file: FileBytes, found: Found, local: LocalFileHeader): number {
  const hasDescriptor = (found.generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0;
  const size = found.uncompressedSize;
  const extra = parseExtraFields(local.extraField);
  const large = field(extra, ZIP64);
  const sizeAt = (short: number, at: number) =>
    short === FULL_32 && large !== undefined ? number(large, at, 8) : short;
  const told = {
    name: local.fileName,
    method: [local.generalPurposeBitFlag, local.compressionMethod],
    time: [local.lastModFileDate, local.lastModFileTime, field(extra, TIMESTAMP)],
    content: [local.crc32, sizeAt(local.uncompressedSize, 0), sizeAt(local.compressedSize, 8)],
  };
  const expected = {
    name: found.fileNameRaw,
    method: [found.generalPurposeBitFlag, found.compressionMethod],
    time: [found.lastModFileDate, found.lastModFileTime, field(found.extraFields, TIMESTAMP)],
    content: hasDescriptor ? [0, 0, 0] : [found.crc32, size, size],
  };
  require(Bun.deepEquals(told, expected), `the local header of ${local.fileName.toString()}`);
  const end = local.fileDataStart + size;
  if (!hasDescriptor) return end;
  require((large !== undefined) === size >= FULL_32, `the size of the descriptor at ${end}`);
  return end + requireDescriptor(file, end, found, large === undefined ? 4 : 8);
}

/** @param width bytes of each size field @returns the length of the descriptor in bytes */
function requireDescriptor(file: FileBytes, at: number, found: Found, width: 4 | 8): number {
  const descriptor = file.bytes(at, 8 + 2 * width);
  const sizes = [8, 8 + width].map((place) => number(descriptor, place, width));
  const told = [number(descriptor, 0, 4), number(descriptor, 4, 4), ...sizes];
  const expected = [0x08074b50, found.crc32, found.uncompressedSize, found.uncompressedSize];
  require(Bun.deepEquals(told, expected), `the descriptor at ${at}`);
  return descriptor.length;
}

/**
 * Checks what follows the directory. yauzl reads only the start of the directory and the number of entries there; with
 * ZIP64 it ignores the short fields.
 */
function requireEnd(file: FileBytes, count: number, offset: number, size: number): void {
  const stop = offset + size;
  const end = file.bytes(file.size - 22, 22);
  const short = [end.readUInt16LE(8), end.readUInt16LE(10), number(end, 12, 4), number(end, 16, 4)];
  const isLarge = count >= FULL_16 || size >= FULL_32 || offset >= FULL_32;
  const capped = [Math.min(count, FULL_16), Math.min(count, FULL_16)];
  capped.push(Math.min(size, FULL_32), Math.min(offset, FULL_32));
  require(number(end, 0, 4) === 0x06054b50 && Bun.deepEquals(short, capped), "the end");
  require(file.size === stop + (isLarge ? 98 : 22), "where the directory ends");
  if (!isLarge) return;
  const large = file.bytes(stop, 76);
  const told = [4, 24, 32, 40, 48].map((at) => number(large, at, 8));
  const isRight =
    number(large, 0, 4) === 0x06064b50 && Bun.deepEquals(told, [44, count, count, size, offset]);
  require(isRight, "the ZIP64 end");
  require(number(large, 56, 4) === 0x07064b50 && number(large, 64, 8) === stop, "the locator");
}

function number(bytes: Buffer, at: number, length: 4 | 8): number {
  return length === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at);
}

function field(fields: readonly ExtraField[], id: number): Buffer | undefined {
  return fields.find((each) => each.id === id)?.data;
}

function require(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`the archive is wrong: ${what}`);
}

/** The exit code of the system's `unzip` for an archive: 0 if it is valid; null if there is no `unzip`. */
export function systemUnzipTest(path: string): number | null {
  const unzip = Bun.which("unzip");
  return unzip === null ? null : Bun.spawnSync([unzip, "-tqq", path]).exitCode;
}
