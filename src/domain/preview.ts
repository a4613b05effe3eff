import { PREVIEW_CHARACTERS } from "./limits.ts";

/** How many first bytes of a content a preview needs: 500 characters of at most four bytes, and a mark. */
export const PREVIEW_BYTES = PREVIEW_CHARACTERS * 4 + 3;

/**
 * The first 500 characters of a content, from its first bytes; null where they are not text.
 * UTF-8, UTF-16 with a byte order mark, else Latin-1; anything with a NUL in it is not text.
 *
 * @param head the content's first bytes, at least PREVIEW_BYTES of them unless it is shorter
 */
export function previewOf(head: Uint8Array): string | null {
  const text = decode(head.subarray(0, PREVIEW_BYTES));
  if (text.includes("\0")) return null;
  return Array.from(text).slice(0, PREVIEW_CHARACTERS).join("");
}

function decode(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return streamed("utf-16le", head);
  if (head[0] === 0xfe && head[1] === 0xff) return streamed("utf-16be", head);
  try {
    return streamed("utf-8", head, true);
  } catch {
    return streamed("latin1", head);
  }
}

/** Decodes with `stream`, so that a character cut in two at the end is left out instead of refused. */
function streamed(encoding: Bun.Encoding | "utf-16be", bytes: Uint8Array, fatal = false): string {
  return new TextDecoder(encoding, { fatal }).decode(bytes, { stream: true });
}
