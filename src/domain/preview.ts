import { PREVIEW_CHARACTERS } from "./limits.ts";
import { textOf } from "./text-encoding.ts";

/** How many first bytes of a content a preview needs: 500 characters of at most four bytes, and a mark. */
const PREVIEW_BYTES = PREVIEW_CHARACTERS * 4 + 3;

/**
 * The first 500 characters of a content, from its first bytes; null where they are not text.
 *
 * @param head the content's first bytes, more than PREVIEW_BYTES of them unless it is shorter
 */
export function previewOf(head: Uint8Array): string | null {
  const text = textOf(head.subarray(0, PREVIEW_BYTES), head.length > PREVIEW_BYTES);
  return text === null ? null : Array.from(text).slice(0, PREVIEW_CHARACTERS).join("");
}
