import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError } from "../../domain/errors.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import type { File } from "../../domain/files/file.ts";
import { READ_TEXT_LINES } from "../../domain/limits.ts";
import { partOf, someLines, type TextPart } from "../../domain/contents/texts/some-lines.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import type { Services } from "../../services/services.ts";
import type { TextRange } from "../../services/contents/texts.ts";
import { ANSWER_BYTES, ANSWER_TEXT_JSON_BYTES } from "./bounds.ts";

/** Which lines are wanted: as many as a model should read at once. */
export type WantedLines = Omit<TextRange, "maxBytes">;

/** Lines of a file, as much as a model should read at once. */
export interface ReadLines extends TextPart {
  /** Whether a document has more text, after its last line, than is ever read. */
  readonly isCut: boolean;
}

export const ALL_LINES: WantedLines = { startLine: 1, endLine: null, startByte: 0 };

/**
 * The text of a text file, or of a document that has text in it; null for a file that is neither. HTML is read as it
 * is written, so that it can be edited.
 *
 * @throws CofferError VALIDATION_ERROR, EXTRACTION_FAILED for a document, RATE_LIMITED, PAYLOAD_TOO_LARGE
 */
export async function linesOf(
  { texts, extracts }: Pick<Services, "texts" | "extracts">,
  caller: Caller,
  file: File,
  wanted: WantedLines,
  signal: AbortSignal,
): Promise<ReadLines | null> {
  const format = documentFormatOf(file.mimeType);
  if (format !== null && format !== "html") {
    const { text, isCut } = await extracts.text(caller, { id: file.id }, signal);
    return { ...(await readable((maxBytes) => cut(text, wanted, maxBytes))), isCut };
  }
  try {
    const read = await readable((maxBytes) => texts.read(caller, { id: file.id }, { ...wanted, maxBytes }));
    return { ...read, isCut: false };
  } catch (error) {
    if (isNoText(error)) return null;
    throw error;
  }
}

/** As much as an answer holds: half as much again and again, while the text takes too much in JSON. */
async function readable(read: (maxBytes: number) => TextPart | Promise<TextPart>): Promise<TextPart> {
  for (let maxBytes = ANSWER_BYTES; ; maxBytes /= 2) {
    const lines = await read(maxBytes);
    if (utf8Length(JSON.stringify(lines.text)) <= ANSWER_TEXT_JSON_BYTES) return lines;
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

function isNoText(error: unknown): boolean {
  return (
    error instanceof CofferError &&
    (error.code === "UNSUPPORTED_MEDIA_TYPE" || error.code === "EXTRACTION_FAILED")
  );
}
