import { textOf } from "../contents/texts/text-encoding.ts";
import { MIB } from "../limits.ts";
import { firstSpellingsIn, spellingsIn, type Word, wordsOf } from "./words.ts";

export const SEARCHED_BYTES = MIB;

/** The first MiB, which is searched; null if it is no text. @param isCut whether the content continues after `bytes` */
export function searchedText(bytes: Uint8Array, isCut = false): string | null {
  return textOf(bytes.subarray(0, SEARCHED_BYTES), isCut || bytes.length >= SEARCHED_BYTES);
}

/** UTF-16 units. A text is indexed in slices, so that no step takes long. */
export const SLICE_UNITS = 32 * 1024;
const SLACK_UNITS = 256;
/** How many words of the next slice each slice repeats. No phrase is longer, so each is whole in one slice. */
export const OVERLAP_WORDS = 128;

/** UTF-16 units: more than these words and what is between them have, except in very odd texts. */
const OVERLAP_UNITS = 8 * 1024;
const MOST_BYTES_A_UNIT = 3;

/** A file's rows in the index are `pk * SLICES_A_FILE` and the next. The schema's triggers have the number too. */
export const SLICES_A_FILE = 32;

const BETWEEN = /[^\p{L}\p{N}\p{M}]/gu;

/** How many slices a text has: at least one, at most `SLICES_A_FILE` for a searched text. */
export function sliceCount(text: string): number {
  return Math.max(1, Math.ceil(text.length / SLICE_UNITS));
}

/** The slice (from 0) with a position of a text. */
export function sliceAt(position: number): number {
  return Math.floor(position / SLICE_UNITS);
}

/** In how many first bytes of a text a slice (from 0) ends, with the words of the next that it repeats. */
export function bytesToEndOf(slice: number): number {
  return MOST_BYTES_A_UNIT * ((slice + 1) * SLICE_UNITS + SLACK_UNITS + OVERLAP_UNITS);
}

/** The words of one slice (from 0) of a text, then the first words of the next. */
export function* wordsOfSlice(text: string, slice: number): Generator<Word, void> {
  const end = sliceStart(text, slice + 1);
  let overlap = OVERLAP_WORDS;
  for (const word of wordsOf(text, sliceStart(text, slice))) {
    if (word.start >= end) overlap -= 1;
    if (overlap < 0) return;
    yield word;
  }
}

/** The same words as they stand in the text; a ligature, which is several, is one here. See `spellingsIn`. */
export function spellingsOfSlice(text: string, slice: number): string[] {
  const [start, end] = [sliceStart(text, slice), sliceStart(text, slice + 1)];
  const spellings = spellingsIn(text.slice(start, end));
  if (end === text.length) return spellings;
  // A word at the end may go on after it.
  const last = spellings.at(-1) ?? "";
  const isOpen = last !== "" && text.endsWith(last, end);
  if (!isOpen) return [...spellings, ...firstSpellingsIn(text.slice(end), OVERLAP_WORDS)];
  const more = firstSpellingsIn(text.slice(end - last.length), OVERLAP_WORDS + 1);
  return [...spellings.slice(0, -1), ...more];
}

function sliceStart(text: string, slice: number): number {
  const ideal = slice * SLICE_UNITS;
  if (ideal === 0 || ideal >= text.length) return Math.min(ideal, text.length);
  const between = new RegExp(BETWEEN);
  between.lastIndex = ideal;
  const found = between.exec(text.slice(0, ideal + SLACK_UNITS));
  if (found !== null) return found.index;
  // A long run without a gap: cut it, but not inside a surrogate pair.
  return text.charCodeAt(ideal) >> 10 === 0x37 ? ideal + 1 : ideal;
}
