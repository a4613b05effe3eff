/**
 * A word, perhaps with capitals within or a number behind it, or a number: `todo`, `TodoList`, `TODO`, `test1234`.
 * Base64 of what is no text seldom has its letters in this order: of four one in six, of twelve one in three hundred.
 */
const WORD =
  "(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*|[A-Z]+|(?:[A-Z]?[a-z]{3,}(?:[A-Z][a-z]{2,})*|[A-Z]{3,})[0-9]+|[0-9]+)";

/** Words, with what of base64 may stand between them. In one pattern, which ends at the first that is no word. */
const WORDS = new RegExp(`^${WORD}(?:[\\s/+]+${WORD})*$`);

/** Whether a text that could be base64 is plainly words instead. */
export function isWords(text: string): boolean {
  return WORDS.test(text.trim());
}
