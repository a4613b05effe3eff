import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { fold } from "../contents/texts/fold.ts";
import { englishStemOf } from "./english-stems.ts";
import type { Language } from "./languages.ts";
import type { SpelledWord } from "./words.ts";

const DIGIT = /\p{N}/u;

const STEMMERS: Readonly<Record<Language, (word: string) => string>> = {
  da: danish,
  de: german,
  el: greek,
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

/** Whether a word may have other forms. One with a digit has none: in every language it is its own stem. */
export function hasForms({ text, written }: SpelledWord): boolean {
  return !DIGIT.test(written) || !DIGIT.test(text);
}

/**
 * What the forms of a word have in common in a language, by the rules of Snowball: `haus` for `Häuser`; for null, see
 * `englishStemOf`. A stem begins with the first letter of its word.
 */
export function stemOf({ text, written }: SpelledWord, language: Language | null): string {
  if (language === null) return englishStemOf(text);
  if (DIGIT.test(written)) return text;
  const stem = fold(STEMMERS[language](written));
  return stem[0] === text[0] ? stem : text;
}
