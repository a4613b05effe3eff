import type { ContentSink } from "./content-sink.ts";

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

/** Finds the end of a content's string, and decodes its escapes (RFC 8259, section 7) on the way. */
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

  /**
   * Appends the characters in `chunk` from `at`, as many as the sink has room for. Returns where it stopped: at the end
   * of the chunk, of the room, or of the string.
   */
  scan(chunk: Buffer, at: number): number {
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
