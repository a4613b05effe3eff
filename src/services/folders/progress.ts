import { Piece, PIECE_ROWS } from "../../domain/folders/piece.ts";

/** How far a work is. Valid only when its write is durable; if the write fails, continue from the previous one. */
export interface Progress {
  /** How many of the work's phases are done. */
  readonly phase: number;
  /** The position that the phase has reached; null at its start, and in phases that start with whatever is left. */
  readonly after: string | null;
  /** How many files were written or removed so far. */
  readonly files: number;
}

/** A position that a piece has reached. */
export type Position = Omit<Progress, "files">;

/** What a piece has come to. */
export interface Reached {
  /** Null at the end. */
  readonly progress: Progress | null;
  /** How many files were written or removed so far, also at the end. */
  readonly files: number;
}

/** The start of every work, even if parts of it are already done. */
export const START: Progress = { phase: 0, after: null, files: 0 };

/** How much larger pieces are, one after another, as long as none of them gets further. */
const LARGER = [1, 10, 1000];

/**
 * Does a piece of a work. Every piece must get further, or end the work: one that does not would be done again for ever.
 * Such a piece has changed nothing, so a larger one is tried at once. Inside a write.
 *
 * @param rows the size of a piece
 * @param onStall is called with the size of a piece that got nowhere, in rows
 * @throws Error if no piece gets further
 */
export function advance({
  begun,
  rows: size = PIECE_ROWS,
  does,
  onStall,
}: {
  begun: Progress;
  rows?: number | undefined;
  does: (piece: Piece) => Position | null;
  onStall: (rows: number) => void;
}): Reached {
  for (const larger of LARGER) {
    const rows = size * larger;
    const piece = new Piece(rows);
    const reached = does(piece);
    const files = begun.files + piece.files;
    if (reached === null) return { progress: null, files };
    if (isFurther(reached, begun, piece)) return { progress: { ...reached, files }, files };
    onStall(rows);
  }
  throw new Error("a change of a folder cannot go on");
}

/** Where there is no position, what was done is no more among what is left. */
function isFurther(reached: Position, begun: Position, { taken }: Piece): boolean {
  if (reached.phase !== begun.phase) return true;
  return reached.after === null ? taken > 0 : reached.after !== begun.after;
}
