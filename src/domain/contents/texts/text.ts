import { invalid } from "../../errors.ts";
import { NAME_CHARACTERS } from "../../limits.ts";

// C0 and C1 controls and DEL: none belongs in a name that people and terminals see.
const CONTROL = /\p{Cc}/u;

export function utf8Length(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** As many of the first characters of `text` as take at most so many bytes as UTF-8. */
export function startOf(text: string, bytes: number): string {
  // No character takes less than a byte for each of its UTF-16 units.
  const start = text.slice(0, bytes);
  return text.slice(0, new TextEncoder().encodeInto(start, new Uint8Array(bytes)).read);
}

/** How many there are of something: "1 file", "3 files". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Where `count` code points end, in UTF-16 units; null if there are fewer. Makes no objects: each word asks. */
export function endOfCharacters(text: string, count: number): number | null {
  let end = 0;
  for (let left = count; left > 0; left -= 1) {
    if (end >= text.length) return null;
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}

/** Throws VALIDATION_ERROR for control characters, including NUL, and for lone surrogates. */
export function requirePlainText(field: string, text: string): void {
  if (!text.isWellFormed()) throw invalid(field, "must be well-formed Unicode, without lone surrogates");
  if (CONTROL.test(text)) throw invalid(field, "must not contain control characters");
}

export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !CONTROL.test(text);
}

/** A text reduced to `a-z`, `0-9` and single inner `-`; accents are dropped. May be empty. */
export function slugified(text: string): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
}

/** Matches a visible character: neither a space nor a default-ignorable code point (UAX #44). */
const SHOWS = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** A name that people see: trimmed, 1 to 64 characters, no control characters, at least one visible. */
export function parseName(field: string, text: string): string {
  const name = text.trim();
  requirePlainText(field, name);
  const length = characters(name);
  if (length < 1 || length > NAME_CHARACTERS)
    throw invalid(field, `must have 1 to ${NAME_CHARACTERS} characters`);
  if (!SHOWS.test(name)) throw invalid(field, "must have a visible character");
  return name;
}

/**
 * A word, perhaps with capitals within or a number behind it, or a number: `todo`, `TodoList`, `TODO`, `test1234`.
 * Base64 of other data seldom looks so: of four letters one in six, of twelve one in three hundred.
 */
const WORD =
  "(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*|[A-Z]+|(?:[A-Z]?[a-z]{3,}(?:[A-Z][a-z]{2,})*|[A-Z]{3,})[0-9]+|[0-9]+)";

/** Words, with what of base64 may stand between them. In one pattern, which ends at the first that is no word. */
const WORDS = new RegExp(`^${WORD}(?:[\\s/+]+${WORD})*$`);

/** Whether a text that could be base64 is plainly words instead. */
export function isWords(text: string): boolean {
  return WORDS.test(text.trim());
}
