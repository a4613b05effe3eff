import type { MarkedOptions, Token, Tokens } from "marked";

/** What a footnote says, where the source has it. */
export interface NoteText extends Tokens.Generic {
  readonly type: "noteText";
  readonly label: string;
  readonly tokens: Token[];
}

/** The place of a footnote in running text. */
export interface NoteMark extends Tokens.Generic {
  readonly type: "noteMark";
  readonly label: string;
}

const LABEL = /^\[\^([^\]\s]{1,100})\]/;
const TEXT = /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*/;

/**
 * GitHub's footnotes for the lexer of `marked`: `[^1]` in running text, and `[^1]: What it says.` in lines of its own,
 * where more may follow that are indented. A label without such lines stays as it is.
 */
export function footnotes(): NonNullable<MarkedOptions["extensions"]> {
  const labels = new Set<string>();
  return {
    renderers: {},
    childTokens: {},
    block: [
      function readText(src): NoteText | undefined {
        const [start, label] = TEXT.exec(src) ?? [];
        if (start === undefined || label === undefined) return undefined;
        const raw = src.slice(0, endOfText(src, start.length));
        labels.add(label);
        const tokens = this.lexer.blockTokens(raw.slice(start.length).replaceAll(/^(?: {1,4}|\t)/gm, ""), []);
        return { type: "noteText", raw, label, tokens };
      },
    ],
    inline: [
      function readMark(src): NoteMark | undefined {
        const [raw, label] = LABEL.exec(src) ?? [];
        if (raw === undefined || label === undefined || !labels.has(label)) return undefined;
        return { type: "noteMark", raw, label };
      },
    ],
  };
}

/** Where a footnote's lines end: before a line that is not indented, after a blank one or where it is the next footnote. */
function endOfText(src: string, start: number): number {
  let end = start;
  let isAfterBlank = false;
  while (end < src.length) {
    const lineBreak = src.indexOf("\n", end);
    const next = lineBreak === -1 ? src.length : lineBreak + 1;
    const line = src.slice(end, next);
    const isBlank = line.trim() === "";
    const isIndented = /^(?: {4}|\t)/.test(line);
    const isFirst = end === start;
    if (!isFirst && !isBlank && !isIndented && (isAfterBlank || TEXT.test(line))) break;
    isAfterBlank = isBlank && !isFirst;
    end = next;
  }
  return end;
}
