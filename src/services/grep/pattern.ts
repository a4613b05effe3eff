import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";

/** The text is no regular expression. The message completes the sentence "pattern ...". */
export class BadPattern extends Error {
  override readonly name = "BadPattern";
}

/** A regular expression whose cost is linear in the length of a line: see RE2. */
export class Pattern {
  readonly #re: RE2JS;

  /** Throws BadPattern. */
  constructor(parts: { pattern: string; ignoreCase: boolean }) {
    this.#re = compile(parts.pattern, parts.ignoreCase);
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

function compile(source: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
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
