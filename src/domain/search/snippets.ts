import { type Language, languageHintOf, languageOf } from "./languages.ts";
import type { SearchTerm } from "./query.ts";
import { wordsOfSlice } from "./slices.ts";
import { stemOf } from "./stems.ts";
import type { Word } from "./words.ts";

const BEFORE = 60;
const AFTER = 140;

/** Around the first match of a term, in one line with `…` where the text continues. Null if no term matches. */
export function snippetOf(text: string, slice: number, terms: readonly SearchTerm[]): string | null {
  const at = firstMatch(wordsOfSlice(text, slice), terms, null);
  if (at !== null) return passageAt(text, at);
  const words = [...wordsOfSlice(text, slice)];
  const language = languageOf(words.map(({ text: word }) => ({ hint: languageHintOf(word), times: 1 })));
  const other = language === null ? null : firstMatch(words, terms, language);
  return other === null ? null : passageAt(text, other);
}

/** Where a term first matches, in a form by the rules of a language; in UTF-16 units, null if none does. */
function firstMatch(
  words: Iterable<Word>,
  terms: readonly SearchTerm[],
  language: Language | null,
): number | null {
  const longest = Math.max(...terms.map((term) => term.words.length));
  const stems = terms.map(({ inflected }) => (inflected === null ? null : stemOf(inflected, language)));
  const recent: Word[] = [];
  for (const word of words) {
    recent.push(word);
    if (recent.length > longest) recent.shift();
    for (const [index, term] of terms.entries()) {
      const start = recent[recent.length - term.words.length];
      if (start === undefined) continue;
      if (endsWith(recent, term) || isForm(word, stems[index] ?? null, language)) return start.start;
    }
  }
  return null;
}

/** Whether a word has a stem, of which null is none. A stem begins with the first letter of its words. */
function isForm(word: Word, stem: string | null, language: Language | null): boolean {
  return stem !== null && word.text[0] === stem[0] && stemOf(word, language) === stem;
}

function endsWith(recent: readonly Word[], { words, isPrefix }: SearchTerm): boolean {
  const offset = recent.length - words.length;
  return words.every((word, index) => {
    const text = recent[offset + index]?.text;
    return isPrefix && index === words.length - 1 ? text?.startsWith(word) : text === word;
  });
}

/** Around a position, in UTF-16 units: in one line with `…` where the text continues. */
export function passageAt(text: string, at: number): string {
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
