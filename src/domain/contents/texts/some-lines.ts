import { startOf, utf8Length } from "./text.ts";
import { encodedLength, type TextEncoding } from "./text-encoding.ts";

interface SomeLines {
  readonly lines: readonly string[];
  /** Whether the only line is the start of a longer one. */
  readonly isCut: boolean;
}

/**
 * The first lines of a text, as many as fit; if none does, as much of the first as does, at least one character.
 *
 * @param text not empty; ends in the middle of a line, unless `isWhole`
 * @param most how many lines, at least one, and how many bytes as UTF-8, with one for each line end
 */
export function someLines(
  text: string,
  isWhole: boolean,
  most: { readonly lines: number; readonly bytes: number },
): SomeLines {
  const { whole, rest } = wholeLines(text, most.lines);
  if (isWhole && rest !== "") whole.push(rest);
  const [first = rest] = whole;
  if (whole.length === 0 || utf8Length(first) > most.bytes) {
    const start = startOf(first, most.bytes) || String.fromCodePoint(first.codePointAt(0) ?? 0);
    return { lines: [start], isCut: whole.length === 0 || start.length < first.length };
  }
  const lines: string[] = [];
  let bytes = 0;
  for (const line of whole.slice(0, most.lines)) {
    bytes += utf8Length(line) + (lines.length === 0 ? 0 : 1);
    if (bytes > most.bytes) break;
    lines.push(line);
  }
  return { lines, isCut: false };
}

/** The first lines that have an end, without it, and what follows them. No more are looked at: there may be a million. */
function wholeLines(text: string, most: number): { whole: string[]; rest: string } {
  const whole: string[] = [];
  let at = 0;
  while (whole.length < most) {
    const end = text.indexOf("\n", at);
    if (end === -1) break;
    const line = text.slice(at, end);
    whole.push(line.endsWith("\r") ? line.slice(0, -1) : line);
    at = end + 1;
  }
  return { whole, rest: text.slice(at) };
}

export interface PartStart {
  /** From 1. */
  readonly startLine: number;
  /** Where in that line, in bytes of the content. */
  readonly startByte: number;
  readonly totalLines: number;
  readonly encoding: TextEncoding;
}

/** Some lines of a text, and where the next begin. */
export interface TextPart {
  /** The lines, without their ends, with `\n` between them. */
  readonly text: string;
  readonly startLine: number;
  /** The last line in `text`; `startLine - 1` if there is none. */
  readonly endLine: number;
  readonly totalLines: number;
  /** Where to go on; null at the end of the text. */
  readonly nextLine: number | null;
  /** Where in `nextLine` to go on, as `PartStart.startByte`; null for its beginning. */
  readonly nextByte: number | null;
}

/** The part of a text that has these lines; without any, if it begins after the last. */
export function partOf(found: SomeLines | null, start: PartStart): TextPart {
  const { startLine, startByte, totalLines, encoding } = start;
  const facts = { startLine, totalLines };
  if (found === null) return { ...facts, text: "", endLine: startLine - 1, nextLine: null, nextByte: null };
  const { lines, isCut } = found;
  const text = lines.join("\n");
  const endLine = startLine + lines.length - 1;
  const next = isCut ? endLine : endLine + 1;
  return {
    ...facts,
    text,
    endLine,
    nextLine: next > totalLines ? null : next,
    nextByte: isCut ? startByte + encodedLength(text, encoding) : null,
  };
}
