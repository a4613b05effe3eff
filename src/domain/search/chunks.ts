interface QueryChunk {
  readonly text: string;
  /** Whether it was in quotation marks. */
  readonly isQuoted: boolean;
}

/**
 * Splits a query at its spaces, quotation marks and the last slash of a path; a mark that is not closed extends to the
 * end. A chunk may hold nothing that can be found. The dashboard highlights matches by the same chunks.
 */
export function chunksOf(query: string): QueryChunk[] {
  // Parts with an odd index were in quotation marks.
  return query.split('"').flatMap((part, index): QueryChunk[] =>
    index % 2 === 1
      ? [{ text: part, isQuoted: true }]
      : part
          .split(/\s+/u)
          .flatMap(folderAndName)
          .map((text) => ({ text, isQuoted: false })),
  );
}

/** The folder and the name of a path match apart: no phrase is in both. */
function folderAndName(path: string): string[] {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? [path] : [path.slice(0, slash), path.slice(slash + 1)];
}
