import { startOf, utf8Length } from "./text.ts";

/** The first lines of a text, without their ends. */
export interface SomeLines {
  readonly lines: readonly string[];
  /** Whether the only line is the start of a longer one. */
  readonly isCut: boolean;
}

/**
 * The first lines of a text: whole ones, as many as fit. If not even the first fits, as much of it as does, and at
 * least one character.
 *
 * @param text not empty; ends in the middle of a line, unless `isWhole`
 * @param most how many lines, at least one, and how many bytes as UTF-8, with one for each line end
 */
export function someLines(
  text: string,
  isWhole: boolean,
  most: { readonly lines: number; readonly bytes: number },
): SomeLines {
  const parts = text.split("\n");
  const rest = parts.pop() ?? "";
  const whole = parts.map((part) => (part.endsWith("\r") ? part.slice(0, -1) : part));
  if (isWhole && rest !== "") whole.push(rest);
  const [first = rest] = whole;
  if (whole.length === 0 || utf8Length(first) > most.bytes) {
    const start = startOf(first, most.bytes) || firstCharacter(first);
    return { lines: [start], isCut: whole.length === 0 || start.length < first.length };
  }
  const lines: string[] = [];
  let bytes = 0;
  for (const line of whole.slice(0, most.lines)) {
    bytes += utf8Length(line) + (lines.length === 0 ? 0 : 1);
    if (bytes > most.bytes) break;
    lines.push(line);
  }
  return { lines, isCut: false };
}

function firstCharacter(line: string): string {
  return String.fromCodePoint(line.codePointAt(0) ?? 0);
}
