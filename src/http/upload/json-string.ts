import { isUtf8 } from "node:buffer";
import { type CofferError, invalid } from "../../domain/errors.ts";
import type { WriteContent } from "./upload-body.ts";

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

  /** Takes characters of `chunk` from `at`. Returns where it stopped, maybe before its end. */
  async take(chunk: Buffer, at: number): Promise<number> {
    const next = this.scan(chunk, at);
    if (this.ended) await this.#sink.finish();
    else if (next < chunk.length) await this.#sink.drain();
    return next;
  }

  /** Takes as many as the sink has room for. Returns where it stopped: at the end of the chunk, room, or string. */
  scan(chunk: Buffer, at: number): number {
    const window = chunk.subarray(at, at + this.#sink.room);
    // Each is looked for again only from behind the one before, so that all of it takes linear time.
    let quote = -1;
    let backslash = -1;
    let i = 0;
    while (i < window.length) {
      if (this.#escapeLength > 0) {
        if (this.#takesEscaped(window[i] ?? 0)) i++;
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

  /** Takes the next byte of an escape. Returns false for one that is none, which ends it. */
  #takesEscaped(byte: number): boolean {
    if (this.#escapeLength === 1 && byte === LETTER_U) {
      this.#escapeLength = 2;
      this.#escapeValue = 0;
      return true;
    }
    if (this.#escapeLength === 1) {
      this.#escapeLength = 0;
      this.#sink.appendEscaped(ESCAPES.get(byte) ?? -1);
      return true;
    }
    const digit = HEX_DIGITS[byte] ?? -1;
    this.#escapeValue = this.#escapeValue * 16 + digit;
    if (digit !== -1 && ++this.#escapeLength < 6) return true;
    this.#escapeLength = 0;
    this.#sink.appendEscaped(digit === -1 ? -1 : this.#escapeValue);
    return digit !== -1;
  }
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}

/** For who only asks where a string ends. */
const NO_SINK: ContentSink = {
  room: Number.POSITIVE_INFINITY,
  append() {},
  appendEscaped() {},
  async drain() {},
  async finish() {},
};

/** Keeps the first bytes of a JSON string as they are, until it is known how they are to be read. */
export class HeldString {
  /** What is kept, with the closing quote. */
  bytes = Buffer.alloc(0);
  readonly #most: number;
  readonly #string = new ContentString(NO_SINK);

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the closing quote has been read. */
  get ended(): boolean {
    return this.#string.ended;
  }

  get isFull(): boolean {
    return this.bytes.length === this.#most;
  }

  /** Keeps bytes of `chunk` from `at`. Returns where it stopped: at its end, when full, or behind the string. */
  hold(chunk: Buffer, at: number): number {
    const next = this.#string.scan(chunk.subarray(0, at + this.#most - this.bytes.length), at);
    this.bytes = Buffer.concat([this.bytes, chunk.subarray(at, next)]);
    return next;
  }
}

/** Size of a sink's buffer in bytes, for a small upload and for the rest of a larger one: multiples of three. */
export const FIRST_CAPACITY = 24 * 1024;
export const CAPACITY = 48 * 1024;

/** The most bytes that an escape becomes. */
const LONGEST_CHARACTER = 4;

const SPACE = 0x20;

/** Writes the text of a JSON string as UTF-8, piece by piece. Throws VALIDATION_ERROR on `body` or the field. */
export class TextWriter implements ContentSink {
  readonly #field: string;
  readonly #write: WriteContent;
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;
  /** The first half of a surrogate pair, whose second must follow; 0 if there is none. */
  #high = 0;

  constructor(field: string, write: WriteContent) {
    this.#field = field;
    this.#write = write;
  }

  get room(): number {
    return Math.max(0, this.#bytes.length - this.#length - LONGEST_CHARACTER);
  }

  append(bytes: Buffer, from: number, to: number): void {
    if (from === to) return;
    if (this.#high !== 0) throw this.#illFormed();
    for (let at = from; at < to; at++) {
      if ((bytes[at] ?? 0) < SPACE)
        throw malformed("a control character, such as a line end, must be escaped");
    }
    this.#length += bytes.copy(this.#bytes, this.#length, from, to);
  }

  appendEscaped(unit: number): void {
    if (unit >= 0 && unit < 0x80 && this.#high === 0) {
      this.#bytes[this.#length++] = unit;
      return;
    }
    if (unit === -1) throw malformed("it has an escape that JSON does not have");
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== (this.#high !== 0)) throw this.#illFormed();
    if (unit >= 0xd800 && unit <= 0xdbff) {
      this.#high = unit;
      return;
    }
    const text = isLow ? String.fromCharCode(this.#high, unit) : String.fromCharCode(unit);
    this.#high = 0;
    this.#length += this.#bytes.write(text, this.#length);
  }

  async drain(): Promise<void> {
    await this.#flush(endOfWhole(this.#bytes, this.#length));
    if (this.#bytes.length < CAPACITY) {
      const rest = this.#bytes.subarray(0, this.#length);
      this.#bytes = Buffer.allocUnsafe(CAPACITY);
      rest.copy(this.#bytes);
    }
  }

  async finish(): Promise<void> {
    if (this.#high !== 0) throw this.#illFormed();
    await this.#flush(this.#length);
  }

  async #flush(end: number): Promise<void> {
    const whole = this.#bytes.subarray(0, end);
    if (!isUtf8(whole)) throw invalid("body", "is not valid UTF-8: encode it as UTF-8");
    if (end > 0) await this.#write(whole);
    this.#bytes.copyWithin(0, end, this.#length);
    this.#length -= end;
  }

  #illFormed(): CofferError {
    return invalid(this.#field, "must be well-formed Unicode");
  }
}

/** Where the last whole character of UTF-8 ends, in `bytes[0, length)`. */
function endOfWhole(bytes: Uint8Array, length: number): number {
  for (let back = 1; back < LONGEST_CHARACTER && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? length - back : length;
  }
  return length;
}

function malformed(problem: string): CofferError {
  return invalid("body", `is malformed JSON: ${problem}`);
}
