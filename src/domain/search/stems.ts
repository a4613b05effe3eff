import { stemmer } from "stemmer";

/** The English stems are those of words of these letters alone, as they are after folding. */
const ENGLISH = /^[a-z]+$/;
const DOUBLED_END = /([a-z])\1$/;

/**
 * What the forms of an English word have in common, by Porter's rules: `date` for `dates`, `run` for `running`. Any
 * other word is its own stem. A stem begins with the first letter of its word.
 */
export function stemOf(word: string): string {
  // The rules take `added` to `ad`, and leave `add` as it is: without the doubled end, both are one.
  return ENGLISH.test(word) ? stemmer(word).replace(DOUBLED_END, "$1") : word;
}

/** How many stems are kept: about what a few books have. */
const KEPT = 20_000;

/** The same as `stemOf`, for many texts: it keeps what it has found, since texts repeat their words. */
export function keptStems(): typeof stemOf {
  const known = new Map<string, string>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= KEPT) known.clear();
    const stem = stemOf(word);
    known.set(word, stem);
    return stem;
  };
}
