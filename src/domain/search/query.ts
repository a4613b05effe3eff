import { invalid } from "../errors.ts";
import { chunksOf } from "./chunks.ts";
import { OVERLAP_WORDS } from "./slices.ts";
import { foldName, isSpacedWord, wordsOf } from "./words.ts";
import { characters } from "../contents/texts/text.ts";

/** Characters of a query. */
const QUERY_CHARACTERS = 512;
const QUERY_TERMS = 16;
/** How often a phrase may repeat a word: in a text of only that word, each repetition costs as much as the first. */
const WORD_REPEATS = 16;

/** A word or a phrase that must match in a file. */
export interface SearchTerm {
  /** The words, in the order they must have in a text. */
  readonly words: readonly string[];
  /** Whether the last word also matches as a prefix. */
  readonly isPrefix: boolean;
  /** What a name must contain, even inside a word; in the form of `foldName`, without the `_` at its ends. */
  readonly needle: string;
}

/**
 * Reads a search query. Each of its chunks is a term. The last term matches as a prefix unless it was quoted.
 * Everything except letters, digits and pictograms separates words. Words that it joins, as in `a-b`, are a phrase.
 * Returns no terms if the query contains nothing that can be found. Throws VALIDATION_ERROR.
 */
export function parseQuery(field: string, text: string): SearchTerm[] {
  if (characters(text) > QUERY_CHARACTERS) {
    throw invalid(field, `must have at most ${QUERY_CHARACTERS} characters`);
  }
  const chunks = chunksOf(text);
  const last = chunks.findLast((chunk) => foldName(chunk.text) !== "_");
  const terms = chunks.flatMap((chunk) => termOf(field, chunk.text, chunk === last && !chunk.isQuoted) ?? []);
  const distinct = new Map(terms.map((term) => [JSON.stringify(term), term]));
  if (distinct.size > QUERY_TERMS) throw invalid(field, `must have at most ${QUERY_TERMS} words and phrases`);
  return [...distinct.values()];
}

function termOf(field: string, chunk: string, isLast: boolean): SearchTerm | null {
  const words = Array.from(wordsOf(chunk), (word) => word.text);
  const needle = foldName(chunk).slice(1, -1);
  const end = words.at(-1);
  if (end === undefined || needle === "") return null;
  if (words.length > OVERLAP_WORDS)
    throw invalid(field, `must not have a phrase of more than ${OVERLAP_WORDS} words`);
  if (mostRepeated(words) > WORD_REPEATS)
    throw invalid(field, `must not have a phrase with a word more than ${WORD_REPEATS} times`);
  // Too many words start with a given letter for a prefix search; names match inside words anyway.
  return { words, needle, isPrefix: isLast && end.length > 1 && isSpacedWord(end) };
}

function mostRepeated(words: readonly string[]): number {
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  return Math.max(...times.values());
}
