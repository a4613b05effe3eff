import { COSTLY, withFewMarks } from "../contents/long-text.ts";

/** The longest line that is laid out as it is typed, in UTF-16 code units, and the most letters of a line that take long. */
const LONGEST_LINE = 100_000;
const MOST_COSTLY = 5000;
const EACH_COSTLY = new RegExp(COSTLY, "g");

/**
 * Whether a browser can lay a text out as it is typed. A preview breaks long lines and leaves marks out, but what is
 * edited has to be shown as it is.
 */
export function canBeLaidOut(text: string): boolean {
  if (withFewMarks(text) !== text) return false;
  return text
    .split("\n")
    .every(
      (line) =>
        line.length <= MOST_COSTLY ||
        (line.length <= LONGEST_LINE && (line.match(EACH_COSTLY)?.length ?? 0) <= MOST_COSTLY),
    );
}
