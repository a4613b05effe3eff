/** How a text is written in its file, which an edit keeps. */
export interface TextFormat {
  /** Whether it begins with a byte order mark. */
  readonly hasMark: boolean;
  /** What ends all of its lines. Where they differ, `\n`: then each `\r` is a character of the text. */
  readonly lineBreak: "\n" | "\r\n";
}

/** How a new text is written. */
export const NEW_FORMAT: TextFormat = { hasMark: false, lineBreak: "\n" };

/** A text whose lines end with `\n`, and how its file has it. */
export interface ReadText {
  readonly text: string;
  readonly format: TextFormat;
}

const MARK = "\ufeff";

/** Reads the bytes of a file; null where they are no text in UTF-8, so that writing it would change what nobody edited. */
export function readText(bytes: Uint8Array): ReadText | null {
  const all = decoded(bytes);
  // No text has a NUL.
  if (all === null || all.includes("\0")) return null;
  const hasMark = all.startsWith(MARK);
  const text = hasMark ? all.slice(MARK.length) : all;
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n|\r(?!\n)/.test(text);
  return isCrlf
    ? { text: text.replaceAll("\r\n", "\n"), format: { hasMark, lineBreak: "\r\n" } }
    : { text, format: { hasMark, lineBreak: "\n" } };
}

/** The bytes of a text in its format: those that were read, if it was not edited. */
export function writeText({ text, format: { hasMark, lineBreak } }: ReadText): Uint8Array<ArrayBuffer> {
  const lines = lineBreak === "\n" ? text : text.replaceAll("\n", lineBreak);
  return new TextEncoder().encode((hasMark ? MARK : "") + lines);
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
