import { MIB } from "../limits.ts";
import { textOf } from "../contents/texts/text-encoding.ts";

/** How many first bytes of a text are searched. */
export const SEARCHED_BYTES = MIB;

/**
 * The part of a content that is searched: the text of its first MiB; null if it is not text.
 *
 * @param bytes the content, or its first bytes
 * @param isCut whether the content continues after them
 */
export function searchedText(bytes: Uint8Array, isCut = false): string | null {
  return textOf(bytes.subarray(0, SEARCHED_BYTES), isCut || bytes.length >= SEARCHED_BYTES);
}
