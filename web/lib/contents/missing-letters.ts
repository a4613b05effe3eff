import { once } from "../../../src/domain/once.ts";
import { countRareRuns, RARE_LETTER } from "./rare-letters.ts";

/** A browser looks anew for each run; 2,000 take it up to half a second. */
const MOST_RUNS = 2000;
/** Of those that no font has are so many looked for, in one text; then all that are not known count as such. */
const MOST_MISSING = 500;
const MISSING = "\ufffd";

/** Draws characters, and compares them with what is drawn for one that does not exist. */
class Letters {
  readonly #context = new OffscreenCanvas(24, 24).getContext("2d", { willReadFrequently: true });
  readonly #known = new Map<string, boolean>();
  readonly #none = this.#drawn("\u0378");

  /** Undefined if it was not looked for yet. */
  isKnownMissing(character: string): boolean | undefined {
    return this.#known.get(character);
  }

  isMissing(character: string): boolean {
    const isMissing = this.#none !== "" && this.#drawn(character) === this.#none;
    this.#known.set(character, isMissing);
    return isMissing;
  }

  #drawn(character: string): string {
    if (this.#context === null) return "";
    this.#context.font = "16px sans-serif";
    this.#context.clearRect(0, 0, 24, 24);
    this.#context.fillText(character, 2, 18);
    return String.fromCharCode(
      ...this.#context.getImageData(0, 0, 24, 24).data.filter((_, at) => at % 4 === 3),
    );
  }
}

const letters = once(() => new Letters());

/**
 * A text with � in place of the characters that no font here has, if it has many of them between others. They would
 * be shown as boxes anyway, and a browser looks for a font for each run of them: a page of such a text takes it seconds.
 */
export function withFoundLetters(text: string): string {
  if (countRareRuns(text) <= MOST_RUNS || !("OffscreenCanvas" in globalThis)) return text;
  const known = letters();
  let missing = 0;
  return text.replaceAll(RARE_LETTER, (character) => {
    const found = known.isKnownMissing(character);
    if (found !== undefined) return found ? MISSING : character;
    if (missing === MOST_MISSING) return MISSING;
    if (!known.isMissing(character)) return character;
    missing += 1;
    return MISSING;
  });
}

/** The same for all texts in what the API answers, taken together: many short ones can be as costly as a long one. */
export function recordsWithFoundLetters<T>(records: T): T {
  const json = JSON.stringify(records);
  const shown = withFoundLetters(json);
  return shown === json ? records : JSON.parse(shown);
}
