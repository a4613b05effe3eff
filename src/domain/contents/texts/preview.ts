import { PREVIEW_CHARACTERS } from "../../limits.ts";
import { endOfCharacters } from "./text.ts";
import { textOf } from "./text-encoding.ts";

/** How many first bytes a preview needs: 500 characters of at most four bytes, and a byte order mark. */
const PREVIEW_BYTES = PREVIEW_CHARACTERS * 4 + 3;

/**
 * The first 500 characters of a content; null if it is not text.
 *
 * @param head the content's first bytes: more than PREVIEW_BYTES, or all of a shorter content
 */
export function previewOf(head: Uint8Array): string | null {
  const text = textOf(head.subarray(0, PREVIEW_BYTES), head.length > PREVIEW_BYTES);
  return text === null ? null : text.slice(0, endOfCharacters(text, PREVIEW_CHARACTERS) ?? text.length);
}
