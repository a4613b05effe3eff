import type { FilePk } from "../../domain/id.ts";

/** Higher than every file handle; its product with the number of slices still fits a SQLite integer. */
export const ABOVE_ALL = 2 ** 47;

/** After how many steps there is a pause, even if nothing was found. */
const STEPS = 1000;

export interface Place {
  readonly file: FilePk;
}

/** A file that matches: the slice of its text, or null for its names. */
export interface Posting extends Place {
  readonly slice: number | null;
}

/** Files in the order of a search: highest handle first. */
export interface Descending<Found extends Place> {
  /** The next file at or below a handle, which must not rise; null if there is none, or the work is spent. */
  seek(atMost: number): Found | null;
}

export class Few implements Descending<Place> {
  readonly #files: readonly FilePk[];
  #at = 0;

  constructor(files: readonly FilePk[]) {
    this.#files = files.toSorted((a, b) => b - a);
  }

  seek(atMost: number): Place | null {
    for (let file = this.#files[this.#at]; file !== undefined; file = this.#files[++this.#at]) {
      if (file <= atMost) return { file };
    }
    return null;
  }
}

/** The files where a term matches in one field, and what this adds to their score. */
export interface FieldFiles {
  readonly files: Descending<Posting>;
  readonly weight: number;
  /** Whether it adds nothing where a field before it matches too. */
  readonly isSpare?: true;
}

/** The slice is that of the text; null if only names match. */
interface TermMatch extends Posting {
  readonly weight: number;
}

export class TermFiles implements Descending<TermMatch> {
  readonly #fields: readonly FieldFiles[];

  constructor(fields: readonly FieldFiles[]) {
    this.#fields = fields;
  }

  seek(atMost: number): TermMatch | null {
    let match: TermMatch | null = null;
    for (const { files, weight, isSpare } of this.#fields) {
      const found = files.seek(atMost);
      match = further(match, found, isSpare === true && match?.file === found?.file ? 0 : weight);
    }
    return match;
  }
}

function further(match: TermMatch | null, found: Posting | null, weight: number): TermMatch | null {
  if (found === null || (match !== null && match.file > found.file)) return match;
  // Not as a copy of all that a row has: there is one for each match in each field.
  const { file, slice } = found;
  if (match?.file !== file) return { file, slice, weight };
  return { file, slice: match.slice ?? slice, weight: match.weight + weight };
}

/** Newest first, led by the shortest list. Gives null now and then, for a pause. @param below an exclusive bound */
export function* intersection(
  lists: readonly Descending<Place>[],
  below = ABOVE_ALL,
): Generator<FilePk | null, void> {
  let steps = 0;
  let wanted = below - 1;
  for (;;) {
    let common: FilePk | null = null;
    for (let at = 0, agreed = 0; agreed < lists.length; at = (at + 1) % lists.length) {
      const found = lists[at]?.seek(wanted) ?? null;
      if (found === null) return;
      agreed = found.file === wanted ? agreed + 1 : 1;
      common = found.file;
      wanted = found.file;
      if (++steps % STEPS === 0) yield null;
    }
    if (common === null) return;
    yield common;
    wanted = common - 1;
  }
}
