import { invalid } from "./errors.ts";

// C0 and C1 controls and DEL; none of them belongs into a name that people and terminals show.
const CONTROL = /\p{Cc}/u;

/** The number of bytes `text` takes as UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** The number of characters (code points) of `text`. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Throws VALIDATION_ERROR for control characters, NUL among them, and for lone surrogates. */
export function requirePlainText(field: string, text: string): void {
  if (!text.isWellFormed()) throw invalid(field, "must be well-formed Unicode, without lone surrogates");
  if (CONTROL.test(text)) throw invalid(field, "must not contain control characters");
}

/** Whether a text is what `requirePlainText` takes. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !CONTROL.test(text);
}

/** A text in `a-z`, `0-9` and single `-` amid them, without its accents; empty where it has no such characters. */
export function slugified(text: string): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
}

/** Whether any character of it shows: neither a space nor one that is not meant to be seen (UAX #44). */
const SHOWS = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** A label people see: trimmed, 1 to `max` characters, of which one at least shows, no control characters. */
export function parseLabel(field: string, text: string, max: number): string {
  const label = text.trim();
  requirePlainText(field, label);
  const length = characters(label);
  if (length < 1 || length > max) throw invalid(field, `must have 1 to ${max} characters`);
  if (!SHOWS.test(label)) throw invalid(field, "must have a character that can be seen");
  return label;
}
