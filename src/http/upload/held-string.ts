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
    const quote = this.#quoteIn(window);
    this.ended = quote !== -1;
    const kept = this.ended ? window.subarray(0, quote + 1) : window;
    this.#bytes = Buffer.concat([this.#bytes, kept]);
    return at + kept.length;
  }

  /** Where the string ends; -1 if that is later. */
  #quoteIn(window: Buffer): number {
    let at = this.#isEscaped ? 1 : 0;
    let quote = window.indexOf(QUOTE, at);
    for (;;) {
      // Looked for again only from behind the one before, so that all of it takes linear time.
      if (quote !== -1 && quote < at) quote = window.indexOf(QUOTE, at);
      const backslash = window.subarray(at, quote === -1 ? undefined : quote).indexOf(BACKSLASH);
      this.#isEscaped = backslash !== -1 && at + backslash + 1 === window.length;
      if (backslash === -1 || this.#isEscaped) return backslash === -1 ? quote : -1;
      // It escapes the byte behind it.
      at += backslash + 2;
    }
  }
}
