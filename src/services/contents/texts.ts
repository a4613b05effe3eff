import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { FileFacts, FileView } from "../../domain/files/file.ts";
import type { Digest } from "../../domain/contents/content.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import type { LineIndex } from "../../domain/contents/texts/lines.ts";
import { afterLineEnd, INDEX_STEP, LineCounter, markBytes } from "../../domain/contents/texts/lines.ts";
import { essenceOf, isTextType, UNKNOWN_TYPE } from "../../domain/contents/media-type.ts";
import { encodingsFor, type TextEncoding, unitBytes } from "../../domain/contents/texts/text-encoding.ts";
import { Recent } from "../../domain/recent.ts";
import { Turns } from "../turns.ts";
import { Service } from "../service.ts";
import { READ_TEXT_LINES } from "../../domain/limits.ts";
import { partOf, type PartStart, someLines, type TextPart } from "../../domain/contents/texts/some-lines.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import type { Parts } from "../parts.ts";
import type { BlobChecks } from "./blob-checks.ts";

/** How many bytes are read at once; even, for UTF-16. */
const PIECE_BYTES = 128 * 1024;

/** Which lines are where in a text. The indexes of the large texts that were read last are kept. */
export class LineIndexes {
  readonly #kept = new Recent<Digest, Promise<LineIndex>>(32);
  /** Large texts are read one at a time, so that many do not slow down all else. */
  readonly #turns = new Turns<"large">();

  /** The index of a file's content. Throws UNSUPPORTED_MEDIA_TYPE, EXTRACTION_FAILED. */
  of(file: FileFacts, content: Blob): Promise<LineIndex> {
    requireTextType(file);
    if (file.size <= INDEX_STEP) return indexOf(file, content);
    const kept = this.#kept.get(file.digest);
    const index = kept ?? this.#turns.take("large", () => indexOf(file, content));
    this.#kept.set(file.digest, index);
    index.catch(() => this.#kept.delete(file.digest));
    return index;
  }
}

function requireTextType({ mimeType }: FileFacts): void {
  // A name that says nothing may be that of a text.
  if (isTextType(mimeType) || essenceOf(mimeType) === UNKNOWN_TYPE) return;
  const instead =
    documentFormatOf(mimeType) === null
      ? "Upload it with a text type, or download it instead."
      : "To have the text that is in it, extract it.";
  throw new CofferError(
    "UNSUPPORTED_MEDIA_TYPE",
    `A file of type ${mimeType} is not read as text. ${instead}`,
  );
}

async function indexOf({ mimeType }: FileFacts, content: Blob): Promise<LineIndex> {
  const head = await content.slice(0, 3).bytes();
  const isText = isTextType(mimeType);
  for (const encoding of encodingsFor(head)) {
    // Almost anything is Latin-1.
    if (encoding === "latin1" && !isText) continue;
    const counter = new LineCounter(encoding, markBytes(head, encoding));
    if (await isTextIn(content, encoding, (piece) => counter.add(piece))) return counter.index();
  }
  if (isText) {
    throw new CofferError(
      "EXTRACTION_FAILED",
      "The content is not what its type says: it is not text. Upload it with its own content type, or download it instead.",
    );
  }
  throw new CofferError("UNSUPPORTED_MEDIA_TYPE", "The content is not text. Download it instead.");
}

/** Whether the whole content is text in an encoding. Text never holds a NUL. @param seen is called with each piece */
export async function isTextIn(
  content: Blob,
  encoding: TextEncoding,
  seen: (piece: Uint8Array) => void = () => {},
): Promise<boolean> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const piece of contentPieces(content)) {
      if (decoder.decode(piece, { stream: true }).includes("\0")) return false;
      seen(piece);
    }
    decoder.decode();
    return true;
  } catch (error) {
    // A decoder throws TypeError for bytes that are invalid in its encoding.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

export function startOfLine(content: Blob, { encoding, starts }: LineIndex, line: number): Promise<number> {
  const known = starts.findLast((start) => start.line <= line);
  if (known === undefined) throw new Error("an index has no first line");
  return afterLines(content, encoding, known.at, line - known.line);
}

/** The position after so many line ends. */
async function afterLines(content: Blob, encoding: TextEncoding, from: number, count: number) {
  if (count === 0) return from;
  let [left, at] = [count, from];
  for await (const piece of contentPieces(content, from)) {
    for (let end = afterLineEnd(piece, encoding, 0); end !== -1; end = afterLineEnd(piece, encoding, end)) {
      left -= 1;
      if (left === 0) return at + end;
    }
    at += piece.length;
  }
  throw new Error("a text has fewer lines than its index says");
}

/** The bytes of a blob, with turns for others in between, unlike `content.stream()`. */
export async function* contentPieces(content: Blob, from = 0): AsyncGenerator<Uint8Array> {
  for (let at = from; at < content.size; at += PIECE_BYTES) {
    yield await content.slice(at, at + PIECE_BYTES).bytes();
  }
}

/** The longest character, and a line end after it. */
const LONGEST_END = 8;

export interface TextRange extends Pick<PartStart, "startLine" | "startByte"> {
  /** The last line; null for the last of the text. */
  readonly endLine: number | null;
  /** The most bytes of text, as UTF-8. */
  readonly maxBytes: number;
}

export interface ReadText extends TextPart {
  readonly file: FileFacts;
  readonly encoding: TextEncoding;
}

export class Texts extends Service<
  Pick<Parts, "access" | "usage"> & { blobChecks: BlobChecks; indexes: LineIndexes }
> {
  /**
   * Whole lines, as many as fit; parts of one that is too long. Counts as bandwidth. Throws NOT_FOUND,
   * VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE, EXTRACTION_FAILED, DamagedFile.
   */
  read(caller: Caller, view: FileView, range: TextRange): Promise<ReadText> {
    return this.readOf(caller, this.parts.access.fileIn(caller, view), range);
  }

  /** The same of a file, or an earlier content of it, that the caller may read. */
  async readOf(caller: Caller, file: FileFacts, range: TextRange): Promise<ReadText> {
    const { startLine, startByte, endLine } = range;
    if (endLine !== null && endLine < startLine) throw invalid("end_line", "must not be before start_line");
    await using content = await this.parts.blobChecks.hold(file);
    const index = await this.parts.indexes.of(file, content.blob);
    const { encoding, totalLines } = index;
    const found = startLine > totalLines ? null : await linesFrom(content.blob, index, range);
    const part = partOf(found, { startLine, startByte, totalLines, encoding });
    this.parts.usage.countSent(caller, file.driveId, utf8Length(part.text));
    return { ...part, file, encoding };
  }
}

async function linesFrom(content: Blob, index: LineIndex, range: TextRange) {
  const { startLine, startByte, endLine, maxBytes } = range;
  const at = await placeOf(content, index, startLine, startByte);
  const length = unitBytes(index.encoding) * (maxBytes + LONGEST_END);
  const bytes = await content.slice(at, at + length).bytes();
  const isWhole = at + bytes.length === content.size;
  const lines = Math.min(READ_TEXT_LINES, (endLine ?? index.totalLines) - startLine + 1);
  return someLines(decode(bytes, index.encoding, isWhole), isWhole, { lines, bytes: maxBytes });
}

/** A text that begins and ends anywhere in the content; a last character that is cut is left out. */
function decode(bytes: Uint8Array, encoding: TextEncoding, isWhole: boolean): string {
  try {
    // What looks like a byte order mark in the middle of a text is a character.
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid("start_byte", "must not be within a character; use `next_byte` of the part before");
  }
}

async function placeOf(content: Blob, index: LineIndex, line: number, byte: number): Promise<number> {
  const { encoding, totalLines } = index;
  const start = await startOfLine(content, index, line);
  if (byte === 0) return start;
  const end = line === totalLines ? content.size : await startAfter(content, index, line, start);
  if (start + byte >= end)
    throw invalid("start_byte", `must be less than ${end - start}, where line ${line} ends`);
  if (byte % unitBytes(encoding) !== 0) throw invalid("start_byte", "must not be within a character");
  return start + byte;
}

/** Where the line after a line begins. That of a very long line is in the index, so it is not searched for. */
function startAfter(content: Blob, { encoding, starts }: LineIndex, line: number, start: number) {
  const known = starts.find((each) => each.line === line + 1);
  return known === undefined ? afterLines(content, encoding, start, 1) : Promise.resolve(known.at);
}
