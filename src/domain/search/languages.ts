import { stopwords as danish } from "@orama/stopwords/danish";
import { stopwords as dutch } from "@orama/stopwords/dutch";
import { stopwords as english } from "@orama/stopwords/english";
import { stopwords as finnish } from "@orama/stopwords/finnish";
import { stopwords as french } from "@orama/stopwords/french";
import { stopwords as german } from "@orama/stopwords/german";
import { stopwords as greek } from "@orama/stopwords/greek";
import { stopwords as hungarian } from "@orama/stopwords/hungarian";
import { stopwords as italian } from "@orama/stopwords/italian";
import { stopwords as norwegian } from "@orama/stopwords/norwegian";
import { stopwords as portuguese } from "@orama/stopwords/portuguese";
import { stopwords as romanian } from "@orama/stopwords/romanian";
import { stopwords as russian } from "@orama/stopwords/russian";
import { stopwords as spanish } from "@orama/stopwords/spanish";
import { stopwords as swedish } from "@orama/stopwords/swedish";
import { stopwords as turkish } from "@orama/stopwords/turkish";
import { once } from "../once.ts";
import { wordsOf } from "./words.ts";

/** The languages besides English whose words have stems, by ISO 639-1. */
export const LANGUAGES = [
  "da",
  "de",
  "el",
  "es",
  "fi",
  "fr",
  "hu",
  "it",
  "nl",
  "no",
  "pt",
  "ro",
  "ru",
  "sv",
  "tr",
] as const;
export type Language = (typeof LANGUAGES)[number];

/** The words that nearly every text of a language has. */
const STOP_WORDS: Readonly<Record<Language | "en", readonly string[]>> = {
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  hu: hungarian,
  it: italian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sv: swedish,
  tr: turkish,
};

/** The least share of the words of a text that are stop words of its language: prose has a third or more. */
const LEAST_SHARE = 0.1;

/** The languages that a text without stop words is in, by the first letters of its words; none is before that one. */
const FIRST_LETTER = "\u0370";
const BY_LETTER: readonly (readonly [Language, letter: RegExp])[] = [
  ["el", /^\p{Script=Greek}/u],
  ["ru", /^\p{Script=Cyrillic}/u],
];

/** The languages that have a word as a stop word. Single letters are in none: tables and code have them too. */
const languagesByWord = once(() => {
  const all = new Map<string, (Language | "en")[]>();
  for (const language of ["en", ...LANGUAGES] as const) {
    const words = STOP_WORDS[language].flatMap((word) => Array.from(wordsOf(word), ({ text }) => text));
    for (const word of new Set(words)) {
      if (word.length > 1) all.set(word, [...(all.get(word) ?? []), language]);
    }
  }
  return all;
});

/** What a word tells of the language of its text. */
export interface LanguageHint {
  /** The languages that have it as a stop word. */
  readonly stopWordOf: readonly (Language | "en")[];
  /** The language of its letters; null for letters that several languages have. */
  readonly byLetters: Language | null;
}

/** What a word tells, and how often a text has it. */
export interface CountedWord {
  readonly hint: LanguageHint;
  readonly times: number;
}

const NO_HINT: LanguageHint = { stopWordOf: [], byLetters: null };

/** What a folded word tells of the language of its text: for most words the same nothing. */
export function languageHintOf(word: string): LanguageHint {
  const stopWordOf = languagesByWord().get(word) ?? NO_HINT.stopWordOf;
  const byLetters = word < FIRST_LETTER ? undefined : BY_LETTER.find(([, letter]) => letter.test(word));
  if (stopWordOf.length === 0 && byLetters === undefined) return NO_HINT;
  return { stopWordOf, byLetters: byLetters?.[0] ?? null };
}

/**
 * The language of a text, by its stop words, or else by its letters. Null for English, for a language without stems, and
 * for what is no prose.
 */
export function languageOf(words: Iterable<CountedWord>): Language | null {
  const counts = new Map<Language | "en", number>();
  const letters = new Map<Language, number>();
  let all = 0;
  for (const { hint, times } of words) {
    all += times;
    for (const language of hint.stopWordOf) counts.set(language, (counts.get(language) ?? 0) + times);
    if (hint.byLetters !== null) letters.set(hint.byLetters, (letters.get(hint.byLetters) ?? 0) + times);
  }
  return (
    mostFrequent(counts, Math.max(counts.get("en") ?? 0, all * LEAST_SHARE)) ?? mostFrequent(letters, all / 2)
  );
}

/** The language that is counted most often, and more often than that. */
function mostFrequent(counts: ReadonlyMap<Language | "en", number>, least: number): Language | null {
  let [best, most]: [Language | null, number] = [null, least];
  for (const language of LANGUAGES) {
    const count = counts.get(language) ?? 0;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
