/** Neither Latin, Greek, Cyrillic, punctuation nor for private use: a browser may have to look for a font with it. */
export const RARE_LETTER = /[\u0530-\u1dff\u2070-\ud7ff\uf900-\uffef\u{10000}-\u{effff}]/gu;
const RARE_RUN = new RegExp(`${RARE_LETTER.source}+`, "gu");

/** How often a browser may look for a font with the letters of a text: once for each run of them. */
export function countRareRuns(text: string): number {
  return text.match(RARE_RUN)?.length ?? 0;
}
