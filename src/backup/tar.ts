import { type BlobFacts, damageIn, readPieces, requireBlob } from "../blobs/blob-file.ts";
import { BackupError, type BackupTarget } from "./place.ts";

/** The size of a header, and the unit that contents are filled up to. */
const BLOCK = 512;
/** The first size that has no room as octal digits. Such a header has it in base 256, as GNU tar and others do. */
const LARGE = 8 ** 11;

export interface TarEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** All bytes of it. Take them before the next entry; what is not taken is skipped. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The archive is cut off or damaged. */
export class BadTar extends Error {
  override readonly name = "BadTar";
}

/** The header of a regular file of mode 0600 (POSIX.1-2001 pax, "ustar"); `name` has up to 100 bytes of ASCII. */
export function tarHeader(name: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => header.set(Buffer.from(text, "latin1"), at);
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`);
  put(0, name);
  put(100, "0000600\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  if (size < LARGE) {
    put(124, `${size.toString(8).padStart(11, "0")}\0`);
  } else {
    header[124] = 0x80;
    new DataView(header.buffer).setBigUint64(128, BigInt(size));
  }
  put(136, "00000000000\0");
  put(156, "0");
  put(257, "ustar\u000000");
  put(148, `${sumOf(header).toString(8).padStart(6, "0")}\0 `);
  return header;
}

/** What follows the bytes of a file. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * BLOCK);
}

/** One archive for one backup. Unpacked, it is a place like any other. */
export class TarTarget implements BackupTarget {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  /** Ends with the entry that was put last: one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param write writes all of `bytes`, which may change after it resolves */
  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write;
  }

  async putContent(name: string, path: string, content: BlobFacts): Promise<void> {
    // First all of it: what was written cannot be taken back.
    await requireBlob(path, content);
    await this.#put(name, content.size, readPieces(path, content));
  }

  async put(name: string, bytes: Blob): Promise<void> {
    await this.#put(name, bytes.size, bytes.stream());
  }

  async sync(): Promise<void> {
    await this.#last;
  }

  async end(): Promise<void> {
    await this.#last;
    await this.#write(tarEnd());
  }

  #put(name: string, size: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const put = this.#last.then(() => this.#writeEntry(name, size, pieces));
    this.#last = put;
    return put;
  }

  async #writeEntry(name: string, size: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#write(tarHeader(name, size));
    let left = size;
    const damage = await damageIn(async () => {
      for await (const piece of pieces) {
        left -= piece.length;
        await this.#write(piece);
      }
    });
    const reason = damage === null ? `${name} changed` : `${damage.message}. It changed`;
    if (damage !== null || left !== 0) {
      throw new BackupError(`${reason} while it was read: the archive is of no use.`);
    }
    await this.#write(tarPadding(size));
  }
}

/** The regular files in an archive; other entries are skipped. Throws BadTar. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const input = new Input(source);
  for (;;) {
    const header = await input.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (numberAt(header, 148, 8) !== sumOf(header)) throw new BadTar("the archive is damaged");
    const size = numberAt(header, 124, 12);
    let left = size;
    async function* bytes() {
      while (left > 0) {
        const piece = await input.upTo(left);
        left -= piece.length;
        yield piece;
      }
    }
    const type = header[156];
    if (type === 0 || type === 0x30) yield { name: textAt(header, 0, 100), size, bytes: bytes() };
    while (left > 0) left -= (await input.upTo(left)).length;
    await input.exactly(tarPadding(size).length);
  }
}

/** The sum of a header's bytes, with spaces in place of the sum itself. */
function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function textAt(header: Uint8Array, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString("utf8");
}

function numberAt(header: Uint8Array, at: number, length: number): number {
  if (((header[at] ?? 0) & 0x80) === 0) {
    const digits = textAt(header, at, length).trim();
    if (!/^[0-7]*$/.test(digits)) throw new BadTar("the archive is damaged");
    return Number.parseInt(digits || "0", 8);
  }
  const number = Number(Buffer.from(header.subarray(at + 4, at + length)).readBigUInt64BE());
  if (!Number.isSafeInteger(number)) throw new BadTar("the archive is damaged");
  return number;
}

/** Bytes as they arrive, cut where the reader wants. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next bytes: at least one, at most `limit`. */
  async upTo(limit: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next();
      if (done === true) throw new BadTar("the archive is cut off");
      this.#rest = value;
    }
    const taken = this.#rest.subarray(0, limit);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async exactly(length: number): Promise<Uint8Array> {
    const all = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const piece = await this.upTo(length - at);
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }
}
