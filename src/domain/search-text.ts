import { SEARCHED_BYTES } from "./search-words.ts";
import { encodingsFor } from "./text-encoding.ts";

/**
 * The text that is searched of a content: its first MiB as UTF-8, UTF-16 with a byte order mark, else
 * Latin-1; null for what is no text because there is a NUL in it.
 *
 * @param bytes the content, or its first SEARCHED_BYTES
 */
export function searchedText(bytes: Uint8Array): string | null {
  const head = bytes.subarray(0, SEARCHED_BYTES);
  for (const encoding of encodingsFor(head)) {
    try {
      // With `stream`, a character cut in two at the end is left out instead of refused.
      const text = new TextDecoder(encoding, { fatal: true }).decode(head, {
        stream: bytes.length >= SEARCHED_BYTES,
      });
      return text.includes("\0") ? null : text;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return null;
}
