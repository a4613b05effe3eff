import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";

/** The text is no regular expression. The message completes the sentence "pattern ...". */
export class BadPattern extends Error {
  override readonly name = "BadPattern";
}

/** A regular expression whose cost is linear in the length of a line: see RE2. */
export class Pattern {
  readonly #re: RE2JS;
  /** Matches in the text of many lines wherever it matches in one of them; null if there is no such expression. */
  readonly #inLines: RE2JS | null;

  /** Throws BadPattern. */
  constructor(parts: { pattern: string; ignoreCase: boolean }) {
    const flags = parts.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
    this.#re = compile(parts.pattern, flags);
    const isOfLines = !TEXT_ENDS.test(parts.pattern);
    this.#inLines = isOfLines ? compile(parts.pattern, flags | RE2JS.MULTILINE) : null;
  }

  /** Whether a line of a text may match: false means that none does. Many times as fast as looking at each line. */
  mayMatchIn(text: string): boolean {
    // A line is looked at without these, so what matches at its ends may not match here.
    if (this.#inLines === null || text.includes("\r") || text.includes("\uFEFF")) return true;
    return this.#inLines.test(text);
  }

  matches(line: string): boolean {
    return this.#re.test(line);
  }

  /** Where the first match in a line begins that has one. Slower than `matches`. */
  startIn(line: string): number {
    const matcher = this.#re.matcher(line);
    return matcher.find() ? matcher.start() : 0;
  }
}

/** What may match only at the ends of a whole text: `\A`, `\z`, and `^` and `$` after flags were taken back. */
const TEXT_ENDS = /\\[AzZ]|\(\?[A-Za-z]*-/;

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = error instanceof RE2JSSyntaxException ? whyOf(error) : error.message;
    throw new BadPattern(
      `is not a regular expression: ${why}. The syntax is RE2's, without back references and look-around; write \\ before a character that stands for itself`,
    );
  }
}

function whyOf(error: RE2JSSyntaxException): string {
  const part = error.getPattern();
  return error.getDescription() + (part === null || part === "" ? "" : ` at \`${part}\``);
}
