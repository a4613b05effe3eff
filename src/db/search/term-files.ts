import type { FilePk } from "../../domain/id.ts";
import type { Descending, Posting } from "./postings.ts";

/** The files where a term matches in one field, and what this adds to their score. */
export interface FieldFiles {
  readonly files: Descending<Posting>;
  readonly weight: number;
}

export interface TermMatch {
  readonly file: FilePk;
  readonly weight: number;
  /** The slice of the text that matches; null if only names match. */
  readonly slice: number | null;
}

/** The files where a term matches in any of some fields. */
export class TermFiles implements Descending<TermMatch> {
  readonly #fields: readonly FieldFiles[];

  constructor(fields: readonly FieldFiles[]) {
    this.#fields = fields;
  }

  seek(atMost: number): TermMatch | null {
    let match: TermMatch | null = null;
    for (const { files, weight } of this.#fields) match = further(match, files.seek(atMost), weight);
    return match;
  }
}

/** The next match after another field was read. */
function further(match: TermMatch | null, found: Posting | null, weight: number): TermMatch | null {
  if (found === null || (match !== null && match.file > found.file)) return match;
  if (match?.file !== found.file) return { ...found, weight };
  return { ...match, weight: match.weight + weight, slice: match.slice ?? found.slice };
}
