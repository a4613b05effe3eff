import { NEWLINE } from "../texts/lines.ts";

/** Longer texts are not searched again. */
const SEARCHED_BYTES = 256 * 1024;

const SPACE = 0x20;

/**
 * The line of a text where something is that differs from `wanted` only in spaces and line ends; null if nothing is.
 */
export function likeLine(text: Buffer, wanted: Buffer): number | null {
  if (text.length > SEARCHED_BYTES) return null;
  const pattern = wanted.filter((byte) => byte > SPACE);
  const found = pattern.length === 0 ? -1 : Buffer.from(text.filter((byte) => byte > SPACE)).indexOf(pattern);
  if (found === -1) return null;
  let [line, passed] = [1, 0];
  for (const byte of text) {
    if (byte === NEWLINE) line += 1;
    if (byte <= SPACE) continue;
    if (passed === found) return line;
    passed += 1;
  }
  return null;
}
