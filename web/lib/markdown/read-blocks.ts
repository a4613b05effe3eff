import type { MarkedToken, Token, Tokens } from "marked";
import { Anchors } from "./anchors.ts";
import { decodeReferences } from "./character-references.ts";
import type { Block, Heading, ListItem, Table } from "./document.ts";
import type { NoteText } from "./footnotes.ts";
import { InlineReader, textOf, wordsOf } from "./read-inlines.ts";

const BLOCKS = [
  "blockquote",
  "checkbox",
  "code",
  "def",
  "heading",
  "hr",
  "html",
  "list",
  "noteText",
  "paragraph",
  "space",
  "table",
  "text",
] as const;

type BlockToken = Extract<MarkedToken | NoteText, { readonly type: (typeof BLOCKS)[number] }>;

function isBlock(token: Token): token is BlockToken {
  return BLOCKS.some((type) => type === token.type);
}

/** Makes blocks of the lexer's tokens, of one document. */
export class BlockReader {
  readonly #inlines = new InlineReader();
  readonly #anchors = new Anchors();
  /** What each footnote says. */
  readonly #notes = new Map<string, readonly Token[]>();

  /** What the footnotes say; to be read last. */
  notes(): Block[] {
    const notes: Block[][] = [];
    // Footnotes may have footnotes.
    for (const label of this.#inlines.notes) notes.push(this.read(this.#notes.get(label) ?? []));
    return notes.length === 0 ? [] : [{ kind: "notes", notes }];
  }

  read(tokens: readonly Token[]): Block[] {
    return tokens.filter(isBlock).flatMap((token) => this.#blockOf(token));
  }

  #blockOf(token: BlockToken): Block[] {
    switch (token.type) {
      case "heading":
        return [this.#headingOf(token)];
      case "paragraph":
        return [{ kind: "paragraph", inlines: this.#inlines.read(token.tokens) }];
      case "text":
        return [{ kind: "paragraph", inlines: this.#inlines.read(token.tokens ?? [token]) }];
      case "html":
        return [{ kind: "paragraph", inlines: [textOf(token.text.trimEnd())] }];
      case "code":
        return [{ kind: "code", text: token.text.replace(/\n$/, ""), language: languageIn(token.lang) }];
      case "hr":
        return [{ kind: "rule" }];
      case "blockquote":
        return [{ kind: "quote", blocks: this.read(token.tokens) }];
      case "list": {
        const start = token.start === "" ? null : token.start;
        const items = token.items.map((item) => this.#itemOf(item));
        return [{ kind: "list", start, isLoose: token.loose, items }];
      }
      case "table":
        return [this.#tableOf(token)];
      case "noteText":
        if (!this.#notes.has(token.label)) this.#notes.set(token.label, token.tokens);
        return [];
      // Blank lines, the targets of links, and boxes, which their items know of.
      case "space":
      case "def":
      case "checkbox":
        return [];
    }
  }

  #headingOf({ depth: level, tokens }: Tokens.Heading): Heading {
    const inlines = this.#inlines.read(tokens);
    return { kind: "heading", level, anchor: this.#anchors.nameFor(wordsOf(inlines)), inlines };
  }

  #itemOf({ task, checked, tokens }: Tokens.ListItem): ListItem {
    return { isDone: task ? checked === true : null, blocks: this.read(tokens) };
  }

  #tableOf({ align: sides, header, rows }: Tokens.Table): Table {
    const read = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => this.#inlines.read(tokens));
    return { kind: "table", sides, rows: [header, ...rows].map(read) };
  }
}

/** The first word after the fence of code. */
function languageIn(info = ""): string {
  return decodeReferences(/^[^\s{,]*/.exec(info)?.[0] ?? "");
}
