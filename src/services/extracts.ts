import { CofferError } from "../domain/errors.ts";
import type { Caller } from "../domain/caller.ts";
import type { File } from "../domain/file.ts";
import type { FileRef } from "../domain/file-ref.ts";
import { EXTRACT_JSON_BYTES, EXTRACT_TEXT_BYTES } from "../domain/limits.ts";
import { isJsonType, isTextType } from "../domain/media-type.ts";
import { encodingsFor, type TextEncoding } from "../domain/text-encoding.ts";
import type { Files } from "./files.ts";

/** How many bytes of a content are read at once. */
const PIECE_BYTES = 128 * 1024;

/** The text of a content, for programs. */
export interface Extract {
  readonly mimeType: string;
  /**
   * The content as JSON, in pieces: text as a string, JSON as it is, without changing its numbers. It has been
   * checked, so only a disk error can interrupt it.
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
  async extract(caller: Caller, ref: FileRef): Promise<Extract> {
    const file = this.#files.get(caller, ref);
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
      `The content has ${size} bytes. The limit for ${isJson ? "JSON" : "text"} is ${limit} bytes; download it instead.`,
    );
  }
}

/** The encoding that is valid for the whole content. Throws EXTRACTION_FAILED if it is not text. */
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
    // A decoder throws TypeError for bytes that are invalid in its encoding.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** The text without a byte order mark. No piece ends inside a character. */
async function* decoded(content: Blob, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  // Not `content.stream()`: it reads half a MiB at a time, and lets nothing else run in between.
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

/** The text of a content that is one JSON value. Throws EXTRACTION_FAILED if it is not. */
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
