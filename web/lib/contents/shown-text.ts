import { withFewMarks } from "./long-text.ts";
import { withFoundLetters } from "./missing-letters.ts";

/** A text of somebody else, which a browser can show at once. */
export function shownText(text: string): string {
  return withFoundLetters(withFewMarks(text));
}

/**
 * The same for all texts in plain data. For what is read of a source in which characters can be written as their numbers:
 * that it was a shown text says nothing of them.
 */
export function shownData<T>(data: T): T {
  const json = JSON.stringify(data);
  const shown = shownText(json);
  return shown === json ? data : JSON.parse(shown);
}
