import type { Piece } from "../lib/matches.ts";
import { Visible } from "./name.tsx";

/** A text with what was looked for in it highlighted. The text may say anything: it stays text, as it is. */
export function Marked({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    <bdi>
      {pieces.map(({ text, found }, index) =>
        found ? (
          <mark key={index}>
            <Visible text={text} />
          </mark>
        ) : (
          <Visible key={index} text={text} />
        ),
      )}
    </bdi>
  );
}
