import { NEWLINE } from "../texts/lines.ts";
import { asUtf8, encode, type TextEncoding } from "../texts/text-encoding.ts";

/** How much is done before others have their turn: about a millisecond's worth. */
const TURN = 1_000_000;

/** How many bytes are searched, compared or copied at once. */
const PIECE_BYTES = 256 * 1024;

/** What it costs to begin a search of the runtime, or another such call. */
export const CALL = 200;

/** What it costs to pass a line, without its bytes. */
export const LINE = 30;

/** What a byte costs in an encoding other than UTF-8. */
const BYTE = 8;

/** How much is decoded or encoded at once; even, for UTF-16. */
const CODED_BYTES = 64 * 1024;

/** A work in steps, between which others have their turn. */
export type Paced<T> = Generator<void, T>;

/** Counts what a work costs, in about nanoseconds, so that it yields where it has kept the others waiting for long enough. */
export class Pace {
  readonly #turn: number;
  readonly pieceBytes: number;
  #spent = 0;

  /** @param pieceBytes what a test makes small, so that short texts have many pieces */
  constructor(pieceBytes = PIECE_BYTES, turn = TURN) {
    this.pieceBytes = pieceBytes;
    this.#turn = turn;
  }

  /** Whether it is now the others' turn. */
  spend(cost: number): boolean {
    this.#spent += cost;
    if (this.#spent < this.#turn) return false;
    this.#spent = 0;
    return true;
  }
}

export function atOnce<T>(work: Paced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** As `text.indexOf(wanted, from)`, for what is not empty. */
export function* indexIn(text: Buffer, wanted: Buffer, from: number, pace: Pace): Paced<number> {
  const step = Math.max(pace.pieceBytes, wanted.length);
  for (let at = from; at + wanted.length <= text.length; at += step) {
    // What begins in this piece may end in the next.
    const found = text.subarray(at, at + step + wanted.length - 1).indexOf(wanted);
    const passed = found === -1 ? step : found;
    if (pace.spend(passed + wanted.length + CALL)) yield;
    if (found !== -1) return at + found;
  }
  return -1;
}

export function* copied(
  source: Buffer,
  [start, end]: readonly [number, number],
  target: Buffer,
  at: number,
  pace: Pace,
): Paced<void> {
  for (let from = start; from < end; from += pace.pieceBytes) {
    const until = Math.min(end, from + pace.pieceBytes);
    source.copy(target, at + from - start, from, until);
    // Memory that is touched for the first time costs most.
    if (pace.spend(until - from + CALL)) yield;
  }
}

/** How many bytes are the same in both texts from here on. @param direction -1 for the bytes before */
export function* sameBytes(
  [a, at]: readonly [Buffer, number],
  [b, other]: readonly [Buffer, number],
  most: number,
  direction: 1 | -1,
  pace: Pace,
): Paced<number> {
  let length = 0;
  for (; length < most; length += pace.pieceBytes) {
    const end = Math.min(most, length + pace.pieceBytes);
    const [from, to] = direction === 1 ? [length, end] : [-end, -length];
    if (a.compare(b, other + from, other + to, at + from, at + to) !== 0) break;
    if (pace.spend(end - length + CALL)) yield;
  }
  for (; length < most; length += 1) {
    const next = direction === 1 ? length : -1 - length;
    if (a[at + next] !== b[other + next]) break;
  }
  if (pace.spend(pace.pieceBytes)) yield;
  return Math.min(length, most);
}

/** The start of the line that holds the byte before a position, or begins there. */
export function* lineStart(text: Buffer, at: number, pace: Pace): Paced<number> {
  for (let end = at; end > 0; end -= pace.pieceBytes) {
    const start = Math.max(0, end - pace.pieceBytes);
    const found = text.subarray(start, end).lastIndexOf(NEWLINE);
    if (pace.spend(end - start - found + CALL)) yield;
    if (found !== -1) return start + found + 1;
  }
  return 0;
}

/** The start of the line after that of a position; the text's end if there is none. */
export function* nextLine(text: Buffer, at: number, pace: Pace): Paced<number> {
  for (let start = at; start < text.length; start += pace.pieceBytes) {
    const found = text.subarray(start, start + pace.pieceBytes).indexOf(NEWLINE);
    const passed = found === -1 ? pace.pieceBytes : found;
    if (pace.spend(passed + CALL)) yield;
    if (found !== -1) return start + found + 1;
  }
  return text.length;
}

export function* asUtf8Steps(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: TextEncoding,
  pace: Pace,
): Paced<Buffer<ArrayBuffer>> {
  if (encoding === "utf-8") return asUtf8(bytes, encoding);
  return yield* joined(yield* recoded(bytes, encoding, "utf-8", pace), pace);
}

/** `encode` in steps, of a text in UTF-8. Throws as that. */
export function* encodeSteps(text: Buffer, encoding: TextEncoding, pace: Pace): Paced<readonly Buffer[]> {
  return encoding === "utf-8" ? [text] : yield* recoded(text, "utf-8", encoding, pace);
}

function* recoded(bytes: Uint8Array, from: TextEncoding, to: TextEncoding, pace: Pace): Paced<Buffer[]> {
  const decoder = new TextDecoder(from, { ignoreBOM: true });
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CODED_BYTES) {
    const piece = bytes.subarray(at, at + CODED_BYTES);
    parts.push(encode(decoder.decode(piece, { stream: true }), to));
    if (pace.spend(BYTE * piece.length + CALL)) yield;
  }
  parts.push(encode(decoder.decode(), to));
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
