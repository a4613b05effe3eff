const ASCII = /^\p{ASCII}*$/u;

/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel signs, variation selectors. Others are letters. */
const ACCENTS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\ufe00-\ufe0f]/g;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Removes differences of case, width, composition and accent. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // Upper case first: it makes ß and ss equal, and the two small sigmas.
  const caseless = text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return caseless.normalize("NFKD").replaceAll(ACCENTS, "").normalize("NFC");
}
