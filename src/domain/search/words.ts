import { fold, isAscii } from "../contents/texts/fold.ts";

/** UTF-16 units. Only this much of a longer word counts, in the index and in a query alike. */
const WORD_UNITS = 64;
/** UTF-16 units of a run that are folded to get a word: folding a run of marks takes quadratic time. */
const FOLDED_UNITS = 4 * WORD_UNITS;

/** A word as search compares it, and as it is written but for its case: stems go by accents. */
export interface SpelledWord {
  readonly text: string;
  readonly written: string;
}

/** A word, and its position in the text: UTF-16 offsets, `end` exclusive. */
export interface Word extends SpelledWord {
  readonly start: number;
  readonly end: number;
}

/** Scripts written without spaces between words, and Hangul, whose particles stick to words. */
const UNSPACED_SCRIPTS =
  "Han Hiragana Katakana Bopomofo Yi Hangul Thai Lao Khmer Myanmar Tibetan Javanese Balinese Tai_Tham";
const UNSPACED = UNSPACED_SCRIPTS.split(" ")
  .map((script) => `\\p{scx=${script}}`)
  .join("");
const SPACED_RUN = String.raw`[[\p{L}\p{N}\p{M}]--[${UNSPACED}]]+`;

/** Of letters, digits and marks; one pictogram, or one character of a script without spaces, is a word too. */
const WORD = new RegExp(String.raw`${SPACED_RUN}|[\p{L}\p{N}\p{M}\p{So}]`, "gv");
/** Of which folding makes the same in lower case. */
const PLAIN_WORD = /^[0-9A-Za-z]+$/;
const SPACED_WORD = new RegExp(`^${SPACED_RUN}$`, "v");
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{So}]+/gu;

/** The words of a text in order, starting at an offset. */
export function* wordsOf(text: string, from = 0): Generator<Word, void> {
  // A copy: a shared one would share its `lastIndex`.
  const pattern = new RegExp(WORD);
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    for (const { text: word, written } of wordsIn(match[0]))
      yield { text: word, written, start: match.index, end: pattern.lastIndex };
  }
}

/** The words of a text in order, as they stand there: a fraction of the work of `wordsOf`. */
export function spellingsIn(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** The first of these. */
export function firstSpellingsIn(text: string, count: number): string[] {
  return text
    .matchAll(WORD)
    .take(count)
    .map(([spelling]) => spelling)
    .toArray();
}

/** What a word is to search, as it stands in a text: mostly one word, but ligatures of ideographs are several. */
export function wordsIn(spelling: string): readonly SpelledWord[] {
  const some = spelling.slice(0, FOLDED_UNITS);
  if (PLAIN_WORD.test(some)) {
    const text = cut(some.toLowerCase());
    return [{ text, written: text }];
  }
  const texts = (fold(some).match(WORD) ?? []).map(cut);
  const written = texts.length === 1 && !isAscii(some) ? cut(some.normalize("NFC").toLowerCase()) : null;
  return texts.map((text) => ({ text, written: written ?? text }));
}

/** Whether a word of `wordsOf` may be longer; one of an unspaced script is a single character. */
export function isSpacedWord(word: string): boolean {
  return SPACED_WORD.test(word);
}

/** A name as search compares it: folded, with one `_` at each end and for everything between words. */
export function foldName(name: string): string {
  return `_${fold(name)}_`.replaceAll(BETWEEN_WORDS, "_");
}

function cut(word: string): string {
  if (word.length <= WORD_UNITS) return word;
  const isSplit = (word.codePointAt(WORD_UNITS - 1) ?? 0) > 0xffff;
  return word.slice(0, isSplit ? WORD_UNITS - 1 : WORD_UNITS);
}
