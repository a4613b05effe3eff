/** UTF-16 units: about 200 words, which every model takes. */
const PASSAGE_UNITS = 1200;
/** Where a passage ends: in this last part of it, after a paragraph, else a line, else a word. */
const END_UNITS = 300;
/** How many of a text count: what a file is about stands at its beginning. */
const MOST_PASSAGES = 32;

/** How many bytes of a content have the passages that count. */
export const PASSAGES_BYTES = 3 * PASSAGE_UNITS * MOST_PASSAGES;

/** A part of a text that gets a vector of its own. */
export interface Passage {
  /** Where it begins, in UTF-16 units. */
  readonly start: number;
  readonly text: string;
}

/** The first passages of a text, without those of space alone. */
export function passagesOf(text: string): Passage[] {
  const passages: Passage[] = [];
  for (let start = 0; start < text.length && passages.length < MOST_PASSAGES;) {
    const end = endOf(text, start);
    const passage = text.slice(start, end).toWellFormed();
    if (passage.trim() !== "") passages.push({ start, text: passage });
    start = end;
  }
  return passages;
}

function endOf(text: string, start: number): number {
  const most = start + PASSAGE_UNITS;
  if (most >= text.length) return text.length;
  const tail = text.slice(most - END_UNITS, most);
  for (const gap of ["\n\n", "\n", " "]) {
    const at = tail.lastIndexOf(gap);
    if (at !== -1) return most - END_UNITS + at + gap.length;
  }
  return most;
}
