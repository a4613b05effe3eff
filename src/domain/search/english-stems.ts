import { stemmer } from "stemmer";

/** The stems are those of words of these letters alone, as they are after folding. */
const ENGLISH = /^[a-z]+$/;
const DOUBLED_END = /([a-z])\1$/;

/**
 * What the forms of an English word have in common, by Porter's rules: `date` for `dates`, `run` for `running`. Any
 * other word is its own stem. A stem begins with the first letter of its word.
 */
export function englishStemOf(word: string): string {
  // The rules take `added` to `ad`, and leave `add` as it is: without the doubled end, both are one.
  return ENGLISH.test(word) ? stemmer(word).replace(DOUBLED_END, "$1") : word;
}
