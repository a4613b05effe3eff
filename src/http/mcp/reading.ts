import type { Caller } from "../../domain/caller.ts";
import { CofferError } from "../../domain/errors.ts";
import { documentFormatOf } from "../../domain/extraction.ts";
import type { File } from "../../domain/file.ts";
import { READ_TEXT_LINES } from "../../domain/limits.ts";
import { someLines } from "../../domain/some-lines.ts";
import type { Services } from "../../services/services.ts";
import { utf8Length } from "../../domain/text.ts";
import { ANSWER_BYTES, ANSWER_TEXT_JSON_BYTES } from "./bounds.ts";

/** Which lines are wanted, from 1; `startByte` is where in the first of them to begin. */
export interface WantedLines {
  readonly startLine: number;
  readonly endLine: number | null;
  readonly startByte: number;
}

/** Lines of a file, as much as a model should read at once. */
export interface ReadLines {
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
  /** Where to go on; null at the end. */
  readonly nextLine: number | null;
  /** Where in that line; null for its beginning. */
  readonly nextByte: number | null;
  /** Whether a document has more text, after its last line, than is ever read. */
  readonly isCut: boolean;
}

/** From the first line to the last. */
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
async function readable<T extends { readonly text: string }>(
  read: (maxBytes: number) => T | Promise<T>,
): Promise<T> {
  for (let maxBytes = ANSWER_BYTES; ; maxBytes /= 2) {
    const lines = await read(maxBytes);
    if (utf8Length(JSON.stringify(lines.text)) <= ANSWER_TEXT_JSON_BYTES) return lines;
  }
}

/** Some lines of a text that is in memory. */
function cut(
  text: string,
  { startLine, endLine, startByte }: WantedLines,
  maxBytes: number,
): Omit<ReadLines, "isCut"> {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const facts = { startLine, totalLines: all.length };
  const rest = all.slice(startLine - 1, endLine ?? all.length);
  const [first = ""] = rest;
  if (rest.length === 0)
    return { ...facts, text: "", endLine: startLine - 1, nextLine: null, nextByte: null };
  const begun = Buffer.from(first).subarray(startByte).toString();
  const { lines, isCut } = someLines([begun, ...rest.slice(1), ""].join("\n"), true, {
    lines: READ_TEXT_LINES,
    bytes: maxBytes,
  });
  const shown = lines.join("\n");
  const next = startLine + lines.length - (isCut ? 1 : 0);
  return {
    ...facts,
    text: shown,
    endLine: startLine + lines.length - 1,
    nextLine: next > all.length ? null : next,
    nextByte: isCut ? startByte + Buffer.byteLength(shown) : null,
  };
}

function isNoText(error: unknown): boolean {
  return (
    error instanceof CofferError &&
    (error.code === "UNSUPPORTED_MEDIA_TYPE" || error.code === "EXTRACTION_FAILED")
  );
}
