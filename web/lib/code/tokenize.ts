import hljs, { type Emitter, type LanguageFn } from "@highlightjs/cdn-assets/es/core.min.js";

import bash from "@highlightjs/cdn-assets/es/languages/bash.min.js";
import c from "@highlightjs/cdn-assets/es/languages/c.min.js";
import cpp from "@highlightjs/cdn-assets/es/languages/cpp.min.js";
import csharp from "@highlightjs/cdn-assets/es/languages/csharp.min.js";
import css from "@highlightjs/cdn-assets/es/languages/css.min.js";
import dart from "@highlightjs/cdn-assets/es/languages/dart.min.js";
import diff from "@highlightjs/cdn-assets/es/languages/diff.min.js";
import dockerfile from "@highlightjs/cdn-assets/es/languages/dockerfile.min.js";
import go from "@highlightjs/cdn-assets/es/languages/go.min.js";
import graphql from "@highlightjs/cdn-assets/es/languages/graphql.min.js";
import ini from "@highlightjs/cdn-assets/es/languages/ini.min.js";
import java from "@highlightjs/cdn-assets/es/languages/java.min.js";
import javascript from "@highlightjs/cdn-assets/es/languages/javascript.min.js";
import json from "@highlightjs/cdn-assets/es/languages/json.min.js";
import kotlin from "@highlightjs/cdn-assets/es/languages/kotlin.min.js";
import lua from "@highlightjs/cdn-assets/es/languages/lua.min.js";
import makefile from "@highlightjs/cdn-assets/es/languages/makefile.min.js";
import markdown from "@highlightjs/cdn-assets/es/languages/markdown.min.js";
import php from "@highlightjs/cdn-assets/es/languages/php.min.js";
import powershell from "@highlightjs/cdn-assets/es/languages/powershell.min.js";
import protobuf from "@highlightjs/cdn-assets/es/languages/protobuf.min.js";
import python from "@highlightjs/cdn-assets/es/languages/python.min.js";
import r from "@highlightjs/cdn-assets/es/languages/r.min.js";
import ruby from "@highlightjs/cdn-assets/es/languages/ruby.min.js";
import rust from "@highlightjs/cdn-assets/es/languages/rust.min.js";
import scala from "@highlightjs/cdn-assets/es/languages/scala.min.js";
import scss from "@highlightjs/cdn-assets/es/languages/scss.min.js";
import sql from "@highlightjs/cdn-assets/es/languages/sql.min.js";
import swift from "@highlightjs/cdn-assets/es/languages/swift.min.js";
import typescript from "@highlightjs/cdn-assets/es/languages/typescript.min.js";
import xml from "@highlightjs/cdn-assets/es/languages/xml.min.js";
import yaml from "@highlightjs/cdn-assets/es/languages/yaml.min.js";
import type { CodeText, CodeTokens, TokenKind } from "./tokens.ts";

const LANGUAGES: Readonly<Record<string, LanguageFn>> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  dart,
  diff,
  dockerfile,
  go,
  graphql,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  powershell,
  protobuf,
  python,
  r,
  ruby,
  rust,
  scala,
  scss,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

const KINDS: readonly TokenKind[] = [
  "comment",
  "keyword",
  "string",
  "number",
  "name",
  "type",
  "meta",
  "heading",
  "added",
  "removed",
];

/** The scopes of highlight.js, by kind; those that mean no colour of their own are in `PLAIN`. */
const SCOPES: Readonly<Record<TokenKind, string>> = {
  comment: "comment quote",
  keyword: "keyword selector-tag",
  string: "string regexp char link code",
  number: "number literal symbol bullet",
  name: "title name attr attribute selector-class selector-id",
  type: "type class built_in variable template-variable title.class",
  meta: "meta doctag selector-pseudo selector-attr template-tag",
  heading: "section",
  added: "addition",
  removed: "deletion",
};
/** Code in a string. */
const PLAIN = "subst";

const KIND_OF: ReadonlyMap<string, number> = new Map(
  KINDS.flatMap((kind, at) => SCOPES[kind].split(" ").map((scope) => [scope, at] as const)),
);

/** Finds the tokens of code, of any that is asked for. It takes as long as it takes: see `readTokens`. */
export class Tokenizer {
  readonly #hljs = hljs.newInstance();

  constructor() {
    for (const [name, language] of Object.entries(LANGUAGES)) this.#hljs.registerLanguage(name, language);
    this.#hljs.configure({ __emitter: RangeEmitter });
  }

  /** @throws Error for a language that is not known */
  tokenize({ text, language }: CodeText): CodeTokens {
    const { _emitter: emitter } = this.#hljs.highlight(text, { language, ignoreIllegals: true });
    const ranges = emitter instanceof RangeEmitter ? emitter.ranges : [];
    return { kinds: KINDS, ranges: Uint32Array.from(ranges) };
  }
}

/** Takes what highlight.js finds, which usually makes it HTML, as ranges of the text. */
class RangeEmitter implements Emitter {
  readonly ranges: number[] = [];
  readonly #scopes: (number | null)[] = [];
  #at = 0;

  startScope(name: string): void {
    this.openNode(name);
  }

  endScope(): void {
    this.closeNode();
  }

  openNode(name: string): void {
    const [first = ""] = name.split(".");
    const inherited = first === PLAIN ? null : (this.#scopes.at(-1) ?? null);
    this.#scopes.push(KIND_OF.get(name) ?? KIND_OF.get(first) ?? inherited);
  }

  closeNode(): void {
    this.#scopes.pop();
  }

  addText(text: string): void {
    const start = this.#at;
    this.#at += text.length;
    const kind = this.#scopes.at(-1) ?? null;
    if (kind !== null && text !== "") this.#add(start, this.#at, kind);
  }

  /** @param inner of code in this code, such as a style in HTML */
  __addSublanguage(inner: Emitter): void {
    if (!(inner instanceof RangeEmitter)) return;
    const { ranges } = inner;
    for (let at = 0; at < ranges.length; at += 3) {
      this.#add(this.#at + (ranges[at] ?? 0), this.#at + (ranges[at + 1] ?? 0), ranges[at + 2] ?? 0);
    }
    this.#at += inner.#at;
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }

  #add(start: number, end: number, kind: number): void {
    const { ranges } = this;
    const isSame = ranges.at(-1) === kind && ranges.at(-2) === start;
    if (isSame) ranges[ranges.length - 2] = end;
    else ranges.push(start, end, kind);
  }
}
