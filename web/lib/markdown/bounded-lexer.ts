import { Lexer, type Token, type TokensList } from "marked";
import { footnotes } from "./footnotes.ts";

/** Quotes and lists in each other; every level is a call, and some documents double the time with each. */
const MOST_BLOCK_DEPTH = 12;
/** Emphasis and links in each other. */
const MOST_INLINE_DEPTH = 6;
/** A longer paragraph is nothing that somebody wrote to be read; the time for one grows with its square. */
const MOST_RUN = 20_000;
/**
 * Paragraphs, cells and the like. A table whose head has many cells makes as many of each row, even of one letter,
 * which would fill a gigabyte in seconds.
 */
const MOST_RUNS = 100_000;
/** Characters, each counted at every level that it is read at. Of quotes in quotes each can double that. */
const MOST_READ = 16 * 1024 * 1024;

/**
 * The lexer of `marked`, with GitHub's additions and footnotes, which leaves what is nested too deeply or runs on for too long
 * as the text it is. The time that it takes is not bounded: see `formatDocument`.
 *
 * @throws RangeError where a document has too many paragraphs, or quotes in quotes
 */
export class BoundedLexer extends Lexer {
  #blockDepth = 0;
  #inlineDepth = 0;
  #runs = 0;
  #read = 0;

  constructor() {
    super({ gfm: true, extensions: footnotes() });
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    this.#read += src.length;
    if (this.#read > MOST_READ) throw new RangeError("quotes in too many quotes");
    if (this.#blockDepth > MOST_BLOCK_DEPTH) {
      tokens.push(asItIs(src));
      // As the lexer leaves it after every call.
      this.state.top = true;
      return tokens;
    }
    this.#blockDepth += 1;
    super.blockTokens(src, tokens, lastParagraphClipped);
    this.#blockDepth -= 1;
    return tokens;
  }

  override inline(src: string, tokens?: Token[]): Token[] {
    this.#runs += 1;
    if (this.#runs > MOST_RUNS) throw new RangeError("too many paragraphs");
    return super.inline(src, tokens);
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth > MOST_INLINE_DEPTH || src.length > MOST_RUN) {
      tokens.push(asItIs(src));
      return tokens;
    }
    this.#inlineDepth += 1;
    super.inlineTokens(src, tokens);
    this.#inlineDepth -= 1;
    return tokens;
  }
}

function asItIs(src: string): Token {
  return { type: "text", raw: src, text: src };
}
