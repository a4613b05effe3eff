import { CofferError } from "../../domain/errors.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import { partOf, someLines, type TextPart } from "../../domain/contents/texts/some-lines.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import type { File } from "../../domain/files/file.ts";
import { READ_TEXT_LINES } from "../../domain/limits.ts";
import type { TextRange } from "../../services/contents/texts.ts";
import * as t from "../operation/schema.ts";
import * as shown from "./shown.ts";
import { Answer, type Call, json } from "./tool.ts";

/** Which lines of a text are wanted. */
export const lineArguments = {
  start_line: t.optionalNumber(1, "The first line to show. Default 1."),
  end_line: t.optionalNumber(1, "The last line to show. Default: the last one that fits."),
  start_byte: t.optionalNumber(0, "Where in the first line to begin: next_byte of the answer before."),
};

/** The lines that arguments ask for. */
export function wantedIn(input: {
  readonly start_line?: number;
  readonly end_line?: number;
  readonly start_byte?: number;
}): WantedLines {
  return {
    startLine: input.start_line ?? 1,
    endLine: input.end_line ?? null,
    startByte: input.start_byte ?? 0,
  };
}

/**
 * Facts of a file, and some of its lines. The text stands apart from the facts, so that no text can be taken for them,
 * and is not escaped.
 */
export function withLines(facts: object, lines: ReadLines): Answer {
  const { text, startLine, endLine, totalLines, nextLine, nextByte, isCut } = lines;
  const isPart = startLine > 1 || nextLine !== null;
  const where = {
    ...(isPart ? { start_line: startLine, end_line: endLine } : {}),
    total_lines: totalLines,
    ...(nextLine === null ? {} : { next_line: nextLine }),
    ...(nextByte === null ? {} : { next_byte: nextByte }),
    ...(isCut && nextLine === null ? { note: MORE_IN_DOCUMENT } : {}),
  };
  return new Answer(json({ ...facts, ...where }), { type: "text", text });
}

const MORE_IN_DOCUMENT =
  "The document has more text than this, which is not read. Get a download link with share for the whole.";

/** Lines of a file, as much as a model should read at once. */
export interface ReadLines extends TextPart {
  /** Whether a document has more text, after its last line, than is ever read. */
  readonly isCut: boolean;
}

export type WantedLines = Omit<TextRange, "maxBytes">;

/**
 * The text of a text file, or of a document that has text in it; null for a file that is neither. HTML is read as it is
 * written, so that it can be edited. Throws CofferError VALIDATION_ERROR, EXTRACTION_FAILED for a document,
 * RATE_LIMITED, PAYLOAD_TOO_LARGE.
 */
export async function linesOf(
  { caller, services: { texts, extracts }, signal }: Call<unknown>,
  file: File,
  wanted: WantedLines,
): Promise<ReadLines | null> {
  const format = documentFormatOf(file.mimeType);
  if (format !== null && format !== "html") {
    const { text, isCut } = await extracts.textOf(caller, file, signal);
    return { ...(await readable((maxBytes) => cut(text, wanted, maxBytes))), isCut };
  }
  try {
    const read = await readable((maxBytes) => texts.readOf(caller, file, { ...wanted, maxBytes }));
    return { ...read, isCut: false };
  } catch (error) {
    const isNoText =
      error instanceof CofferError &&
      (error.code === "UNSUPPORTED_MEDIA_TYPE" || error.code === "EXTRACTION_FAILED");
    if (isNoText) return null;
    throw error;
  }
}

/** As much as an answer holds: half as much again and again, while the text takes too much in JSON. */
async function readable(read: (maxBytes: number) => TextPart | Promise<TextPart>): Promise<TextPart> {
  for (let maxBytes = shown.ANSWER_BYTES; ; maxBytes /= 2) {
    const lines = await read(maxBytes);
    if (utf8Length(JSON.stringify(lines.text)) <= shown.ANSWER_TEXT_JSON_BYTES) return lines;
  }
}

/** Some lines of a text that is in memory. */
function cut(text: string, { startLine, endLine, startByte }: WantedLines, maxBytes: number): TextPart {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const start = { startLine, startByte, totalLines: all.length, encoding: "utf-8" } as const;
  const rest = all.slice(startLine - 1, endLine ?? all.length);
  const [first] = rest;
  if (first === undefined) return partOf(null, start);
  const begun = Buffer.from(first).subarray(startByte).toString();
  const most = { lines: READ_TEXT_LINES, bytes: maxBytes };
  return partOf(someLines([begun, ...rest.slice(1), ""].join("\n"), true, most), start);
}
