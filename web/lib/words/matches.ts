import { chunksOf } from "../../../src/domain/search/chunks.ts";
import { isCommon, requiredOf } from "../../../src/domain/search/common-words.ts";
import { englishStemOf } from "../../../src/domain/search/english-stems.ts";
import { isSpacedWord, type Word, wordsOf } from "../../../src/domain/search/words.ts";

/** A search term, one word or a phrase, normalised as on the server. */
export interface Term {
  readonly words: readonly string[];
  /** Whether the last word may be the start of a longer one. */
  readonly isPrefix: boolean;
  /** What other English forms of the word have as well; null if no other form is found. */
  readonly stem: string | null;
}

/** A part of a text, and whether it matched. */
export interface Piece {
  readonly text: string;
  readonly found: boolean;
}

/** How much of the longer of two words is the same in both where they count as alike, and in UTF-16 units. */
const ALIKE = 0.6;
const LEAST_SHARED = 4;

/** UTF-16 offsets, the end exclusive. */
type Range = readonly [start: number, end: number];

/** The terms that a file must have for a query that the server has accepted; see `parseQuery` in src/domain/search/query.ts. */
export function termsOf(query: string): Term[] {
  const terms = chunksOf(query)
    .map(({ text, isQuoted }) => ({ words: Array.from(wordsOf(text), (word) => word.text), isQuoted }))
    .filter(({ words }) => words.length > 0);
  const all = terms.map(({ words, isQuoted }, index) => {
    const end = words.at(-1) ?? "";
    const isLast = index === terms.length - 1 && !isQuoted;
    return {
      words,
      isPrefix: isLast && end.length > 1 && isSpacedWord(end),
      stem: isQuoted || words.length > 1 ? null : englishStemOf(end),
      isCommon: !isQuoted && isCommon(words),
    };
  });
  return requiredOf(all).map(({ words, isPrefix, stem }) => ({ words, isPrefix, stem }));
}

/**
 * Marks the matches in a content, by the rules of the server's search. Where there are none, as the forms of a word in
 * other languages than English are, marks the words that begin like a term.
 */
export function markContent(text: string, terms: readonly Term[]): Piece[] {
  const words = [...wordsOf(text)];
  const ranges = terms.flatMap(({ words: wanted, isPrefix, stem }) =>
    runsOf(words, wanted, (word, sought, index) => {
      if (word === sought || (stem !== null && englishStemOf(word) === stem)) return true;
      return isPrefix && index === wanted.length - 1 && word.startsWith(sought);
    }),
  );
  if (ranges.length > 0) return piecesOf(text, ranges);
  const alike = terms.flatMap(({ words: wanted, stem }) =>
    stem === null ? [] : runsOf(words, wanted, (word, sought) => beginAlike(word, sought)),
  );
  return piecesOf(text, alike);
}

/** Whether two words have the most of their letters in common, from the first on, as the forms of a word have. */
function beginAlike(one: string, other: string): boolean {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  return shared >= Math.max(LEAST_SHARED, ALIKE * Math.max(one.length, other.length));
}

/** Marks the matches in a name or a tag, also inside words. */
export function markName(name: string, terms: readonly Term[]): Piece[] {
  const words = [...wordsOf(name)];
  const ranges = terms.flatMap(({ words: wanted }) => {
    const [only] = wanted;
    if (only !== undefined && wanted.length === 1) return words.flatMap((word) => insideWord(word, only));
    return runsOf(words, wanted, (word, sought, index) => {
      if (index === 0) return word.endsWith(sought);
      return index === wanted.length - 1 ? word.startsWith(sought) : word === sought;
    });
  });
  return piecesOf(name, ranges);
}

/** Every run of words that matches `wanted`, word by word. */
function runsOf(
  words: readonly Word[],
  wanted: readonly string[],
  fits: (word: string, sought: string, index: number) => boolean,
): Range[] {
  return words.flatMap((first, start): Range[] => {
    const last = words[start + wanted.length - 1];
    if (last === undefined) return [];
    const isRun = wanted.every((sought, index) => fits(words[start + index]?.text ?? "", sought, index));
    return isRun ? [[first.start, last.end]] : [];
  });
}

/** Where `sought` is inside a word; the whole word where folding has changed its length. */
function insideWord({ text, start, end }: Word, sought: string): Range[] {
  const at = text.indexOf(sought);
  if (at === -1) return [];
  return text.length === end - start ? [[start + at, start + at + sought.length]] : [[start, end]];
}

function piecesOf(text: string, ranges: readonly Range[]): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    if (from > done) pieces.push({ text: text.slice(done, from), found: false });
    pieces.push({ text: text.slice(from, end), found: true });
    done = end;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), found: false });
  return pieces;
}
