/** How much a text of JSON holds: what parsing it costs, and all that is done with the values later. */
type JsonExcess = "depth" | "items" | "frame" | "escapes" | null;

/** Values are at most so deep, so later code can recurse into them. */
export const MAX_DEPTH = 64;

/** The most characters outside of texts: what is long is a text, and no number or white space. */
export const MAX_FRAME = 256 * 1024;

/** The most escapes, such as `\n`: each takes as long to parse as dozens of other characters. */
export const MAX_ESCAPES = 256 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/**
 * Whether a text of JSON holds more than it may, before it is parsed: a megabyte may be one text, which costs nothing,
 * or half a million zeros, with which everybody waits. What is not JSON is left to `JSON.parse`.
 *
 * @param items how many values, and names of fields, it may hold
 */
export function excessOf(text: string, items: number): JsonExcess {
  let [depth, found, strings, frame, escapes] = [0, 1, 0, 0, 0];
  /** The next one, from the last text on. */
  let backslash = -1;
  /** Whether a bracket was opened, so that what comes next is one more, unless it is the end. */
  let isFirst = false;
  for (let at = 0; at < text.length; at++) {
    if (++frame > MAX_FRAME) return "frame";
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (isFirst && code !== CLOSE_BRACKET && code !== CLOSE_BRACE) found++;
    isFirst = code === OPEN_BRACKET || code === OPEN_BRACE;
    if (isFirst && ++depth > MAX_DEPTH) return "depth";
    if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
    else if (code === COMMA || code === COLON) found++;
    else if (code === QUOTE) {
      if (backslash <= at) backslash = placeOf("\\", text, at);
      const quote = placeOf('"', text, at + 1);
      // Most texts have no escapes: the runtime finds their ends much faster.
      if (quote < backslash) at = quote;
      else
        for (at++; at < text.length; at++) {
          const inside = text.charCodeAt(at);
          if (inside === QUOTE) break;
          if (inside !== BACKSLASH) continue;
          at++;
          if (++escapes > MAX_ESCAPES) return "escapes";
        }
      strings++;
    }
    if (found > items || strings > items) return "items";
  }
  return null;
}

/** The text's end if it is not there. */
function placeOf(character: string, text: string, from: number): number {
  const found = text.indexOf(character, from);
  return found === -1 ? text.length : found;
}
