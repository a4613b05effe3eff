const WORD = "(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)";

/**
 * Words and numbers, with what of base64 may stand between them. Base64 hardly ever has its letters in this order: of
 * four one in twelve, of twelve none.
 */
const WORDS = new RegExp(`^${WORD}(?:[\\s/+]+${WORD})*$`);

/** Whether a text that could be base64 is plainly words instead. */
export function isWords(text: string): boolean {
  return WORDS.test(text.trim());
}
