import { type CofferError, invalid } from "../../domain/errors.ts";
import { CAPACITY, type ContentSink, FIRST_CAPACITY } from "./json-string.ts";
import type { WriteContent } from "./upload-body.ts";

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const PADDING = 0x3d;

const ALPHABET = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
/** The six bits of each digit; -1 for every other byte, which stays negative in any combination. */
const VALUES = Int8Array.from({ length: 256 }, (_, byte) => ALPHABET.indexOf(byte));

/** For any character that base64 does not have. */
const FOREIGN = 0xff;

const REMEDY =
  "Encode bytes as base64, or send them as they are with PUT /v0/files; send text as `text` instead.";

/**
 * Decodes the content's base64 (RFC 4648, 4) piece by piece and writes the bytes. Throws VALIDATION_ERROR on `content`.
 *
 * It takes one byte per character of the JSON string, so that an error can name the position of the wrong character
 * (from 0, counting whitespace, an escape as one). Line breaks are ignored, and blanks at either end of a line. A blank
 * within a line is refused: words with blanks between them are text, which would be decoded to other bytes. Line breaks
 * and tabs can be in JSON only as escapes. Padding may be missing; the unused bits of the last digit are ignored.
 *
 * Runs of digits go through the runtime's decoder where it is free: a GiB of base64 takes 0.15 s there, and 0.7 s in a
 * loop by hand. But it does not say where a string is wrong, and knows nothing of a quartet that two pieces share.
 */
export class Base64Writer implements ContentSink, Disposable {
  readonly #write: WriteContent;
  readonly #runtime = new RuntimeBase64();
  #decoded = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;
  /** Characters so far. */
  #position = 0;
  /** Digits of the current quartet, 0 to 3, and their bits. */
  #digits = 0;
  #bits = 0;
  #lastDigitAt = 0;
  #padding = 0;
  #lastPaddingAt = 0;
  /** Whether this line has digits or padding, and where the blanks behind them begin; -1 if there are none yet. */
  #lineHasText = false;
  #blankAt = -1;

  constructor(write: WriteContent) {
    this.#write = write;
  }

  [Symbol.dispose](): void {
    this.#runtime[Symbol.dispose]();
  }

  get room(): number {
    return ((this.#decoded.length - this.#length) / 3) * 4 - this.#digits;
  }

  append(bytes: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#digits > 0) this.#appendOne(bytes[at++] ?? 0);
      else at = this.#appendRun(bytes, at, to);
    }
  }

  appendEscaped(unit: number): void {
    if (unit === LINE_FEED || unit === CARRIAGE_RETURN) {
      this.#lineHasText = false;
      this.#blankAt = -1;
      this.#position++;
    } else if (unit === TAB) this.#appendOne(SPACE);
    else this.#appendOne(unit >= 0 && unit < 0x80 ? unit : FOREIGN);
  }

  #appendOne(character: number): void {
    const value = VALUES[character] ?? -1;
    if (character === SPACE) {
      if (this.#lineHasText && this.#blankAt === -1) this.#blankAt = this.#position;
    } else {
      if (value < 0 && character !== PADDING) throw refusal("unexpected character", this.#position);
      this.#requireUnbroken();
      if (value >= 0) this.#appendDigit(value);
      else this.#appendPadding();
    }
    this.#position++;
  }

  async drain(): Promise<void> {
    await this.#flush();
    if (this.#decoded.length < CAPACITY) this.#decoded = Buffer.allocUnsafe(CAPACITY);
  }

  async finish(): Promise<void> {
    const [digits, bits] = [this.#digits, this.#bits];
    if (digits === 1) throw refusal("a character too many", this.#lastDigitAt);
    if (this.#padding > 0 && digits + this.#padding !== 4)
      throw refusal("incomplete padding", this.#lastPaddingAt);
    if (digits === 2) this.#decoded[this.#length++] = bits >>> 4;
    if (digits === 3) this.#length = this.#decoded.writeUInt16BE(bits >>> 2, this.#length);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#length > 0) await this.#write(this.#decoded.subarray(0, this.#length));
    this.#length = 0;
  }

  /** Decodes characters, from the start of a quartet on; returns where it stopped. */
  #appendRun(bytes: Buffer, from: number, to: number): number {
    const end = this.#runtime.endOfRun(from, to);
    if (end === from) return this.#appendEach(bytes, from, to);
    // All of a refused run goes through the loop. Tried again behind each odd character, it would be decoded many times.
    if (!this.#runtime.decode(bytes, from, end, this.#decoded.subarray(this.#length))) {
      return this.#appendEach(bytes, from, end);
    }
    this.#requireUnbroken();
    this.#length += ((end - from) / 4) * 3;
    this.#position += end - from;
    return end;
  }

  /** Decodes all of the characters by hand; returns `to`. */
  #appendEach(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to) {
      if (this.#digits === 0) at = this.#appendQuartets(bytes, at, to);
      if (at < to) this.#appendOne(bytes[at++] ?? 0);
    }
    return to;
  }

  /** Decodes whole quartets of digits; returns where the first other one starts. */
  #appendQuartets(bytes: Uint8Array, from: number, to: number): number {
    const decoded = this.#decoded;
    let length = this.#length;
    let at = from;
    for (; at + 4 <= to; at += 4) {
      const bits =
        ((VALUES[bytes[at] ?? 0] ?? -1) << 18) |
        ((VALUES[bytes[at + 1] ?? 0] ?? -1) << 12) |
        ((VALUES[bytes[at + 2] ?? 0] ?? -1) << 6) |
        (VALUES[bytes[at + 3] ?? 0] ?? -1);
      if (bits < 0) break;
      decoded[length] = bits >>> 16;
      decoded[length + 1] = bits >>> 8;
      decoded[length + 2] = bits;
      length += 3;
    }
    if (at > from) this.#requireUnbroken();
    this.#length = length;
    this.#position += at - from;
    return at;
  }

  /** Call this for digits and padding: none may come behind a blank within the line. */
  #requireUnbroken(): void {
    if (this.#blankAt !== -1) throw refusal("a blank within a line", this.#blankAt);
    this.#lineHasText = true;
  }

  #appendDigit(value: number): void {
    if (this.#padding > 0) throw refusal("unexpected character after the padding", this.#position);
    this.#lastDigitAt = this.#position;
    this.#bits = (this.#bits << 6) | value;
    if (++this.#digits < 4) return;
    this.#length = this.#decoded.writeUIntBE(this.#bits, this.#length, 3);
    this.#digits = 0;
    this.#bits = 0;
  }

  #appendPadding(): void {
    if (this.#digits < 2 || this.#digits + this.#padding === 4)
      throw refusal("misplaced padding", this.#position);
    this.#lastPaddingAt = this.#position;
    this.#padding++;
  }
}

function refusal(problem: string, position: number): CofferError {
  return invalid("content", `is not base64: ${problem} at position ${position}. ${REMEDY}`);
}

/** With more uploads than these at once, all decode by the loop. */
const MOST_UPLOADS = 2;
/** How many characters the runtime's decoder is given at once; with fewer than the shortest the loop is as fast. */
const RUN = { longest: 16 * 1024, shortest: 1024 };

/**
 * The runtime's decoder of base64, for one upload. It takes copies, which stay in memory until the garbage is
 * collected: one upload of 100 MiB takes 85 MB instead of 75. Eight at once took 115 instead of 100 and were no faster,
 * so it decodes only while few are under way.
 */
export class RuntimeBase64 implements Disposable {
  static #uploads = 0;

  constructor() {
    RuntimeBase64.#uploads++;
  }

  /** Ends the upload; call it once. */
  [Symbol.dispose](): void {
    RuntimeBase64.#uploads--;
  }

  /** Where the next run of whole quartets in `bytes[from, to)` ends; `from` if it is too short to be worth it. */
  endOfRun(from: number, to: number): number {
    const length = Math.min(to - from, RUN.longest) & ~3;
    return length < RUN.shortest ? from : from + length;
  }

  /** Decodes `bytes[from, to)`, whole quartets, to `target`. Returns false if others decode, or one is no digit. */
  decode(bytes: Buffer, from: number, to: number, target: Uint8Array): boolean {
    if (RuntimeBase64.#uploads > MOST_UPLOADS) return false;
    try {
      // It takes white space and padding too, but then writes less.
      const { written } = target.setFromBase64(bytes.toString("latin1", from, to));
      return written === ((to - from) / 4) * 3;
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  }
}
