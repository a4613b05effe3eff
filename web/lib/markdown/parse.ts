import { BoundedLexer } from "./bounded-lexer.ts";
import { type Block, countElements } from "./document.ts";
import { BlockReader } from "./read-blocks.ts";

/** More elements take a browser seconds to lay out. */
export const MOST_ELEMENTS = 20_000;

/**
 * Reads Markdown: CommonMark with GitHub's tables, tasks, strikethrough, bare addresses and footnotes. HTML in it is
 * text. Pictures of the web become links, since showing one would tell its host who reads this. Null for a document that
 * is too complex to be shown.
 */
export function parseMarkdown(text: string): Block[] | null {
  try {
    const reader = new BlockReader();
    const blocks = [...reader.read(new BoundedLexer().lex(text)), ...reader.notes()];
    return countElements(blocks) > MOST_ELEMENTS ? null : blocks;
  } catch (error) {
    // The lexer's bound, or the end of the stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
