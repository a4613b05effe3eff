import { asUtf8, encode, type TextEncoding } from "../texts/text-encoding.ts";
import { CALL, copied, type Pace, type Paced } from "./pace.ts";

/** What a byte costs in an encoding other than UTF-8. */
const BYTE = 8;

/** How much is decoded or encoded at once; even, for UTF-16. */
const PIECE_BYTES = 64 * 1024;

export function* asUtf8Steps(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: TextEncoding,
  pace: Pace,
): Paced<Buffer<ArrayBuffer>> {
  if (encoding === "utf-8") return asUtf8(bytes, encoding);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    parts.push(Buffer.from(decoder.decode(piece, { stream: true })));
    if (pace.spend(BYTE * piece.length + CALL)) yield;
  }
  parts.push(Buffer.from(decoder.decode()));
  return yield* joined(parts, pace);
}

/** `encode` in steps, of a text in UTF-8. Throws as that. */
export function* encodeSteps(text: Buffer, encoding: TextEncoding, pace: Pace): Paced<readonly Buffer[]> {
  if (encoding === "utf-8") return [text];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length; at += PIECE_BYTES) {
    const piece = text.subarray(at, at + PIECE_BYTES);
    parts.push(encode(decoder.decode(piece, { stream: true }), encoding));
    if (pace.spend(BYTE * piece.length + CALL)) yield;
  }
  parts.push(encode(decoder.decode(), encoding));
  return parts;
}

function* joined(parts: readonly Buffer[], pace: Pace): Paced<Buffer<ArrayBuffer>> {
  const all = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    yield* copied(part, [0, part.length], all, at, pace);
    at += part.length;
  }
  return all;
}
