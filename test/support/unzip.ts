import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";

/** An entry of an archive, as its directory tells of it. */
export interface Entry {
  readonly name: string;
  readonly size: number;
  readonly crc: number;
  /** Where its local header stands. */
  readonly offset: number;
  /** Seconds since the epoch, out of the extended timestamp; null without one. */
  readonly modifiedAt: number | null;
  readonly mode: number;
  readonly hasDescriptor: boolean;
}

interface Header {
  readonly entry: Omit<Entry, "offset" | "mode">;
  readonly bytes: number;
  readonly extra: ReadonlyMap<number, Buffer>;
}

const FULL = 0xffffffff;

/**
 * Reads an archive strictly, after APPNOTE.TXT: whatever is not as the format says throws, also what stands
 * between the entries, or in a local header otherwise than in the directory.
 */
export class ZipReader implements Disposable {
  readonly entries: readonly Entry[];
  readonly #file: number;
  readonly #size: number;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.#size = fstatSync(this.#file).size;
    this.entries = this.#directory();
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /** A content, which must have the CRC that is told of it. */
  content(entry: Entry): Buffer {
    const content = this.#read(entry.offset + this.#local(entry).bytes, entry.size);
    require(crc32(content) === entry.crc, `the CRC of ${entry.name}`);
    return content;
  }

  /** Every content as text, by its name. */
  texts(): Record<string, string> {
    return Object.fromEntries(this.entries.map((entry) => [entry.name, this.content(entry).toString()]));
  }

  #directory(): Entry[] {
    const end = this.#read(this.#size - 22, 22);
    require(end.readUInt32LE(0) === 0x06054b50, "the end");
    let [count, size, offset] = [end.readUInt16LE(8), end.readUInt32LE(12), end.readUInt32LE(16)];
    let stop = this.#size - 22;
    if (count === 0xffff || size === FULL || offset === FULL) {
      const locator = this.#read(this.#size - 42, 20);
      require(locator.readUInt32LE(0) === 0x07064b50, "the locator");
      stop = Number(locator.readBigUInt64LE(8));
      require(stop === this.#size - 98, "where the ZIP64 end is");
      const large = this.#read(stop, 56);
      require(large.readUInt32LE(0) === 0x06064b50 && large.readBigUInt64LE(4) === 44n, "the ZIP64 end");
      const number = (at: number) => Number(large.readBigUInt64LE(at));
      [count, size, offset] = [number(32), number(40), number(48)];
    }
    require(offset + size === stop, "where the directory ends");
    const directory = this.#read(offset, size);
    const entries: Entry[] = [];
    let at = 0;
    let next = 0;
    while (at < size) {
      require(directory.readUInt32LE(at) === 0x02014b50, "the directory");
      const { entry, bytes, extra } = headerOf(directory.subarray(at + 6), 40);
      const short = directory.readUInt32LE(at + 42);
      const large = extra.get(1);
      const found = {
        ...entry,
        offset:
          short === FULL && large !== undefined ? Number(large.readBigUInt64LE(large.length - 8)) : short,
        mode: directory.readUInt32LE(at + 38) >>> 16,
      };
      require(found.offset === next, `where ${entry.name} stands`);
      next = this.#endOf(found);
      entries.push(found);
      at += 6 + bytes;
    }
    require(next === offset && entries.length === count, "how many entries there are");
    require(new Set(entries.map(({ name }) => name)).size === count, "a name that is there twice");
    return entries;
  }

  #local(entry: Entry): Header {
    const fixed = this.#read(entry.offset, 30);
    require(fixed.readUInt32LE(0) === 0x04034b50, `the local header of ${entry.name}`);
    const length = 30 + fixed.readUInt16LE(26) + fixed.readUInt16LE(28);
    const header = headerOf(this.#read(entry.offset, length).subarray(4), 26);
    return { ...header, bytes: 4 + header.bytes };
  }

  /** Where the next entry starts; the local header and the descriptor must say what the directory says. */
  #endOf(entry: Entry): number {
    const { entry: local, bytes, extra } = this.#local(entry);
    const { name, hasDescriptor, modifiedAt } = entry;
    const [size, crc] = hasDescriptor ? [0, 0] : [entry.size, entry.crc];
    const expected = { name, hasDescriptor, modifiedAt, size, crc };
    require(Bun.deepEquals(local, expected), `the local header of ${name}: ${JSON.stringify(local)}`);
    const end = entry.offset + bytes + entry.size;
    if (!hasDescriptor) return end;
    const isLarge = extra.has(1);
    require(isLarge === entry.size >= FULL, `the size of the descriptor of ${name}`);
    const descriptor = this.#read(end, isLarge ? 24 : 16);
    const told = isLarge ? Number(descriptor.readBigUInt64LE(16)) : descriptor.readUInt32LE(12);
    require(descriptor.readUInt32LE(0) === 0x08074b50 &&
      descriptor.readUInt32LE(4) === entry.crc &&
      told === entry.size, `the descriptor of ${name}`);
    return end + descriptor.length;
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    require(at >= 0 && readSync(this.#file, bytes, 0, length, at) === length, `the bytes from ${at}`);
    return bytes;
  }
}

/** What local headers and those of the directory share, from the flags on. @param fixed bytes before the name */
function headerOf(bytes: Buffer, fixed: number): Header {
  const flags = bytes.readUInt16LE(2);
  require((flags & ~0x0808) === 0 && (flags & 0x0800) !== 0 && bytes.readUInt16LE(4) === 0, "the method");
  const [nameLength, extraLength] = [bytes.readUInt16LE(22), bytes.readUInt16LE(24)];
  const name = bytes.subarray(fixed, fixed + nameLength);
  const extra = extraFields(bytes.subarray(fixed + nameLength, fixed + nameLength + extraLength));
  const short = bytes.readUInt32LE(18);
  require(bytes.readUInt32LE(14) === short, "stored contents are not compressed");
  const large = extra.get(1);
  const time = extra.get(0x5455);
  return {
    entry: {
      name: new TextDecoder("utf-8", { fatal: true }).decode(name),
      size: short === FULL && large !== undefined ? Number(large.readBigUInt64LE(0)) : short,
      crc: bytes.readUInt32LE(10),
      modifiedAt: time === undefined ? null : time.readInt32LE(1),
      hasDescriptor: (flags & 0x0008) !== 0,
    },
    bytes: fixed + nameLength + extraLength,
    extra,
  };
}

function extraFields(bytes: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt16LE(at + 2)) {
    fields.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, at + 4 + bytes.readUInt16LE(at + 2)));
  }
  return fields;
}

function require(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`the archive is wrong: ${what}`);
}

/** What the system's `unzip` thinks of an archive: 0 where all is well, null where there is none. */
export function systemUnzipTest(path: string): number | null {
  const unzip = Bun.which("unzip");
  return unzip === null ? null : Bun.spawnSync([unzip, "-tqq", path]).exitCode;
}
