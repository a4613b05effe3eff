/** A part of a search query. */
export interface QueryChunk {
  readonly text: string;
  /** Whether it was in quotation marks. */
  readonly isQuoted: boolean;
}

/**
 * Splits a query at its spaces and quotation marks; a last mark that is not closed extends to the end. A chunk
 * may contain nothing that can be found. The dashboard highlights matches by the same chunks.
 */
export function chunksOf(query: string): QueryChunk[] {
  // Parts with an odd index were in quotation marks.
  return query
    .split('"')
    .flatMap((part, index): QueryChunk[] =>
      index % 2 === 1
        ? [{ text: part, isQuoted: true }]
        : part.split(/\s+/u).map((text) => ({ text, isQuoted: false })),
    );
}
