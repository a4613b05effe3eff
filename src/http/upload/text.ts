import { isUtf8 } from "node:buffer";
import { type CofferError, invalid } from "../../domain/errors.ts";
import type { ContentSink } from "./json-string.ts";
import type { WriteContent } from "./upload-body.ts";

/** Size of the buffer in bytes, for a small upload and for the rest of a larger one. */
const FIRST_CAPACITY = 24 * 1024;
const CAPACITY = 48 * 1024;

/** The most bytes that an escape becomes; its start may be in another piece. */
const LONGEST_CHARACTER = 4;

const SPACE = 0x20;

/**
 * Writes the text of a JSON string as UTF-8, piece by piece.
 *
 * Errors are CofferError VALIDATION_ERROR: on `body` if the JSON is malformed, on the content's field if the text has
 * half a surrogate pair.
 */
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
