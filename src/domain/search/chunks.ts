/** A part of what somebody typed to search for. */
export interface QueryChunk {
  readonly text: string;
  /** Whether it stood between quotation marks. */
  readonly isQuoted: boolean;
}

/**
 * Takes a query apart at its spaces and quotation marks; a last mark that is not closed goes to the end. There
 * may be nothing in a chunk that could be found. The dashboard marks what was found by the same chunks.
 */
export function chunksOf(query: string): QueryChunk[] {
  // What stands at odd places was between quotation marks.
  return query
    .split('"')
    .flatMap((part, index): QueryChunk[] =>
      index % 2 === 1
        ? [{ text: part, isQuoted: true }]
        : part.split(/\s+/u).map((text) => ({ text, isQuoted: false })),
    );
}
