import { MIB } from "../../limits.ts";
import { type TextEncoding, unitBytes } from "./text-encoding.ts";

/** Ends a line, alone or after `\r`, as for git, grep and diff. What follows the last is a line unless it is empty. */
export const NEWLINE = 0x0a;

export function isLineStart(text: Uint8Array, at: number): boolean {
  return at === 0 || text[at - 1] === NEWLINE;
}

/** Where a line begins: its number, from 1, and its first byte in the content. */
interface LineStart {
  readonly line: number;
  readonly at: number;
}

/** How many lines a text has, and where some of them begin. */
export interface LineIndex {
  readonly encoding: TextEncoding;
  readonly totalLines: number;
  /** In order, from the first line on. A line that begins `INDEX_STEP` bytes or more after the last of these is one. */
  readonly starts: readonly LineStart[];
}

/** How far apart the lines of an index begin, in bytes, unless one of them is longer. */
export const INDEX_STEP = MIB;

/** Where the text begins after its byte order mark, if it has one. */
export function markBytes(head: Uint8Array, encoding: TextEncoding): number {
  if (unitBytes(encoding) === 2) return 2;
  return encoding === "utf-8" && head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}

/** After the next line end; -1 if there is none. @param piece begins and ends between characters of UTF-16 */
export function afterLineEnd(piece: Uint8Array, encoding: TextEncoding, from: number): number {
  if (encoding === "utf-8") return afterNewline(piece, from);
  const unit = unitBytes(encoding);
  const first = encoding === "utf-16be" ? 1 : 0;
  for (let at = from + first; at < piece.length; at += unit) {
    // The other byte of a character of UTF-16 is beside this one.
    if (piece[at] === NEWLINE && (unit === 1 || piece[at ^ 1] === 0)) return at - first + unit;
  }
  return -1;
}

/** The runtime's search is several times as fast as a loop, but a call of it takes as long as so many bytes. */
const CALL_BYTES = 48;

function afterNewline(piece: Uint8Array, from: number): number {
  const near = Math.min(from + CALL_BYTES, piece.length);
  for (let at = from; at < near; at += 1) if (piece[at] === NEWLINE) return at + 1;
  const found = piece.indexOf(NEWLINE, near);
  return found === -1 ? -1 : found + 1;
}

export class LineCounter {
  readonly #encoding: TextEncoding;
  readonly #starts: LineStart[];
  #line = 1;
  /** Where the last line begins, and where the last piece ended. */
  #start: number;
  #end = 0;
  #recorded: number;

  constructor(encoding: TextEncoding, mark: number) {
    this.#encoding = encoding;
    this.#start = mark;
    this.#recorded = mark;
    this.#starts = [{ line: 1, at: mark }];
  }

  /** Adds the next piece of the content; see `afterLineEnd`. */
  add(piece: Uint8Array): void {
    const encoding = this.#encoding;
    for (let end = afterLineEnd(piece, encoding, 0); end !== -1; end = afterLineEnd(piece, encoding, end)) {
      this.#line += 1;
      this.#start = this.#end + end;
      if (this.#start - this.#recorded < INDEX_STEP) continue;
      this.#recorded = this.#start;
      this.#starts.push({ line: this.#line, at: this.#start });
    }
    this.#end += piece.length;
  }

  index(): LineIndex {
    const totalLines = this.#end > this.#start ? this.#line : this.#line - 1;
    return { encoding: this.#encoding, totalLines, starts: this.#starts };
  }
}
