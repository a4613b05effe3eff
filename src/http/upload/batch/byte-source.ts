import { invalid } from "../../../domain/errors.ts";

/** The bytes of a body, taken in parts of the length that their reader wants. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Up to `most` bytes, as they have come; null at the end. Valid only until more is read. */
  async some(most: number): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return null;
      this.#rest = next.value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** What has come before a byte, which is taken too; the byte may come later. Null at the end; valid like `some`. */
  async before(end: number): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean } | null> {
    const bytes = await this.some(Number.MAX_SAFE_INTEGER);
    const at = bytes?.indexOf(end) ?? -1;
    if (bytes === null || at === -1) return bytes === null ? null : { bytes, isWhole: false };
    this.#rest = bytes.subarray(at + 1);
    return { bytes: bytes.subarray(0, at), isWhole: true };
  }

  /** So many bytes, in memory; null at the end of the body. Throws VALIDATION_ERROR if it ends within them. */
  async block(length: number): Promise<Uint8Array | null> {
    const block = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const part = await this.some(length - at);
      if (part === null) {
        if (at === 0) return null;
        throw endsEarly();
      }
      block.set(part, at);
      at += part.length;
    }
    return block;
  }

  /** The same in the middle of something: throws VALIDATION_ERROR at the end of the body. */
  async rest(length: number): Promise<Uint8Array> {
    const block = await this.block(length);
    if (block === null && length > 0) throw endsEarly();
    return block ?? new Uint8Array(0);
  }

  /** Takes back bytes that were read last, at most as many as are valid. */
  unread(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([bytes, this.#rest]);
  }

  /** Reads to the end. */
  async drain(): Promise<void> {
    while ((await this.some(Number.MAX_SAFE_INTEGER)) !== null);
  }
}

export function endsEarly(): Error {
  return invalid("body", "ends within an entry: send the whole archive");
}

/** What is one after another within a source: to its end, whoever stops in between. */
export interface Packed {
  /** Null at its end. */
  next(): Promise<Uint8Array | null>;
}

/** The next bytes of a source, so many. */
export class FixedLength implements Packed {
  readonly #source: ByteSource;
  #left: number;

  constructor(source: ByteSource, length: number) {
    this.#source = source;
    this.#left = length;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.#left === 0) return null;
    const part = await this.#source.some(this.#left);
    if (part === null) throw endsEarly();
    this.#left -= part.length;
    return part;
  }
}

/** Passes over what is left of something. */
export async function skip(packed: Packed): Promise<void> {
  while ((await packed.next()) !== null);
}
