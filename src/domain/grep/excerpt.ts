import { GREP } from "../limits.ts";

/** How many characters before a match are shown of a long line. */
const BEFORE = 100;
const ELLIPSIS = "…";

/**
 * A line, or the part of a long one around a match, with an ellipsis where it is cut.
 *
 * @param at where the match begins, in UTF-16 code units
 */
export function excerptOf(line: string, at = 0): string {
  const length = GREP.lineCharacters;
  if (line.length <= length) return line;
  const from = wholeFrom(line, Math.max(0, Math.min(at - BEFORE, line.length - length)));
  const to = wholeFrom(line, Math.min(from + length, line.length));
  return (from > 0 ? ELLIPSIS : "") + line.slice(from, to) + (to < line.length ? ELLIPSIS : "");
}

/** The same place, or the one before if that is inside a character. */
function wholeFrom(text: string, at: number): number {
  return ((text.charCodeAt(at) || 0) & 0xfc00) === 0xdc00 ? at - 1 : at;
}
