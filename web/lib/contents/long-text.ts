import { plural } from "../words/text.ts";

/**
 * What a text may be for a browser to lay it out at once. The time for a line grows with the square of its length, of
 * Arabic for one, and that for a character with the square of the marks on it: a text of 1 MiB can take minutes.
 */

/** Marks in a row that are shown: as many as Unicode's stream-safe text has (UAX #15, section 13). */
const MOST_MARKS = 30;
const TOO_MANY_MARKS = new RegExp(`(\\p{M}{${MOST_MARKS}})(\\p{M}+)`, "gu");
const MARK = /\p{M}/u;

/** The longest part of a line that is laid out as one, in UTF-16 code units, as all lengths here. */
export const MOST_IN_ROW = 1000;
/** How far back a line is looked through for a space, to be broken there. */
const BACK_TO_SPACE = 100;

/** A text with the marks beyond 30 in a row counted instead of shown: `a` and 500,000 accents, say. */
export function withFewMarks(text: string): string {
  return text.replaceAll(TOO_MANY_MARKS, (_run, kept: string, { length }: string) => {
    return `${kept} ⟨${plural(length, "{count} more mark", "{count} more marks")}⟩`;
  });
}

/** The start of a text, if it is longer than `most`, and how much is left out. */
export function startOfText(text: string, most: number): { readonly shown: string; readonly left: number } {
  const end = text.length <= most ? text.length : endOfRow(text, 0, most);
  return { shown: text.slice(0, end), left: text.length - end };
}

/** The text in pieces of at most about `most`. Together they are the text. */
export function rowsOf(text: string, most: number): string[] {
  const rows: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOfRow(text, start, most);
    rows.push(text.slice(start, end));
    start = end;
  }
  return rows;
}

/** Where a row ends that begins at `start`: after a space if there is one, and never inside a character. */
function endOfRow(text: string, start: number, most: number): number {
  const last = start + most;
  if (last >= text.length) return text.length;
  const least = Math.max(start + 1, last - BACK_TO_SPACE);
  let found: number | null = null;
  for (let end = last; end > least; end -= 1) {
    if (!isBetweenCharacters(text, end)) continue;
    if (/\s/.test(text.charAt(end - 1))) return end;
    found ??= end;
  }
  return found ?? last;
}

function isBetweenCharacters(text: string, at: number): boolean {
  const next = text.codePointAt(at) ?? 0;
  const isInPair = next >= 0xdc00 && next <= 0xdfff && /[\ud800-\udbff]/.test(text.charAt(at - 1));
  return !isInPair && !MARK.test(String.fromCodePoint(next));
}

/** Letters that are shaped by their neighbours or read in another direction: from Hebrew to Khmer, and marks. */
export const COSTLY = /[\u0300-\u036f\u0590-\u18af\ud800-\udfff\ufb1d-\ufdff\ufe70-\ufeff]/;
const LONG_IF_COSTLY = 200;

/**
 * Whether a text must be wrapped. Where lines are not, a window has room for fifty, and all of each is laid out: too
 * much, if they are long and of scripts that take long.
 */
export function mustWrap(text: string, blocks: readonly TextBlock[]): boolean {
  const isBroken = blocks.some(({ first }) => first === null);
  return isBroken || (blocks.some(({ longest }) => longest > LONG_IF_COSTLY) && COSTLY.test(text));
}

/** Lines of a text that are laid out together, and only where they are seen. */
export interface TextBlock {
  /** With the line breaks. The texts of all blocks are the whole. */
  readonly text: string;
  /** Where it stands in the whole. */
  readonly from: number;
  /** The number of its first line; null where that is the rest of a line of the block before. */
  readonly first: number | null;
  readonly lines: number;
  /** The length of the longest line. */
  readonly longest: number;
}

/** So few that a browser lays them out at once, and so many that a long text has not too many blocks. */
const MOST_LINES_OF_BLOCK = 100;
const MOST_OF_BLOCK = 8000;

/**
 * The first `mostLines` lines of a text, in blocks. A line that is too long for a row is a block for each row of it.
 */
export function textBlocks(
  text: string,
  mostLines: number,
): { readonly blocks: TextBlock[]; readonly isCut: boolean } {
  const blocks: TextBlock[] = [];
  let open = { from: 0, first: 1, lines: 0, longest: 0 };
  const endBlock = (end: number) => {
    if (open.lines > 0) {
      const { from, first, lines, longest } = open;
      blocks.push({ text: text.slice(from, end), from, first, lines, longest });
    }
  };
  let number = 1;
  let start = 0;
  for (; start < text.length && number <= mostLines; number += 1) {
    const lineBreak = text.indexOf("\n", start);
    const end = lineBreak === -1 ? text.length : lineBreak + 1;
    const length = end - start;
    const isLong = length > MOST_IN_ROW;
    if (isLong || open.lines === MOST_LINES_OF_BLOCK || start - open.from + length > MOST_OF_BLOCK) {
      endBlock(start);
      open = { from: start, first: number, lines: 0, longest: 0 };
    }
    if (isLong) {
      let from = start;
      for (const row of rowsOf(text.slice(start, end), MOST_IN_ROW)) {
        const first = from === start ? number : null;
        blocks.push({ text: row, from, first, lines: 1, longest: row.length });
        from += row.length;
      }
      open = { from: end, first: number + 1, lines: 0, longest: 0 };
    } else open = { ...open, lines: open.lines + 1, longest: Math.max(open.longest, length) };
    start = end;
  }
  endBlock(start);
  return { blocks, isCut: start < text.length };
}
