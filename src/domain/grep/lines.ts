import { NEWLINE } from "../contents/texts/lines.ts";
import { decoded, type TextEncoding, unitBytes } from "../contents/texts/text-encoding.ts";
import { GREP } from "../limits.ts";

const MARK = "\uFEFF";
/** How many characters before a match are shown of a long line. */
const BEFORE = 100;
const ELLIPSIS = "…";

/** How many first bytes are whole lines; without a line end, whole characters. */
export function wholeLength(piece: Uint8Array, encoding: TextEncoding): number {
  const end = unitBytes(encoding) === 2 ? lastWideNewline(piece, encoding) : piece.lastIndexOf(NEWLINE) + 1;
  return end > 0 ? end : wholeCharacters(piece, encoding);
}

/** With its byte order mark; invalid bytes as Latin-1. Null if it has a NUL: that is not text. */
export function decodeLines(
  bytes: Uint8Array,
  encoding: TextEncoding,
): { readonly text: string; readonly encoding: TextEncoding } | null {
  const text = decoded(bytes, new TextDecoder(encoding, { fatal: true, ignoreBOM: true }));
  if (text === null) return decodeLines(bytes, "latin1");
  return text.includes("\0") ? null : { text, encoding };
}

/** A line without what is no part of it: a byte order mark, and the CR of a CR LF. */
export function plainLine(line: string): string {
  return line.slice(line.startsWith(MARK) ? 1 : 0, line.endsWith("\r") ? -1 : undefined);
}

/** A line, or of a long one the part around a match. @param at where that begins, in UTF-16 code units */
export function excerptOf(line: string, at = 0): string {
  const length = GREP.lineCharacters;
  if (line.length <= length) return line;
  const from = wholeFrom(line, Math.max(0, Math.min(at - BEFORE, line.length - length)));
  const to = wholeFrom(line, Math.min(from + length, line.length));
  return (from > 0 ? ELLIPSIS : "") + line.slice(from, to) + (to < line.length ? ELLIPSIS : "");
}

function wholeFrom(text: string, at: number): number {
  return ((text.charCodeAt(at) || 0) & 0xfc00) === 0xdc00 ? at - 1 : at;
}

function lastWideNewline(piece: Uint8Array, encoding: TextEncoding): number {
  const low = encoding === "utf-16le" ? 0 : 1;
  for (let at = (piece.length & ~1) - 2; at >= 0; at -= 2) {
    if (piece[at + low] === NEWLINE && piece[at + 1 - low] === 0) return at + 2;
  }
  return 0;
}

function wholeCharacters(piece: Uint8Array, encoding: TextEncoding): number {
  const { length } = piece;
  if (encoding === "latin1") return length;
  if (unitBytes(encoding) === 2) {
    const even = length & ~1;
    const high = piece[even - (encoding === "utf-16le" ? 1 : 2)] ?? 0;
    return even > 2 && (high & 0xfc) === 0xd8 ? even - 2 : even;
  }
  // A UTF-8 character has at most three bytes after its first.
  for (let at = length - 1; at > 0 && at >= length - 3; at -= 1) {
    const byte = piece[at] ?? 0;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return at + (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > length ? at : length;
  }
  return length;
}
