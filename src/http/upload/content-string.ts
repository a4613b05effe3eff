import type { Base64Writer } from "./base64.ts";

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const LETTER_N = 0x6e;
const LETTER_R = 0x72;
const LETTER_T = 0x74;
const LETTER_U = 0x75;

/** For any character that base64 does not have. */
const FOREIGN = 0xff;

/**
 * Decodes the JSON escapes (RFC 8259 section 7) of a content's string before the base64 decoder, one byte per
 * character. An escaped tab becomes a space; line breaks are told apart. Anything malformed, including a raw control
 * character, becomes or stays a character that the decoder rejects with its position.
 */
export class ContentString {
  /** Whether the closing quote has been read. */
  ended = false;

  readonly #content: Base64Writer;
  /** Bytes read of the current escape, 0 to 5, and the value of its hex digits so far. */
  #escapeLength = 0;
  #escapeValue = 0;

  constructor(content: Base64Writer) {
    this.#content = content;
  }

  /**
   * Appends the characters in `chunk` from `at`, as many as the decoder has room for. Returns where it stopped: at
   * the end of the chunk, of the room, or of the string.
   */
  scan(chunk: Buffer, at: number): number {
    const content = this.#content;
    // A byte makes at most one character, so the window fits.
    const window = chunk.subarray(at, at + content.room);
    const quote = window.indexOf(QUOTE);
    const end = quote === -1 ? window.length : quote;
    let i = 0;
    while (i < end) {
      if (this.#escapeLength > 0) {
        this.#escapeByte(window[i++] ?? 0);
        continue;
      }
      const backslash = window.indexOf(BACKSLASH, i);
      const runEnd = backslash === -1 || backslash > end ? end : backslash;
      content.append(window, i, runEnd);
      i = runEnd;
      if (i < end) {
        this.#escapeLength = 1;
        i++;
      }
    }
    if (quote === -1) return at + end;
    // `\"` and a quote among hex digits cannot be part of base64.
    if (this.#escapeLength > 0) content.appendOne(FOREIGN);
    this.ended = true;
    return at + quote + 1;
  }

  #escapeByte(byte: number): void {
    if (this.#escapeLength === 1) {
      if (byte === LETTER_U) {
        this.#escapeLength = 2;
        this.#escapeValue = 0;
        return;
      }
      if (byte === LETTER_N || byte === LETTER_R) this.#content.breakLine();
      else this.#content.appendOne(unescape(byte));
      this.#escapeLength = 0;
      return;
    }
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    this.#escapeValue = Number.isNaN(digit) ? Number.NaN : this.#escapeValue * 16 + digit;
    if (++this.#escapeLength < 6) return;
    const value = this.#escapeValue;
    if (value === LINE_FEED || value === CARRIAGE_RETURN) this.#content.breakLine();
    else this.#content.appendOne(characterOf(value));
    this.#escapeLength = 0;
  }
}

/** The character for the letter after a backslash, if that is no line break. */
function unescape(letter: number): number {
  if (letter === LETTER_T) return SPACE;
  return letter === SLASH ? SLASH : FOREIGN;
}

function characterOf(codeUnit: number): number {
  if (codeUnit === TAB) return SPACE;
  return codeUnit < 0x80 ? codeUnit : FOREIGN;
}
