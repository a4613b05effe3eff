import { invalid } from "../errors.ts";
import { chunksOf, type QueryChunk } from "./chunks.ts";
import { isCommon, requiredOf } from "./common-words.ts";
import { OVERLAP_WORDS } from "./slices.ts";
import { foldName, isSpacedWord, type SpelledWord, wordsOf } from "./words.ts";
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
  /** The word, whose other forms match as well; null for a phrase, and for what was in quotation marks. */
  readonly inflected: SpelledWord | null;
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
  const spelled = Array.from(wordsOf(text), ({ text: word, written }) => ({ text: word, written }));
  const words = spelled.map((word) => word.text);
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
    inflected: isQuoted || words.length > 1 ? null : (spelled[0] ?? null),
    isCommon: !isQuoted && isCommon(words),
  };
}

function mostRepeated(words: readonly string[]): number {
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  return Math.max(...times.values());
}
