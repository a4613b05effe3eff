/** A piece of a text in Markdown. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "emphasis" | "deleted"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] };

interface Found {
  readonly inline: Inline;
  /** Where it ends in the text. */
  readonly end: number;
}

/** What is being read, and where each of its brackets is closed. */
interface Source {
  readonly text: string;
  readonly closings: ReadonlyMap<number, number>;
}

type Read = (match: RegExpExecArray, depth: number) => Inline;

const nested =
  (kind: "strong" | "emphasis" | "deleted"): Read =>
  ([, inner = ""], depth) => ({ kind, children: parse(inner, depth + 1) });

const text = (content: string): Inline => ({ kind: "text", text: content });

// What is between two marks is at most a few hundred characters, so that many marks that never end
// cost little each.
const RULES: readonly (readonly [RegExp, Read])[] = [
  [/\\([!-/:-@[-`{-~])/y, ([, escaped = ""]) => text(escaped)],
  [/(?: {2,}|\\)\n/y, () => ({ kind: "break" })],
  [/(`{1,8})(?!`)([^]{1,500}?[^`])\1(?!`)/y, ([, , code = ""]) => ({ kind: "code", text: trimCode(code) })],
  [/<(https?:\/\/[^\s<>]{1,2000}|mailto:[^\s<>]{1,500})>/y, ([, href = ""]) => linkTo(href, [text(href)])],
  [/https?:\/\/[^\s<>"'`]{0,1999}[^\s<>"'`.,;:!?)\]*_~]/y, ([href]) => linkTo(href, [text(href)])],
  [/\*\*(?=\S)([^]{1,500}?\S|\S)\*\*(?!\*)/y, nested("strong")],
  [/(?<!\w)__(?=\S)([^]{1,500}?\S|\S)__(?!\w)/y, nested("strong")],
  [/\*(?=[^\s*])([^]{1,500}?[^\s*]|[^\s*])\*(?!\*)/y, nested("emphasis")],
  [/(?<!\w)_(?=[^\s_])([^]{1,500}?[^\s_]|[^\s_])_(?!\w)/y, nested("emphasis")],
  [/~~(?=\S)([^]{1,500}?\S|\S)~~/y, nested("deleted")],
];
/** An address in parentheses, which may hold a pair itself, and a title that is not shown. */
const TARGET =
  /\(<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)>?(?:[ \n]"[^"\n]{0,500}")?\)/y;
/** The most characters of a link's words. */
const MOST_WORDS = 500;
/** Where a rule may begin. */
const MARK = /[\\`![<*_~]|https?:\/\/| {2,}\n/g;
const MOST_DEPTH = 6;
/** A longer paragraph is nothing that somebody wrote to be read; it is shown as it is. */
const MOST_CHARACTERS = 50_000;

/** Reads what is emphasised, linked or code in a text. HTML in it is text. */
export function parseInline(source: string): Inline[] {
  return source.length > MOST_CHARACTERS ? [text(source)] : parse(source, 0);
}

function parse(source: string, depth: number): Inline[] {
  if (depth > MOST_DEPTH) return [text(source)];
  const marked = { text: source, closings: closingsOf(source) };
  const found: Inline[] = [];
  let plainFrom = 0;
  const mark = new RegExp(MARK);
  for (let hit = mark.exec(source); hit !== null; hit = mark.exec(source)) {
    const read = readAt(marked, hit.index, depth);
    if (read === null) continue;
    if (hit.index > plainFrom) found.push(text(source.slice(plainFrom, hit.index)));
    found.push(read.inline);
    plainFrom = read.end;
    mark.lastIndex = read.end;
  }
  if (plainFrom < source.length) found.push(text(source.slice(plainFrom)));
  return found;
}

function readAt(source: Source, at: number, depth: number): Found | null {
  const link = readLink(source, at, depth);
  if (link !== null) return link;
  for (const [rule, read] of RULES) {
    rule.lastIndex = at;
    const match = rule.exec(source.text);
    if (match !== null) return { inline: read(match, depth), end: at + match[0].length };
  }
  return null;
}

/**
 * Reads `[words](address "title")`, also as a picture with `!` before it: showing that would tell its
 * host who reads this, so that it becomes a link as well.
 */
function readLink({ text: source, closings }: Source, at: number, depth: number): Found | null {
  const from = source.startsWith("![", at) ? at + 2 : at + 1;
  if (source[from - 1] !== "[") return null;
  const to = closings.get(from - 1);
  if (to === undefined || to - from >= MOST_WORDS || source[to + 1] !== "(") return null;
  TARGET.lastIndex = to + 1;
  const target = TARGET.exec(source);
  if (target === null) return null;
  const [{ length }, href = ""] = target;
  const words = to === from ? [text(href)] : parse(source.slice(from, to), depth + 1);
  // A link in a link, as badges are, is only its words.
  const children = words.flatMap((word) => (word.kind === "link" ? word.children : [word]));
  return { inline: linkTo(href, children), end: to + 1 + length };
}

/** Where each bracket is closed, found in one pass: to look from each would take the square of their number. */
function closingsOf(source: string): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: bracket, index } of source.matchAll(/[[\]]/g)) {
    if (bracket === "[") open.push(index);
    else {
      const opened = open.pop();
      if (opened !== undefined) closings.set(opened, index);
    }
  }
  return closings;
}

/** A link to the web or to an address for letters; every other one, `javascript:` say, is only its words. */
function linkTo(href: string, children: readonly Inline[]): Inline {
  const url = URL.parse(href);
  if (url !== null && /^(https?|mailto):$/.test(url.protocol))
    return { kind: "link", href: url.href, children };
  return { kind: "emphasis", children };
}

function trimCode(code: string): string {
  return /^ .*\S.* $/s.test(code) ? code.slice(1, -1) : code;
}
