/** The size of a header, and the unit that contents are filled up to. */
export const TAR_BLOCK = 512;

/** A regular file of an archive. */
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

/** What follows the bytes of a file. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
}

/** The regular files in an archive; other entries are skipped. Throws BadTar. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const input = new Input(source);
  for (;;) {
    const header = await input.exactly(TAR_BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (numberAt(header, 148, 8) !== tarSum(header)) throw new BadTar("the archive is damaged");
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
export function tarSum(header: Uint8Array): number {
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
