import { PREVIEW_CHARACTERS } from "./limits.ts";

/** How many first bytes of a content a preview needs: 500 characters of at most four bytes, and a mark. */
export const PREVIEW_BYTES = PREVIEW_CHARACTERS * 4 + 3;

/**
 * The first 500 characters of a content, from its first bytes; null where they are not text.
 * UTF-8, UTF-16 with a byte order mark, else Latin-1; anything with a NUL in it is not text.
 *
 * @param head the content's first bytes, more than PREVIEW_BYTES of them unless it is shorter
 */
export function previewOf(head: Uint8Array): string | null {
  const text = decode(head.subarray(0, PREVIEW_BYTES), head.length > PREVIEW_BYTES);
  if (text.includes("\0")) return null;
  return Array.from(text).slice(0, PREVIEW_CHARACTERS).join("");
}

/** @param isCut whether the content goes on after `head`, so that its last character may be incomplete */
function decode(head: Uint8Array, isCut: boolean): string {
  // With `stream`, a character cut in two at the end is left out instead of refused.
  const options = { stream: isCut };
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder("utf-16le").decode(head, options);
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder("utf-16be").decode(head, options);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(head, options);
  } catch {
    return new TextDecoder("latin1").decode(head);
  }
}
