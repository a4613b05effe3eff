const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Keeps the first bytes of a JSON string as they are, until it is known how they are to be read. */
export class HeldString {
  /** Whether the closing quote has been read. */
  ended = false;

  readonly #most: number;
  #bytes = Buffer.alloc(0);
  #isEscaped = false;

  /** @param most how many bytes are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#bytes.length === this.#most;
  }

  /** What is kept, with the closing quote. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Keeps bytes of `chunk` from `at`. Returns where it stopped: at its end, when full, or behind the string. */
  hold(chunk: Buffer, at: number): number {
    const window = chunk.subarray(at, at + this.#most - this.#bytes.length);
    let end = 0;
    for (; end < window.length; end++) {
      const byte = window[end];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) break;
    }
    this.ended = end < window.length;
    if (this.ended) end++;
    this.#bytes = Buffer.concat([this.#bytes, window.subarray(0, end)]);
    return at + end;
  }
}
