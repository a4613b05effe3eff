import { CofferError } from "../../domain/errors.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import type { File, FileRef } from "../../domain/files/file.ts";
import { EXTRACT_JSON_BYTES, EXTRACT_TEXT_BYTES } from "../../domain/limits.ts";
import { isJsonType, isTextType } from "../../domain/contents/media-type.ts";
import { encodingsFor, type TextEncoding } from "../../domain/contents/texts/text-encoding.ts";
import type { HeldContents } from "./held-contents.ts";
import { contentPieces, isTextIn } from "./texts.ts";
import type { Documents } from "../extraction/documents.ts";
import type { Files } from "../files/files.ts";
import { holderOf, type SlotHolder } from "../slots.ts";
import { Service } from "../service.ts";

/** How much of a text is quoted at once, in UTF-16 units. */
const QUOTED_UNITS = 128 * 1024;

type Pieces = AsyncIterable<string> | Iterable<string>;

export interface Extract {
  readonly mimeType: string;
  /** In pieces: text as a string, JSON with its numbers unchanged. Only a disk error can interrupt it. */
  readonly json: Pieces;
  /** Whether it has more text. */
  readonly isCut: boolean;
}

export class Extracts extends Service<{
  files: Files;
  documents: Documents;
  heldContents: HeldContents;
}> {
  /**
   * The text of a text file or a document, or the value of a JSON file. Rejects with the reason of `signal`. Throws
   * NOT_FOUND, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, EXTRACTION_FAILED, RATE_LIMITED.
   */
  async extract(caller: Caller, ref: FileRef, signal?: AbortSignal): Promise<Extract> {
    return this.extractOf(this.parts.files.get(caller, ref), holderOf(caller), signal);
  }

  async extractOf(file: File, holder: SlotHolder, signal?: AbortSignal): Promise<Extract> {
    const { mimeType } = file;
    const format = documentFormatOf(mimeType);
    if (format !== null) {
      const { text, isCut } = await this.parts.documents.text(holder, file, format, signal);
      return { mimeType, isCut, json: quoted(piecesOf(text)) };
    }
    const isJson = isJsonType(mimeType);
    requireReadable(file, isJson);
    await using opened = new AsyncDisposableStack();
    const { blob } = opened.use(await this.parts.heldContents.hold(holder.caller ?? null, file));
    const encoding = await encodingOf(blob);
    const json = isJson ? await parsed(blob, encoding) : heldText(opened.move(), blob, encoding);
    return { mimeType, isCut: false, json };
  }

  /**
   * The text of a text file, JSON included, or of a document, whole in memory. Throws like `extract`. @param file that
   * the caller may read, perhaps with an earlier content
   */
  async textOf(caller: Caller, file: File, signal?: AbortSignal) {
    const format = documentFormatOf(file.mimeType);
    if (format !== null)
      return { file, ...(await this.parts.documents.text(holderOf(caller), file, format, signal)) };
    requireReadable(file, false);
    await using content = await this.parts.heldContents.hold(caller, file);
    const pieces = await Array.fromAsync(decoded(content.blob, await encodingOf(content.blob)));
    return { file, text: pieces.join(""), isCut: false };
  }
}

function requireReadable({ mimeType, size }: File, isJson: boolean): void {
  if (!isJsonType(mimeType) && !isTextType(mimeType)) {
    throw new CofferError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Text cannot be extracted from ${mimeType}. Download the file instead.`,
    );
  }
  const limit = isJson ? EXTRACT_JSON_BYTES : EXTRACT_TEXT_BYTES;
  if (size > limit) {
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `The content has ${size} bytes. The limit for ${isJson ? "JSON" : "text"} is ${limit} bytes; read its lines, or download it instead.`,
    );
  }
}

/** The encoding that is valid for the whole content. Throws EXTRACTION_FAILED if it is not text. */
async function encodingOf(content: Blob): Promise<TextEncoding> {
  const head = await content.slice(0, 2).bytes();
  for (const encoding of encodingsFor(head)) {
    if (await isTextIn(content, encoding)) return encoding;
  }
  throw failed("it is not text");
}

/** The text without a byte order mark. No piece ends inside a character. */
async function* decoded(content: Blob, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const piece of contentPieces(content)) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** A text as a string of JSON. What holds its content is disposed of at the end. */
async function* heldText(
  holder: AsyncDisposable,
  content: Blob,
  encoding: TextEncoding,
): AsyncGenerator<string> {
  await using _ = holder;
  yield* quoted(decoded(content, encoding));
}

async function* quoted(pieces: Pieces): AsyncGenerator<string> {
  yield '"';
  for await (const piece of pieces) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

function* piecesOf(text: string): Generator<string> {
  // The two halves of a character that is cut come together again in JSON.
  for (let at = 0; at < text.length; at += QUOTED_UNITS) yield text.slice(at, at + QUOTED_UNITS);
}

/** The text of the content that is one JSON value. Throws EXTRACTION_FAILED if it is not. */
async function parsed(content: Blob, encoding: TextEncoding): Promise<Pieces> {
  const text = (await Array.fromAsync(decoded(content, encoding))).join("");
  try {
    JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw failed("it is malformed JSON");
    if (error instanceof RangeError) throw failed("its JSON is nested too deeply");
    throw error;
  }
  return [text];
}

function failed(why: string): CofferError {
  return new CofferError(
    "EXTRACTION_FAILED",
    `The content is not what its type says: ${why}. Upload it with its own content type, or download it instead.`,
  );
}
