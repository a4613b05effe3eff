import type { MarkedToken, Token, Tokens } from "marked";
import { decodeReferences } from "./character-references.ts";
import type { Inline } from "./document.ts";
import type { NoteMark } from "./footnotes.ts";

/** Each is asked for by a request of its own; the pictures after these are links. */
const MOST_PICTURES = 50;

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
  "noteMark",
  "strong",
  "text",
] as const;

type InlineToken = Extract<MarkedToken | NoteMark, { readonly type: (typeof INLINES)[number] }>;

function isInline(token: Token): token is InlineToken {
  return INLINES.some((type) => type === token.type);
}

/** Makes running text of the lexer's tokens, of one document. */
export class InlineReader {
  readonly #notes = new Map<string, number>();
  #pictures = 0;

  /** The labels of the footnotes that were read, the one with number 1 first; goes on while more are read. */
  get notes(): Iterable<string> {
    return this.#notes.keys();
  }

  read(tokens: readonly Token[]): Inline[] {
    return this.#read(tokens, false);
  }

  #read(tokens: readonly Token[], isInLink: boolean): Inline[] {
    return joined(tokens.filter(isInline).flatMap((token) => this.#inlineOf(token, isInLink)));
  }

  #inlineOf(token: InlineToken, isInLink: boolean): Inline[] {
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
        return [{ kind: "strong", children: this.#read(token.tokens, isInLink) }];
      case "em":
        return [{ kind: "emphasis", children: this.#read(token.tokens, isInLink) }];
      case "del":
        return [{ kind: "deleted", children: this.#read(token.tokens, isInLink) }];
      case "link":
      case "image":
        return this.#linkOf(token, isInLink);
      case "noteMark":
        return isInLink ? [] : [this.#noteOf(token)];
      case "checkbox":
        return [];
    }
  }

  /**
   * A link to the web, to an address for letters or to another file; every other one, `javascript:` say, is only its
   * words. So is a link in a link, as badges are.
   */
  #linkOf(token: Tokens.Link | Tokens.Image, isInLink: boolean): Inline[] {
    const isLiteral = token.type === "link" && token.autolink === true;
    const href = isLiteral ? token.href : decodeReferences(token.href);
    const words = isLiteral ? [textOf(token.text)] : this.#read(token.tokens, true);
    const children = words.length === 0 ? [textOf(href)] : words;
    const url = URL.parse(href);
    const isNear = url === null && href !== "" && !href.startsWith("//");
    if (token.type === "image" && isNear && this.#pictures < MOST_PICTURES) {
      this.#pictures += 1;
      return [{ kind: "picture", to: href, alt: wordsOf(words) }];
    }
    if (isInLink) return children;
    if (isNear) return [{ kind: "reference", to: href, children }];
    if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) return [{ kind: "emphasis", children }];
    return [{ kind: "link", href: url.href, children }];
  }

  #noteOf({ label }: NoteMark): Inline {
    const known = this.#notes.get(label);
    const number = known ?? this.#notes.size + 1;
    this.#notes.set(label, number);
    return { kind: "note", number, isFirst: known === undefined };
  }
}

export function textOf(text: string): Inline {
  return { kind: "text", text };
}

/** What running text says, without how it looks. */
export function wordsOf(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if ("text" in inline) return inline.text;
      if ("children" in inline) return wordsOf(inline.children);
      return inline.kind === "picture" ? inline.alt : "";
    })
    .join("");
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
