import type { CodeTokens, TokenKind } from "./tokens.ts";

/** A piece of code that has one colour; `kind` is null where that is the colour of any text. */
export interface CodePiece {
  readonly text: string;
  readonly kind: TokenKind | null;
}

/** The pieces of a part of a text, which stands in it from `from` on. Together they are the part. */
export function piecesOf(part: string, from: number, { kinds, ranges }: CodeTokens): CodePiece[] {
  const pieces: CodePiece[] = [];
  let done = 0;
  for (let at = firstAfter(from, ranges); at < ranges.length; at += 3) {
    const [start = 0, end = 0, kind = 0] = ranges.subarray(at, at + 3);
    if (start >= from + part.length) break;
    const begin = Math.max(0, start - from);
    if (begin > done) pieces.push({ text: part.slice(done, begin), kind: null });
    done = Math.min(part.length, end - from);
    pieces.push({ text: part.slice(begin, done), kind: kinds[kind] ?? null });
  }
  if (done < part.length) pieces.push({ text: part.slice(done), kind: null });
  return pieces;
}

/** Where in `ranges` the first token is that ends after a place. */
function firstAfter(place: number, ranges: Uint32Array): number {
  let [low, high] = [0, ranges.length / 3];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ranges[middle * 3 + 1] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low * 3;
}
