/** What stands between words, of what base64 may hold. */
const BETWEEN = /[\s/+]+/;

/** A word or a number. Base64 hardly ever has its letters in this order: of four one in twelve, of twelve none. */
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;

/** Whether a text that could be base64 is plainly words instead. */
export function isWords(text: string): boolean {
  return text
    .trim()
    .split(BETWEEN)
    .every((word) => WORD.test(word));
}
