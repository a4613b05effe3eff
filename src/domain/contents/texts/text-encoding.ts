import { CofferError } from "../../errors.ts";
import { PREVIEW_CHARACTERS } from "../../limits.ts";
import { once } from "../../once.ts";
import { endOfCharacters, utf8Length } from "./text.ts";

/** Encodings of texts, as `TextDecoder` names them; its `latin1` is Windows-1252. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1";

/** How many bytes the smallest character takes. */
export function unitBytes(encoding: TextEncoding): 1 | 2 {
  return encoding === "utf-16le" || encoding === "utf-16be" ? 2 : 1;
}

/** How many bytes a decoded text was, without a byte order mark that is not in it. */
export function encodedLength(text: string, encoding: TextEncoding): number {
  return encoding === "utf-8" ? utf8Length(text) : text.length * unitBytes(encoding);
}

/** To try, best first: UTF-16 with its mark, else UTF-8; then Latin-1. @param head two bytes at least, if there are */
export function encodingsFor(head: Uint8Array): readonly [TextEncoding, ...TextEncoding[]] {
  if (head[0] === 0xff && head[1] === 0xfe) return ["utf-16le", "latin1"];
  if (head[0] === 0xfe && head[1] === 0xff) return ["utf-16be", "latin1"];
  return ["utf-8", "latin1"];
}

/**
 * The text that a file starts with; null if it is not text. Text never holds a NUL.
 *
 * @param head the content's first bytes
 * @param isCut whether the content continues after them; a last character that is cut is then left out
 */
export function textOf(head: Uint8Array, isCut: boolean): string | null {
  const encodings = encodingsFor(head);
  // A byte of 0 is a NUL in both. Most that is no text has one, and to fail to decode takes much longer.
  if (unitBytes(encodings[0]) === 1 && head.includes(0)) return null;
  for (const encoding of encodings) {
    const text = decoded(head, new TextDecoder(encoding, { fatal: true }), isCut);
    if (text !== null) return text.includes("\0") ? null : text;
  }
  return null;
}

/** The text of some bytes; null if they are invalid in the encoding of a decoder that is `fatal`. */
export function decoded(bytes: Uint8Array, decoder: TextDecoder, stream = false): string | null {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** A text in an encoding, without a byte order mark. Throws CONFLICT for a character that the encoding lacks. */
export function encode(text: string, encoding: TextEncoding): Buffer {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text);
    case "utf-16le":
      return Buffer.from(text, "utf16le");
    case "utf-16be":
      return Buffer.from(text, "utf16le").swap16();
    case "latin1":
      return asLatin1(text);
  }
}

/** A text of an encoding as UTF-8: a view of the same memory if it is that already. */
export function asUtf8(bytes: Uint8Array<ArrayBuffer>, encoding: TextEncoding): Buffer<ArrayBuffer> {
  if (encoding === "utf-8") return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Buffer.from(new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes));
}

/** The bytes of all UTF-16 code units in Windows-1252; -1 for those that it lacks. */
const latin1Bytes = once(() => {
  const bytes = new Int16Array(0x10000).fill(-1);
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const characters = new TextDecoder("latin1").decode(all);
  for (let byte = 0; byte < all.length; byte += 1) bytes[characters.charCodeAt(byte)] = byte;
  return bytes;
});

/** A loop over code units: whatever makes an object of each character takes seconds for the longest texts. */
function asLatin1(text: string): Buffer {
  const byteOf = latin1Bytes();
  const bytes = Buffer.allocUnsafe(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const byte = byteOf[text.charCodeAt(at)] ?? -1;
    if (byte === -1) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      const problem = `The file is Latin-1 (Windows-1252), which has no "${character}".`;
      throw new CofferError("CONFLICT", `${problem} Upload it anew as UTF-8 first.`);
    }
    bytes[at] = byte;
  }
  return bytes;
}

/** How many first bytes a preview needs: 500 characters of at most four bytes, and a byte order mark. */
const PREVIEW_BYTES = PREVIEW_CHARACTERS * 4 + 3;

/** Of 500 characters; null if it is not text. @param head more than PREVIEW_BYTES, or all of a shorter content */
export function previewOf(head: Uint8Array): string | null {
  const text = textOf(head.subarray(0, PREVIEW_BYTES), head.length > PREVIEW_BYTES);
  return text === null ? null : text.slice(0, endOfCharacters(text, PREVIEW_CHARACTERS) ?? text.length);
}
