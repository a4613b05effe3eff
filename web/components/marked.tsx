import type { Piece } from "../lib/matches.ts";

/** A text with what was looked for in it highlighted. The text may say anything: it stays text. */
export function Marked({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    <bdi>{pieces.map(({ text, found }, index) => (found ? <mark key={index}>{text}</mark> : text))}</bdi>
  );
}
