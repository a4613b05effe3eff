const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** What stands for what behind a backslash, apart from `u`. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
);

/** The value of each hexadecimal digit; -1 for every other byte. */
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase()),
);

/** Takes the characters of the content's JSON string, as they are decoded. */
export interface ContentSink {
  /** How many bytes of the string it takes before the next `drain`. */
  readonly room: number;
  /** Takes `bytes[from, to)`, which stand for themselves. */
  append(bytes: Buffer, from: number, to: number): void;
  /** Takes a UTF-16 code unit that was escaped; -1 for an escape that JSON does not have. */
  appendEscaped(unit: number): void;
  /** Writes what it has, which makes room. */
  drain(): Promise<void>;
  /** Checks the end of the string and writes the rest. Call it once. */
  finish(): Promise<void>;
}

/** Finds the end of the content's string, and decodes its escapes (RFC 8259, section 7) on the way. */
export class ContentString {
  /** Whether the closing quote has been read. */
  ended = false;

  readonly #sink: ContentSink;
  /** Bytes read of the current escape, 0 to 5, and the value of its hex digits so far. */
  #escapeLength = 0;
  #escapeValue = 0;

  constructor(sink: ContentSink) {
    this.#sink = sink;
  }

  /** Takes characters of `chunk` from `at`. Returns where it stopped: maybe before its end, to be called again. */
  async take(chunk: Buffer, at: number): Promise<number> {
    const next = this.#scan(chunk, at);
    if (this.ended) await this.#sink.finish();
    else if (next < chunk.length) await this.#sink.drain();
    return next;
  }

  /** Takes as many as the sink has room for. Returns where it stopped: at the end of the chunk, room, or string. */
  #scan(chunk: Buffer, at: number): number {
    const window = chunk.subarray(at, at + this.#sink.room);
    // Each is looked for again only from behind the one before, so that all of it takes linear time.
    let quote = -1;
    let backslash = -1;
    let i = 0;
    while (i < window.length) {
      if (this.#escapeLength > 0) {
        this.#escapeByte(window[i++] ?? 0);
        continue;
      }
      if (quote < i) quote = indexOrEnd(window, QUOTE, i);
      if (backslash < i) backslash = indexOrEnd(window, BACKSLASH, i);
      const end = Math.min(quote, backslash);
      this.#sink.append(window, i, end);
      i = end;
      if (i === window.length) break;
      i++;
      if (end === quote) {
        this.ended = true;
        break;
      }
      this.#escapeLength = 1;
    }
    return at + i;
  }

  #escapeByte(byte: number): void {
    if (this.#escapeLength === 1 && byte === LETTER_U) {
      this.#escapeLength = 2;
      this.#escapeValue = 0;
      return;
    }
    if (this.#escapeLength === 1) {
      this.#escapeLength = 0;
      this.#sink.appendEscaped(ESCAPES.get(byte) ?? -1);
      return;
    }
    const digit = HEX_DIGITS[byte] ?? -1;
    if (digit === -1) this.#sink.appendEscaped(-1);
    this.#escapeValue = this.#escapeValue * 16 + digit;
    if (++this.#escapeLength < 6) return;
    this.#escapeLength = 0;
    this.#sink.appendEscaped(this.#escapeValue);
  }
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}

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
