import { SEARCHED_BYTES } from "./search-words.ts";
import { textOf } from "./text-encoding.ts";

/**
 * The text that is searched of a content: what its first MiB says; null for what is no text.
 *
 * @param bytes the content, or its first SEARCHED_BYTES
 */
export function searchedText(bytes: Uint8Array): string | null {
  return textOf(bytes.subarray(0, SEARCHED_BYTES), bytes.length >= SEARCHED_BYTES);
}
