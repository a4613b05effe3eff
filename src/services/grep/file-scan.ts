import { decodeLines, excerptOf, plainLine, wholeLength } from "../../domain/grep/lines.ts";
import { GREP } from "../../domain/limits.ts";
import { encodedLength, encodingsFor, type TextEncoding } from "../../domain/contents/texts/text-encoding.ts";
import { Service } from "../service.ts";
import type { GrepBounds, LineMatch, LinePosition } from "./request.ts";
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";

/** What one search of lines may still read and give. */
export class Budget extends Service<{
  bounds: GrepBounds;
  /** Its first cell is not 0 once the search must stop. */
  stop: Int32Array;
}> {
  readonly #end = performance.now() + this.parts.bounds.time;
  /** How many bytes were read. */
  bytes = 0;
  matches = 0;
  #characters = 0;

  /** Counts a text as the response has it, in which some characters take six. */
  takeText(text: string): void {
    const quotes = 2;
    this.#characters += JSON.stringify(text).length - quotes;
  }

  /** Whether the lines that were given are so many that not even those after the last matches are. */
  get isOverdrawn(): boolean {
    return this.#characters >= 2 * this.parts.bounds.characters;
  }

  /** Whether the search must stop. It may finish what it has begun, if that is little. */
  get isSpent(): boolean {
    const { bytes, matches, characters } = this.parts.bounds;
    return (
      this.bytes >= bytes ||
      this.matches >= matches ||
      this.#characters >= characters ||
      performance.now() >= this.#end ||
      Atomics.load(this.parts.stop, 0) !== 0
    );
  }
}

interface Source {
  /** Bytes. */
  readonly size: number;
  /** At most `length` bytes from `offset`; fewer only at the end. */
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
}

export interface ScanParts {
  readonly source: Source;
  readonly pattern: Pattern;
  readonly context: number;
  readonly budget: Budget;
  readonly blockBytes: number;
  readonly from: LineStart & Pick<LinePosition, "searched" | "matches">;
}

type LineStart = Pick<LinePosition, "offset" | "line">;

export interface Scanned {
  readonly matches: readonly LineMatch[];
  readonly hasMore: boolean;
  /** Where to go on if it stopped before the end. */
  readonly rest: ScanParts["from"] | null;
}

/** Some whole lines or, of a very long one, a piece. */
interface Block {
  readonly offset: number;
  readonly text: string;
  readonly encoding: TextEncoding;
  /** Whether a line of it may match. */
  readonly mayMatch: boolean;
}

/** A line of a block: the number of the line, and where it begins in the block's text. */
interface Line {
  readonly block: Block;
  readonly number: number;
  readonly at: number;
  readonly text: string;
}

interface OpenMatch extends LineMatch {
  readonly after: string[];
}

export const FILE_START: ScanParts["from"] = { offset: 0, line: 1, searched: 0, matches: 0 };

/** Searches the lines of one blob, block by block. Each piece of a longer line is a line of the same number. */
export class FileScan extends Service<ScanParts> {
  readonly #matches: OpenMatch[] = [];
  /** Matches that lack lines after them. */
  #open: OpenMatch[] = [];
  /** The last lines, as many as are given before a match. */
  readonly #recent: Line[] = [];
  #unsearched = this.parts.from.searched;
  #hasMore = false;
  #rest: ScanParts["from"] | null = null;
  #isEnding = false;

  /** Null if the content is not text. */
  async run(): Promise<Scanned | null> {
    let number = this.parts.from.line;
    for await (const block of this.#blocks()) {
      if (block === null) return null;
      const lines = block.text.split("\n");
      // What is after the last line end is no line.
      if (lines.at(-1) === "") lines.pop();
      let at = 0;
      for (const text of lines) {
        this.#take({ block, number, at, text });
        if (this.#isEnding && this.#open.length === 0) return this.#scanned();
        at += text.length + 1;
        if (at <= block.text.length) number += 1;
      }
    }
    return this.#scanned();
  }

  #scanned(): Scanned {
    return { matches: this.#matches, hasMore: this.#hasMore, rest: this.#rest };
  }

  async *#blocks(): AsyncGenerator<Block | null> {
    const { source, budget, pattern, blockBytes, from } = this.parts;
    let [encoding] = encodingsFor(await source.read(0, 2));
    for (let offset = from.offset; offset < source.size && encoding !== undefined;) {
      const piece = await source.read(offset, blockBytes);
      const isLast = offset + piece.length >= source.size;
      const bytes = isLast ? piece : piece.subarray(0, wholeLength(piece, encoding));
      const decoded = decodeLines(bytes, encoding);
      if (decoded === null) return yield null;
      budget.bytes += bytes.length;
      yield { offset, ...decoded, mayMatch: pattern.mayMatchIn(decoded.text) };
      encoding = decoded.encoding;
      offset += bytes.length;
    }
  }

  #take(line: Line): void {
    const { pattern, context, budget } = this.parts;
    const text = plainLine(line.text);
    this.#addAfter(text);
    if (this.#isEnding) return;
    const isSearched = this.#unsearched === 0;
    if (!isSearched) this.#unsearched -= 1;
    else if (line.block.mayMatch && pattern.matches(text)) this.#addMatch(line, text);
    this.#recent.push(line);
    if (this.#recent.length > context) this.#recent.shift();
    if (isSearched && !this.#isEnding && budget.isSpent) this.#pause(line);
  }

  #addAfter(text: string): void {
    if (this.parts.budget.isOverdrawn) this.#open = [];
    if (this.#open.length === 0) return;
    const shown = this.#shown(text);
    for (const match of this.#open) match.after.push(shown);
    this.#open = this.#open.filter(({ after }) => after.length < this.parts.context);
  }

  #addMatch(line: Line, text: string): void {
    const { pattern, context, budget, from } = this.parts;
    if (from.matches + this.#matches.length >= GREP.fileMatches) {
      this.#hasMore = true;
      this.#isEnding = true;
      return;
    }
    const isLong = text.length > GREP.lineCharacters;
    const match = {
      line: line.number,
      text: this.#shown(text, isLong ? pattern.startIn(text) : 0),
      before: this.#recent.map((each) => this.#shown(plainLine(each.text))),
      after: [],
    };
    this.#matches.push(match);
    if (context > 0) this.#open.push(match);
    budget.matches += 1;
  }

  /** A line as it is given. It is copied: a part of a text keeps all of that in memory. */
  #shown(text: string, at = 0): string {
    const shown = Buffer.from(excerptOf(text, at)).toString();
    this.parts.budget.takeText(shown);
    return shown;
  }

  /** Searches no more lines after this one. */
  #pause(last: Line): void {
    const { source, from } = this.parts;
    this.#isEnding = true;
    const end = last.at + last.text.length + 1;
    // The piece of a long line has no line end.
    const number = end <= last.block.text.length ? last.number + 1 : last.number;
    const next = startOf({ ...last, at: end, number });
    if (next.offset >= source.size) return;
    const start = this.#recent[0] === undefined ? next : startOf(this.#recent[0]);
    const matches = from.matches + this.#matches.length;
    this.#rest = { ...start, searched: this.#recent.length, matches };
  }
}

function startOf({ block, number, at }: Line): LineStart {
  return { offset: block.offset + encodedLength(block.text.slice(0, at), block.encoding), line: number };
}

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
    let why = error.message;
    if (error instanceof RE2JSSyntaxException) {
      const part = error.getPattern();
      why = error.getDescription() + (part === null || part === "" ? "" : ` at \`${part}\``);
    }
    throw new BadPattern(
      `is not a regular expression: ${why}. The syntax is RE2's, without back references and look-around; write \\ before a character that stands for itself`,
    );
  }
}
