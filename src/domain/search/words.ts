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

/** A word, and how often a text has it. */
export interface CountedWord {
  readonly word: SpelledWord;
  readonly times: number;
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
const SPACED_WORD = new RegExp(`^${SPACED_RUN}$`, "v");
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{So}]+/gu;

/** Words as they stand in texts, and what they are to search. */
export type KnownWords = Map<string, readonly SpelledWord[]>;

/** How many words are kept at most: about what a few books have. */
const KEPT = 20_000;

/** The words of a text in order, starting at an offset. @param known kept for more texts, which have the same words */
export function* wordsOf(text: string, from = 0, known: KnownWords = new Map()): Generator<Word, void> {
  // A copy: a shared one would share its `lastIndex`.
  const pattern = new RegExp(WORD);
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const raw = match[0];
    let parts = known.get(raw);
    if (parts === undefined) {
      if (known.size >= KEPT) known.clear();
      parts = partsOf(raw);
      known.set(raw, parts);
    }
    for (const { text: word, written } of parts)
      yield { text: word, written, start: match.index, end: pattern.lastIndex };
  }
}

/** The words that folding makes of one: mostly one, but ligatures of ideographs are split into several. */
function partsOf(raw: string): readonly SpelledWord[] {
  const some = raw.slice(0, FOLDED_UNITS);
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
