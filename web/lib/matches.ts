import { chunksOf } from "../../src/domain/search/chunks.ts";
import { isSpacedWord, type Word, wordsOf } from "../../src/domain/search/words.ts";

/** A word or a phrase that is looked for, as the server compares it. */
export interface Term {
  readonly words: readonly string[];
  /** Whether the last word may be the start of a longer one. */
  readonly isPrefix: boolean;
}

/** A part of a text, and whether it is what was looked for. */
export interface Piece {
  readonly text: string;
  readonly found: boolean;
}

/** UTF-16 offsets, the end exclusive. */
type Range = readonly [start: number, end: number];

/** What a query that the server has taken looks for; see `parseQuery` in src/domain/search/query.ts. */
export function termsOf(query: string): Term[] {
  const terms = chunksOf(query)
    .map(({ text, isQuoted }) => ({ words: Array.from(wordsOf(text), (word) => word.text), isQuoted }))
    .filter(({ words }) => words.length > 0);
  return terms.map(({ words, isQuoted }, index) => {
    const end = words.at(-1) ?? "";
    const isLast = index === terms.length - 1 && !isQuoted;
    return { words, isPrefix: isLast && end.length > 1 && isSpacedWord(end) };
  });
}

/** Where the terms match in a content, by the rules that the server's search has. */
export function markContent(text: string, terms: readonly Term[]): Piece[] {
  const words = [...wordsOf(text)];
  const ranges = terms.flatMap(({ words: wanted, isPrefix }) =>
    runsOf(words, wanted, (word, sought, index) =>
      isPrefix && index === wanted.length - 1 ? word.startsWith(sought) : word === sought,
    ),
  );
  return piecesOf(text, ranges);
}

/** Where the terms match in a name or a tag: also amid its words. */
export function markName(name: string, terms: readonly Term[]): Piece[] {
  const words = [...wordsOf(name)];
  const ranges = terms.flatMap(({ words: wanted }) => {
    const [only] = wanted;
    if (only !== undefined && wanted.length === 1) return words.flatMap((word) => amid(word, only));
    return runsOf(words, wanted, (word, sought, index) => {
      if (index === 0) return word.endsWith(sought);
      return index === wanted.length - 1 ? word.startsWith(sought) : word === sought;
    });
  });
  return piecesOf(name, ranges);
}

/** Every run of words in which each fits the one that is sought at its place. */
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

/** The place of `sought` in a word; all of it where folding has changed how long it is. */
function amid({ text, start, end }: Word, sought: string): Range[] {
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
