import type { StreamParser } from "@codemirror/language";

/** The characters that end a fenced block; null outside of one. */
interface State {
  fence: string | null;
}

const FENCE = /^\s*(`{3,}|~{3,})/;
const HEADING = /^#{1,6}\s/;
const MARK = /^\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)/;

/** What stands within a line. Each has an end within reach: so a line is read once, whatever is in it. */
const INLINE: readonly (readonly [style: string, pattern: RegExp])[] = [
  ["string", /^`[^`]{1,500}`/],
  ["strong", /^\*\*[^*]{1,500}\*\*/],
  ["emphasis", /^(?:\*[^*\s][^*]{0,500}\*|_[^_\s][^_]{0,500}_)/],
  ["link", /^!?\[[^\]]{0,500}\]\([^)]{0,500}\)/],
];

/**
 * Colours Markdown by its lines, roughly. A real parser reads a paragraph at once, and some paragraphs of a few kilobytes
 * for minutes, while the page waits.
 */
export const markdown: StreamParser<State> = {
  startState: () => ({ fence: null }),
  copyState: ({ fence }) => ({ fence }),
  token(stream, state) {
    if (stream.sol()) {
      const fence = FENCE.exec(stream.string)?.[1] ?? null;
      if (state.fence !== null || fence !== null) {
        const isEnd = state.fence !== null && fence?.startsWith(state.fence) === true;
        if (state.fence === null) state.fence = fence;
        else if (isEnd) state.fence = null;
        stream.skipToEnd();
        return "string";
      }
      if (stream.match(HEADING)) {
        stream.skipToEnd();
        return "heading";
      }
      if (stream.match(MARK)) return "meta";
    }
    for (const [style, pattern] of INLINE) if (stream.match(pattern)) return style;
    stream.next();
    stream.eatWhile(/[^`*_![]/);
    return null;
  },
};
