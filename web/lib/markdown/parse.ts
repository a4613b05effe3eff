import type { MarkedToken, Token, Tokens } from "marked";
import { BoundedLexer } from "./bounded-lexer.ts";
import { decodeReferences } from "./character-references.ts";
import { type Block, countElements, type Inline, type ListItem } from "./document.ts";

/** More elements take a browser seconds to lay out. */
const MOST_ELEMENTS = 20_000;

/**
 * Reads Markdown: CommonMark with GitHub's tables, tasks, strikethrough and bare addresses. HTML in it is text.
 * Pictures become links, since showing one would tell its host who reads this. Null for a document that is too
 * complex to be shown.
 */
export function parseMarkdown(text: string): Block[] | null {
  try {
    const blocks = blocksOf(new BoundedLexer().lex(text));
    return countElements(blocks) > MOST_ELEMENTS ? null : blocks;
  } catch (error) {
    // The lexer's bound, or the end of the stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const BLOCKS = [
  "blockquote",
  "checkbox",
  "code",
  "def",
  "heading",
  "hr",
  "html",
  "list",
  "paragraph",
  "space",
  "table",
  "text",
] as const;
const INLINES = [
  "br",
  "checkbox",
  "codespan",
  "del",
  "em",
  "escape",
  "html",
  "image",
  "link",
  "strong",
  "text",
] as const;

type BlockToken = Extract<MarkedToken, { readonly type: (typeof BLOCKS)[number] }>;
type InlineToken = Extract<MarkedToken, { readonly type: (typeof INLINES)[number] }>;

function isBlock(token: Token): token is BlockToken {
  return BLOCKS.some((type) => type === token.type);
}

function isInline(token: Token): token is InlineToken {
  return INLINES.some((type) => type === token.type);
}

function blocksOf(tokens: readonly Token[]): Block[] {
  return tokens.filter(isBlock).flatMap(blockOf);
}

function blockOf(token: BlockToken): Block[] {
  switch (token.type) {
    case "heading":
      return [{ kind: "heading", level: token.depth, inlines: inlinesOf(token.tokens) }];
    case "paragraph":
      return [{ kind: "paragraph", inlines: inlinesOf(token.tokens) }];
    case "text":
      return [{ kind: "paragraph", inlines: inlinesOf(token.tokens ?? [token]) }];
    case "html":
      return [{ kind: "paragraph", inlines: [textOf(token.text.trimEnd())] }];
    case "code":
      return [{ kind: "code", text: token.text.replace(/\n$/, ""), language: languageIn(token.lang) }];
    case "hr":
      return [{ kind: "rule" }];
    case "blockquote":
      return [{ kind: "quote", blocks: blocksOf(token.tokens) }];
    case "list": {
      const start = token.start === "" ? null : token.start;
      return [{ kind: "list", start, isLoose: token.loose, items: token.items.map(itemOf) }];
    }
    case "table":
      return [
        {
          kind: "table",
          rows: [token.header, ...token.rows].map((row) => row.map(({ tokens }) => inlinesOf(tokens))),
        },
      ];
    // Blank lines, the targets of links, and boxes, which their items know of.
    case "space":
    case "def":
    case "checkbox":
      return [];
  }
}

/** The first word after the fence of code. */
function languageIn(info = ""): string {
  return decodeReferences(/^[^\s{,]*/.exec(info)?.[0] ?? "");
}

function itemOf({ task, checked, tokens }: Tokens.ListItem): ListItem {
  return { isDone: task ? checked === true : null, blocks: blocksOf(tokens) };
}

function inlinesOf(tokens: readonly Token[], isInLink = false): Inline[] {
  return joined(tokens.filter(isInline).flatMap((token) => inlineOf(token, isInLink)));
}

function inlineOf(token: InlineToken, isInLink: boolean): Inline[] {
  switch (token.type) {
    case "text":
      // Not `text`, in which some references are decoded and others are not.
      return [textOf(decodeReferences(token.raw))];
    case "escape":
      return [textOf(token.text)];
    case "html":
      return [textOf(token.text)];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return [{ kind: "break" }];
    case "strong":
      return [{ kind: "strong", children: inlinesOf(token.tokens, isInLink) }];
    case "em":
      return [{ kind: "emphasis", children: inlinesOf(token.tokens, isInLink) }];
    case "del":
      return [{ kind: "deleted", children: inlinesOf(token.tokens, isInLink) }];
    case "link":
    case "image":
      return linkOf(token, isInLink);
    case "checkbox":
      return [];
  }
}

/**
 * A link to the web or to an address for letters; every other one, `javascript:` say, is only its words. So is a
 * link in a link, as badges are.
 */
function linkOf(token: Tokens.Link | Tokens.Image, isInLink: boolean): Inline[] {
  const isLiteral = token.type === "link" && token.autolink === true;
  const href = isLiteral ? token.href : decodeReferences(token.href);
  const words = isLiteral ? [textOf(token.text)] : inlinesOf(token.tokens, true);
  const children = words.length === 0 ? [textOf(href)] : words;
  if (isInLink) return children;
  const url = URL.parse(href);
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) return [{ kind: "emphasis", children }];
  return [{ kind: "link", href: url.href, children }];
}

function textOf(text: string): Inline {
  return { kind: "text", text };
}

/** Texts beside each other as one: the lexer ends one at every mark that means nothing after all. */
function joined(inlines: readonly Inline[]): Inline[] {
  const found: Inline[] = [];
  for (const inline of inlines) {
    const last = found.at(-1);
    if (inline.kind === "text" && last?.kind === "text")
      found[found.length - 1] = textOf(last.text + inline.text);
    else found.push(inline);
  }
  return found;
}
