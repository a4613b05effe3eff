/** Encodings of texts, as `TextDecoder` names them; it takes `latin1` for Windows-1252. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1";

/**
 * What the bytes of a text are to be read as, best first: UTF-16 where it starts with a byte order
 * mark, else UTF-8, and Latin-1 for what is neither.
 *
 * @param head the content's first bytes, at least two of them unless it is shorter
 */
export function encodingsFor(head: Uint8Array): readonly TextEncoding[] {
  if (head[0] === 0xff && head[1] === 0xfe) return ["utf-16le", "latin1"];
  if (head[0] === 0xfe && head[1] === 0xff) return ["utf-16be", "latin1"];
  return ["utf-8", "latin1"];
}

/**
 * The text that a content starts with; null where it is none: no text has a NUL in it.
 *
 * @param head the content's first bytes
 * @param isCut whether the content goes on after them, so that the last character may be cut in two; it is
 *   left out then
 */
export function textOf(head: Uint8Array, isCut: boolean): string | null {
  for (const encoding of encodingsFor(head)) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: isCut });
      return text.includes("\0") ? null : text;
    } catch (error) {
      // What a decoder throws for bytes that are not of its encoding.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return null;
}
