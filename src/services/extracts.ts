import { CofferError } from "../domain/errors.ts";
import type { Caller } from "../domain/caller.ts";
import type { File } from "../domain/file.ts";
import { EXTRACT_JSON_BYTES, EXTRACT_TEXT_BYTES } from "../domain/limits.ts";
import { isJsonType, isTextType } from "../domain/media-type.ts";
import { encodingsFor, type TextEncoding } from "../domain/text-encoding.ts";
import type { Files } from "./files.ts";

/** How much of a content is looked at in one go. */
const PIECE_BYTES = 128 * 1024;

/** What a content says, for programs. */
export interface Extract {
  readonly mimeType: string;
  /**
   * The content as JSON text, in pieces: a string for text, for JSON what it says, number for number
   * as it was written. It has been looked through, so only a fault of the disk can break it off.
   */
  readonly json: AsyncIterable<string>;
}

/** Reads contents as text. */
export class Extracts {
  readonly #files: Files;

  constructor(parts: { files: Files }) {
    this.#files = parts.files;
  }

  /** Throws NOT_FOUND, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, EXTRACTION_FAILED. */
  async extract(caller: Caller, id: string): Promise<Extract> {
    const file = this.#files.get(caller, id);
    const { mimeType } = file;
    const isJson = isJsonType(mimeType);
    requireReadable(file, isJson);
    const content = await this.#files.content(file);
    const encoding = await encodingOf(content);
    const json = isJson ? await parsed(content, encoding) : quoted(content, encoding);
    return { mimeType, json };
  }
}

function requireReadable({ mimeType, size }: File, isJson: boolean): void {
  if (!isJson && !isTextType(mimeType)) {
    throw new CofferError("UNSUPPORTED_MEDIA_TYPE", `Text cannot be extracted from ${mimeType}.`);
  }
  const limit = isJson ? EXTRACT_JSON_BYTES : EXTRACT_TEXT_BYTES;
  if (size > limit) {
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `The content has ${size} bytes, ${isJson ? "JSON" : "text"} is extracted up to ${limit}; download it instead.`,
    );
  }
}

/** The encoding that the whole content holds to. Throws EXTRACTION_FAILED when it is not text. */
async function encodingOf(content: Blob): Promise<TextEncoding> {
  const head = await content.slice(0, 2).bytes();
  for (const encoding of encodingsFor(head)) {
    if (await isText(content, encoding)) return encoding;
  }
  throw failed("it is not text");
}

async function isText(content: Blob, encoding: TextEncoding): Promise<boolean> {
  try {
    for await (const piece of decoded(content, encoding)) if (piece.includes("\0")) return false;
    return true;
  } catch (error) {
    // What a decoder throws for bytes that are not of its encoding.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** No piece ends in the middle of a character. Without a byte order mark. */
async function* decoded(content: Blob, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  // Not `content.stream()`: it gives half a MiB at a time, and lets nothing else run in between.
  for (let at = 0; at < content.size; at += PIECE_BYTES) {
    yield decoder.decode(await content.slice(at, at + PIECE_BYTES).bytes(), { stream: true });
  }
  yield decoder.decode();
}

async function* quoted(content: Blob, encoding: TextEncoding): AsyncGenerator<string> {
  yield '"';
  for await (const piece of decoded(content, encoding)) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/** The text of a JSON content, which is one JSON value. Throws EXTRACTION_FAILED when it is not. */
async function parsed(content: Blob, encoding: TextEncoding): Promise<AsyncIterable<string>> {
  const text = (await Array.fromAsync(decoded(content, encoding))).join("");
  try {
    JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw failed("it is malformed JSON");
    if (error instanceof RangeError) throw failed("its JSON is nested too deeply");
    throw error;
  }
  return oneOf(text);
}

async function* oneOf(text: string): AsyncGenerator<string> {
  yield text;
}

function failed(why: string): CofferError {
  return new CofferError("EXTRACTION_FAILED", `The content is not what its type says: ${why}.`);
}
