import { invalid } from "../errors.ts";
import { chunksOf, type QueryChunk } from "./chunks.ts";
import { isCommon, requiredOf } from "./common-words.ts";
import { OVERLAP_WORDS, wordsOfSlice } from "./slices.ts";
import { stemOf } from "./stems.ts";
import { foldName, isSpacedWord, type Word, wordsOf } from "./words.ts";
import { characters } from "../contents/texts/text.ts";

const QUERY_CHARACTERS = 512;
const QUERY_TERMS = 16;
/** How often a phrase may repeat a word: in a text of only that word, each repetition costs as much as the first. */
const WORD_REPEATS = 16;

export interface SearchTerm {
  /** The words, in the order they must have in a text. */
  readonly words: readonly string[];
  /** Whether the last word also matches as a prefix. */
  readonly isPrefix: boolean;
  /** What a name must contain, even inside a word; in the form of `foldName`, without the `_` at its ends. */
  readonly needle: string;
  /** What other forms of the word have as well; null for a phrase, and for what was in quotation marks. */
  readonly stem: string | null;
  /** Whether it says nothing of what is looked for, as `the` and `how`. */
  readonly isCommon: boolean;
}

/** Each chunk is a term: a word, or a phrase as `a-b` is; the last a prefix unless quoted. Throws VALIDATION_ERROR. */
export function parseQuery(field: string, text: string): SearchTerm[] {
  if (characters(text) > QUERY_CHARACTERS) {
    throw invalid(field, `must have at most ${QUERY_CHARACTERS} characters`);
  }
  const chunks = chunksOf(text);
  const last = chunks.findLast((chunk) => foldName(chunk.text) !== "_");
  const terms = chunks.flatMap((chunk) => termOf(field, chunk, chunk === last) ?? []);
  const distinct = [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
  if (requiredOf(distinct).length > QUERY_TERMS)
    throw invalid(field, `must have at most ${QUERY_TERMS} words and phrases`);
  return distinct;
}

function termOf(field: string, { text, isQuoted }: QueryChunk, isLast: boolean): SearchTerm | null {
  const words = Array.from(wordsOf(text), (word) => word.text);
  const needle = foldName(text).slice(1, -1);
  const end = words.at(-1);
  if (end === undefined || needle === "") return null;
  if (words.length > OVERLAP_WORDS)
    throw invalid(field, `must not have a phrase of more than ${OVERLAP_WORDS} words`);
  if (mostRepeated(words) > WORD_REPEATS)
    throw invalid(field, `must not have a phrase with a word more than ${WORD_REPEATS} times`);
  return {
    words,
    needle,
    // Too many words start with a given letter for a prefix search; names match inside words anyway.
    isPrefix: isLast && !isQuoted && end.length > 1 && isSpacedWord(end),
    stem: isQuoted || words.length > 1 ? null : stemOf(end),
    isCommon: !isQuoted && isCommon(words),
  };
}

function mostRepeated(words: readonly string[]): number {
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  return Math.max(...times.values());
}

const BEFORE = 60;
const AFTER = 140;

/** Around the first match of a term, in one line with `…` where the text continues. Null if no term matches. */
export function snippetOf(text: string, slice: number, terms: readonly SearchTerm[]): string | null {
  const longest = Math.max(...terms.map(({ words }) => words.length));
  const recent: Word[] = [];
  for (const word of wordsOfSlice(text, slice)) {
    recent.push(word);
    if (recent.length > longest) recent.shift();
    for (const term of terms) {
      const start = recent.at(-term.words.length);
      if (start !== undefined && endsWith(recent, term)) return passageAt(text, start.start);
    }
  }
  return null;
}

function endsWith(recent: readonly Word[], { words, isPrefix, stem }: SearchTerm): boolean {
  const offset = recent.length - words.length;
  const last = recent.at(-1)?.text ?? "";
  if (stem !== null && last[0] === stem[0] && stemOf(last) === stem) return true;
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
