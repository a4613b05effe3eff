export interface QueryChunk {
  readonly text: string;
  /** Whether it was in quotation marks. */
  readonly isQuoted: boolean;
}

/** At its spaces, quotation marks (also unclosed) and the last slash of a path. A chunk may hold nothing to find. */
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
