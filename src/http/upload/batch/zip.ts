import { setImmediate as nextTurn } from "node:timers/promises";
import type { Inflate } from "fflate";
import { type CofferError, invalid } from "../../../domain/errors.ts";
import { type ByteSource, endsEarly, FixedLength, type Packed, skip } from "./byte-source.ts";
import { archiveEntry, type BatchEntry } from "./entry.ts";
import { piecesOf } from "./tar.ts";

/** A local file header, without its names (APPNOTE.TXT 6.3.10, section 4.3.7). */
const LOCAL = { signature: 0x04034b50, bytes: 30 };
/** What may come after the entries: the directory (4.3.12), its end (4.3.16), or a record before it (4.3.11). */
const AFTER_ENTRIES: readonly number[] = [0x02014b50, 0x06054b50, 0x08064b50];
/** A data descriptor, with sizes of 8 bytes (4.3.9). */
const DESCRIPTOR = { signature: Buffer.from([0x50, 0x4b, 0x07, 0x08]), bytes: 24 };
const ZIP64_FIELD = 1;
const FULL_32 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
const [IS_ENCRYPTED, HAS_DESCRIPTOR] = [1, 8];

/** How many bytes are inflated at once: they may come to a thousand times as many. */
const INFLATED_AT_ONCE = 1024;
/** After so many bytes that came of it others have their turn. */
const TURN_BYTES = 512 * 1024;

/** What is checked of a content once all of it is there; not known before it where a descriptor comes behind it. */
interface Sums {
  readonly crc: number;
  readonly size: number;
}

/**
 * The entries of a ZIP archive as it comes, by their local headers: its directory is at its end. fflate's `Unzip` reads
 * these too, but does not say which are encrypted, and keeps what nobody reads. Throws VALIDATION_ERROR where it is
 * malformed.
 */
export async function* zipEntries(source: ByteSource): AsyncGenerator<BatchEntry> {
  // Not before it is needed: few archives come.
  const { Inflate } = await import("fflate");
  for (;;) {
    const start = await source.block(4);
    const signature = start === null ? null : Buffer.from(start).readUInt32LE();
    if (signature !== null && AFTER_ENTRIES.includes(signature)) return;
    if (signature !== LOCAL.signature) throw malformed("there is no entry where one should begin");
    const header = Buffer.from(await source.rest(LOCAL.bytes - 4));
    const [flags, method] = [header.readUInt16LE(2), header.readUInt16LE(4)];
    const name = await source.rest(header.readUInt16LE(22));
    const extra = await source.rest(header.readUInt16LE(24));
    const content = contentOf(source, header, extra);
    yield archiveEntry(name, false, problemOf(flags, method), () =>
      checked(method === STORED ? piecesOf(content) : inflated(content, new Inflate()), () => content.sums),
    );
    await skip(content);
  }
}

function problemOf(flags: number, method: number): CofferError | null {
  if ((flags & IS_ENCRYPTED) !== 0) return invalid("path", "is encrypted: send it without a password");
  if (method === STORED || method === DEFLATED) return null;
  return invalid("path", "is packed in a way that is not read: pack it with deflate");
}

type Content = Packed & { readonly sums: Sums | null };

function contentOf(source: ByteSource, header: Buffer, extra: Uint8Array): Content {
  if ((header.readUInt16LE(2) & HAS_DESCRIPTOR) !== 0) return new UpToDescriptor(source);
  const [crc, packed, size] = [header.readUInt32LE(10), header.readUInt32LE(14), header.readUInt32LE(18)];
  const large = packed === FULL_32 || size === FULL_32 ? largeSizes(extra) : { packed, size };
  return Object.assign(new FixedLength(source, large.packed), { sums: { crc, size: large.size } });
}

/** The sizes in the ZIP64 field (4.5.3). */
function largeSizes(extra: Uint8Array): { packed: number; size: number } {
  const fields = Buffer.from(extra);
  for (let at = 0; at + 4 <= fields.length; at += 4 + fields.readUInt16LE(at + 2)) {
    if (fields.readUInt16LE(at) !== ZIP64_FIELD || fields.length < at + 20) continue;
    return {
      size: Number(fields.readBigUInt64LE(at + 4)),
      packed: Number(fields.readBigUInt64LE(at + 12)),
    };
  }
  throw malformed("a size is missing");
}

/** The bytes before a data descriptor: the first that tells as many of them as there are. */
class UpToDescriptor implements Content {
  sums: Sums | null = null;
  readonly #source: ByteSource;
  /** How many bytes were before what comes next. */
  #length = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.sums !== null) return null;
    const bytes = await this.#some();
    for (let at = bytes.indexOf(DESCRIPTOR.signature); at !== -1;) {
      if (at + DESCRIPTOR.bytes > bytes.length) return this.#give(bytes, at);
      const after = this.#endAt(bytes.subarray(at), this.#length + at);
      if (after > 0) {
        this.#source.unread(bytes.subarray(at + after));
        return bytes.subarray(0, at);
      }
      at = bytes.indexOf(DESCRIPTOR.signature, at + 1);
    }
    return this.#give(bytes, bytes.length - DESCRIPTOR.signature.length);
  }

  /** At least as many bytes as a descriptor has: after the last one is the directory, which is longer. */
  async #some(): Promise<Buffer> {
    const first = Buffer.from(await this.#source.rest(DESCRIPTOR.bytes * 2));
    const more = await this.#source.some(Number.MAX_SAFE_INTEGER);
    return more === null ? first : Buffer.concat([first, more]);
  }

  #give(bytes: Buffer, count: number): Uint8Array {
    if (count <= 0) throw endsEarly();
    this.#source.unread(bytes.subarray(count));
    this.#length += count;
    return bytes.subarray(0, count);
  }

  /** The length of the descriptor that the bytes begin with; 0 if they are something else. */
  #endAt(bytes: Buffer, length: number): number {
    const crc = bytes.readUInt32LE(4);
    const isShort = bytes.readUInt32LE(8) === length;
    if (!isShort && bytes.readBigUInt64LE(8) !== BigInt(length)) return 0;
    this.sums = { crc, size: isShort ? bytes.readUInt32LE(12) : Number(bytes.readBigUInt64LE(16)) };
    return isShort ? 16 : 24;
  }
}

/** Throws VALIDATION_ERROR at the end of a content that is not what its archive says. */
async function* checked(pieces: AsyncIterable<Uint8Array>, sums: () => Sums | null) {
  let [crc, size] = [0, 0];
  for await (const piece of pieces) {
    crc = Bun.hash.crc32(piece, crc);
    size += piece.length;
    yield piece;
  }
  const said = sums();
  if (said === null || said.crc !== crc || said.size !== size) throw damaged();
}

async function* inflated(packed: Packed, inflate: Inflate): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = [];
  let since = 0;
  inflate.ondata = (piece) => void made.push(piece);
  for await (const bytes of piecesOf(packed)) {
    for (let at = 0; at < bytes.length; at += INFLATED_AT_ONCE) {
      push(inflate, bytes.subarray(at, at + INFLATED_AT_ONCE), false);
      for (const piece of made) since += piece.length;
      yield* made;
      made = [];
      if (since < TURN_BYTES) continue;
      since = 0;
      await nextTurn();
    }
  }
  push(inflate, new Uint8Array(0), true);
  yield* made;
}

function push(inflate: Inflate, bytes: Uint8Array, isLast: boolean): void {
  try {
    inflate.push(bytes, isLast);
  } catch {
    // fflate throws an Error of its own for each way in which data can be malformed.
    throw damaged();
  }
}

function damaged() {
  return invalid("path", "is damaged in the archive: pack it again");
}

function malformed(what: string) {
  return invalid("body", `is a malformed ZIP archive: ${what}`);
}
