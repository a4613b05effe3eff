import type { SearchTerm } from "./query.ts";
import { wordsOfSlice } from "./slices.ts";
import type { Word } from "./words.ts";

/** UTF-16 units before and after the start of a match. */
const BEFORE = 60;
const AFTER = 140;

/**
 * The passage around the first match of a term in a slice, in one line with `…` where the text continues. Null if no
 * term matches.
 */
export function snippetOf(text: string, slice: number, terms: readonly SearchTerm[]): string | null {
  const longest = Math.max(...terms.map(({ words }) => words.length));
  const recent: Word[] = [];
  for (const word of wordsOfSlice(text, slice)) {
    recent.push(word);
    if (recent.length > longest) recent.shift();
    for (const term of terms) {
      const start = recent.at(-term.words.length);
      if (start !== undefined && endsWith(recent, term)) return passage(text, start.start);
    }
  }
  return null;
}

function endsWith(recent: readonly Word[], { words, isPrefix }: SearchTerm): boolean {
  const offset = recent.length - words.length;
  return words.every((word, index) => {
    const text = recent[offset + index]?.text;
    return isPrefix && index === words.length - 1 ? text?.startsWith(word) : text === word;
  });
}

function passage(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, at + AFTER);
  const from = start === 0 ? 0 : gapAfter(text, start, at);
  const to = end === text.length ? end : gapBefore(text, end, at + AFTER / 2);
  const line = text
    .slice(from, to)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\ufffd]+/gu, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${line}${to < text.length ? "…" : ""}`;
}

/** The position after the first space between `start` and `limit`; `start` if there is none. */
function gapAfter(text: string, start: number, limit: number): number {
  const gap = text.slice(start, limit).search(/\s/u);
  return gap === -1 ? start : start + gap + 1;
}

/** The position of the last space between `limit` and `end`; `end` if there is none. */
function gapBefore(text: string, end: number, limit: number): number {
  const gap = /\s\S*$/u.exec(text.slice(limit, end));
  return gap === null ? end : limit + gap.index;
}
