import type { Piece } from "../lib/words/matches.ts";
import { Visible } from "./name.tsx";

/** A text with the search terms highlighted. It is untrusted and always rendered as text. */
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
