import type { Caller } from "../../domain/accounts/caller.ts";
import { invalid } from "../../domain/errors.ts";
import type { FileFacts, FileView } from "../../domain/files/file.ts";
import { READ_TEXT_LINES } from "../../domain/limits.ts";
import type { LineIndex } from "../../domain/contents/texts/lines.ts";
import { partOf, someLines, type TextPart } from "../../domain/contents/texts/some-lines.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import { type TextEncoding, unitBytes } from "../../domain/contents/texts/text-encoding.ts";
import type { Parts } from "../parts.ts";
import type { BlobChecks } from "./blob-checks.ts";
import { afterLines, type LineIndexes, startOfLine } from "./line-indexes.ts";

/** The longest character, and a line end after it. */
const LONGEST_END = 8;

export interface TextRange {
  /** From 1. */
  readonly startLine: number;
  /** Where in that line to begin, in bytes of the content. */
  readonly startByte: number;
  /** The last line; null for the last of the text. */
  readonly endLine: number | null;
  /** The most bytes of text, as UTF-8. */
  readonly maxBytes: number;
}

export interface ReadText extends TextPart {
  readonly file: FileFacts;
  readonly encoding: TextEncoding;
}

export class Texts {
  readonly #parts;

  constructor(parts: Pick<Parts, "access" | "usage"> & { blobChecks: BlobChecks; indexes: LineIndexes }) {
    this.#parts = parts;
  }

  /**
   * Whole lines, as many as fit; a line that is too long alone comes in parts. What is read counts as bandwidth. Throws
   * NOT_FOUND, VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE, EXTRACTION_FAILED, DamagedFile.
   */
  async read(caller: Caller, view: FileView, range: TextRange): Promise<ReadText> {
    const { startLine, startByte, endLine } = range;
    const file = this.#parts.access.fileIn(caller, view);
    if (endLine !== null && endLine < startLine) throw invalid("end_line", "must not be before start_line");
    const content = await this.#parts.blobChecks.read(file);
    const index = await this.#parts.indexes.of(file, content);
    const { encoding, totalLines } = index;
    const found = startLine > totalLines ? null : await linesFrom(content, index, range);
    const part = partOf(found, { startLine, startByte, totalLines, encoding });
    this.#parts.usage.countBytes(file.driveId, utf8Length(part.text));
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
function startAfter(
  content: Blob,
  { encoding, starts }: LineIndex,
  line: number,
  start: number,
): Promise<number> {
  const known = starts.find((each) => each.line === line + 1);
  return known === undefined ? afterLines(content, encoding, start, 1) : Promise.resolve(known.at);
}
