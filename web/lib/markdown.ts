/** What a Markdown document is made of, block by block; texts in it are read by `parseInline`. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly ListItem[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] };

/** An item of a list. */
export interface ListItem {
  /** Whether its box is ticked; null where it has none. */
  readonly isDone: boolean | null;
  readonly blocks: readonly Block[];
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3}(?:[-*+]|(\d{1,9})[.)]))(?:[ \t]+|$)/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** Longer lines are no headings, rules or tables: patterns with many ways to match take too long on them. */
const MOST_MARKED = 1000;
/** Deeper nesting is shown as the text it is: documents are hostile, and every level is a call. */
const MOST_DEPTH = 12;

/**
 * Reads the Markdown that people and agents write: headings, paragraphs, fenced code, quotes, lists with
 * boxes, rules and tables. HTML in it is text.
 */
export function parseMarkdown(text: string): Block[] {
  return parseBlocks(text.replaceAll(/\r\n?/g, "\n").split("\n"), 0);
}

/** Reads one block beginning at a line and says where the next begins; null where there is none of its kind. */
type ReadBlock = (
  lines: readonly string[],
  at: number,
  depth: number,
) => { block: Block; next: number } | null;

const READERS: readonly ReadBlock[] = [readCode, readHeading, readRule, readQuote, readList, readTable];

function parseBlocks(lines: readonly string[], depth: number): Block[] {
  if (depth > MOST_DEPTH) return [{ kind: "paragraph", text: lines.join("\n") }];
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const { block, next } = readBlock(lines, at, depth) ?? readParagraph(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function readBlock(lines: readonly string[], at: number, depth: number): ReturnType<ReadBlock> {
  for (const read of READERS) {
    const found = read(lines, at, depth);
    if (found !== null) return found;
  }
  return null;
}

function readCode(lines: readonly string[], at: number): ReturnType<ReadBlock> {
  const fence = FENCE.exec(lines[at] ?? "")?.[1];
  if (fence === undefined) return null;
  let next = at + 1;
  while (next < lines.length && !closes(lines[next] ?? "", fence)) next += 1;
  return { block: { kind: "code", text: lines.slice(at + 1, next).join("\n") }, next: next + 1 };
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.startsWith(fence) && text === fence.charAt(0).repeat(text.length);
}

function readHeading(lines: readonly string[], at: number): ReturnType<ReadBlock> {
  const match = HEADING.exec(marked(lines[at]));
  const marks = match?.[1];
  if (marks === undefined) return null;
  return { block: { kind: "heading", level: marks.length, text: match?.[2] ?? "" }, next: at + 1 };
}

function readRule(lines: readonly string[], at: number): ReturnType<ReadBlock> {
  return RULE.test(marked(lines[at])) ? { block: { kind: "rule" }, next: at + 1 } : null;
}

function readQuote(lines: readonly string[], at: number, depth: number): ReturnType<ReadBlock> {
  let next = at;
  while (next < lines.length && QUOTE.test(lines[next] ?? "")) next += 1;
  if (next === at) return null;
  const inner = lines.slice(at, next).map((line) => line.replace(QUOTE, ""));
  return { block: { kind: "quote", blocks: parseBlocks(inner, depth + 1) }, next };
}

function readList(lines: readonly string[], at: number, depth: number): ReturnType<ReadBlock> {
  const number = ITEM.exec(lines[at] ?? "")?.[2];
  const items: ListItem[] = [];
  let next = at;
  for (;;) {
    const match = ITEM.exec(lines[next] ?? "");
    if (match === null || (match[2] === undefined) !== (number === undefined)) break;
    const end = endOfItem(lines, next, match[0].length);
    items.push(itemOf(lines.slice(next, end), match[0].length, depth));
    next = end;
  }
  if (items.length === 0) return null;
  return { block: { kind: "list", start: number === undefined ? null : Number(number), items }, next };
}

/** An item goes on through lines that are indented as its text is, and through lines right below that begin nothing. */
function endOfItem(lines: readonly string[], at: number, width: number): number {
  let end = at + 1;
  for (let next = end; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (isBlank(line)) continue;
    const isIndented = indentOf(line) >= Math.min(width, 2);
    const goesOn = isIndented || (next === end && !beginsBlock(line));
    if (!goesOn) break;
    end = next + 1;
  }
  // The blank lines before another item are between the two.
  let after = end;
  while (isBlank(lines[after]) && after < lines.length) after += 1;
  return ITEM.test(lines[after] ?? "") ? after : end;
}

function itemOf(lines: readonly string[], width: number, depth: number): ListItem {
  const first = (lines[0] ?? "").slice(width);
  const box = /^\[([ xX])\][ \t]+/.exec(first);
  const rest = lines.slice(1).map((line) => line.slice(Math.min(width, indentOf(line))));
  const blocks = parseBlocks([first.slice(box?.[0].length ?? 0), ...rest], depth + 1);
  return { isDone: box === null ? null : box[1] !== " ", blocks };
}

function readTable(lines: readonly string[], at: number): ReturnType<ReadBlock> {
  const head = lines[at] ?? "";
  if (!head.includes("|") || !TABLE_RULE.test(marked(lines[at + 1]))) return null;
  const rows = [cellsOf(head)];
  let next = at + 2;
  for (; next < lines.length && (lines[next] ?? "").includes("|"); next += 1) {
    rows.push(cellsOf(lines[next] ?? "").slice(0, rows[0]?.length));
  }
  return { block: { kind: "table", rows }, next };
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function readParagraph(lines: readonly string[], at: number): { block: Block; next: number } {
  let next = at + 1;
  while (next < lines.length && !isBlank(lines[next]) && !beginsBlock(lines[next] ?? "")) next += 1;
  return { block: { kind: "paragraph", text: lines.slice(at, next).join("\n") }, next };
}

function beginsBlock(line: string): boolean {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(marked(line)));
}

/** A line that may be more than text; empty for one too long to be. */
function marked(line: string | undefined): string {
  return line === undefined || line.length > MOST_MARKED ? "" : line;
}

function isBlank(line: string | undefined): boolean {
  return (line ?? "").trim() === "";
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
