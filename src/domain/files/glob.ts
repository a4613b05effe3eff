import { invalid } from "../errors.ts";
import { GLOB_BYTES } from "../limits.ts";
import { containingFolder } from "./path.ts";
import { requirePlainText, utf8Length } from "../contents/texts/text.ts";

/** What has a meaning of its own in a pattern. */
const SPECIAL = /[*?[{\\]/;

/**
 * A pattern of paths as shells have it: `*` and `?` stand for characters of one name, `**` also for whole folders, `[ab]`
 * and `{md,txt}` for one of several. Names that begin with a dot are no exception. The time that a match takes is bounded
 * by the length of the pattern and of the path: some milliseconds for the worst of them.
 */
export class Glob {
  readonly pattern: string;
  /** What all paths that match begin with. */
  readonly start: string;
  readonly #glob: Bun.Glob;

  /** @param pattern of another one; of a caller, see `parse` */
  constructor(pattern: string) {
    const special = pattern.search(SPECIAL);
    this.pattern = pattern;
    this.start = special === -1 ? pattern : pattern.slice(0, special);
    this.#glob = new Bun.Glob(pattern);
  }

  /** Reads a pattern that a caller sent. Throws VALIDATION_ERROR. */
  static parse(field: string, text: string): Glob {
    requirePlainText(field, text);
    const pattern = (text.startsWith("/") ? text.slice(1) : text).normalize("NFC");
    if (pattern === "") throw invalid(field, "must not be empty");
    if (utf8Length(text) > GLOB_BYTES || utf8Length(pattern) > GLOB_BYTES)
      throw invalid(field, `must have at most ${GLOB_BYTES} bytes`);
    if (pattern.startsWith("!"))
      throw invalid(field, 'must not begin with "!": write `\\!` for a name that begins so');
    return new Glob(pattern);
  }

  matches(path: string): boolean {
    return this.#glob.match(path);
  }
}

/**
 * What paths begin with that begin with `prefix` and match below the folder of it; null if there can be none.
 *
 * @param glob null for any path
 */
export function startOfMatches(prefix: string, glob: Glob | null): string | null {
  const start = containingFolder(prefix) + (glob?.start ?? "");
  if (prefix.startsWith(start)) return prefix;
  return start.startsWith(prefix) ? start : null;
}
