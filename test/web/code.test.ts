import { describe, expect, test } from "bun:test";
import { languageNamed, languageOf } from "../../web/lib/code/languages.ts";
import { piecesOf } from "../../web/lib/code/pieces.ts";
import { Tokenizer } from "../../web/lib/code/tokenize.ts";
import type { TokenKind } from "../../web/lib/code/tokens.ts";
import { textBlocks } from "../../web/lib/contents/long-text.ts";

const tokenizer = new Tokenizer();

/** What has a colour in a text, with the kind that gives it. */
function colored(language: string, text: string): [string, TokenKind][] {
  return piecesOf(text, 0, tokenizer.tokenize({ text, language })).flatMap(({ text: piece, kind }) =>
    kind === null ? [] : [[piece, kind] as [string, TokenKind]],
  );
}

describe("the language of a file", () => {
  test.each<[filename: string, type: string, language: string | null]>([
    ["a.ts", "video/mp2t", "typescript"],
    ["A.PY", "application/octet-stream", "python"],
    ["Dockerfile", "application/octet-stream", "dockerfile"],
    ["Makefile", "application/octet-stream", "makefile"],
    [".env", "application/octet-stream", "bash"],
    ["feed", "application/atom+xml; charset=utf-8", "xml"],
    ["run", "application/x-sh", "bash"],
    ["query", "text/x-sql", "sql"],
    ["notes.txt", "text/plain", null],
    ["constructor", "text/__proto__", null],
    ["a", "", null],
  ])("%s, %s", (filename, type, language) => {
    expect(languageOf(filename, type)).toBe(language);
  });
});

test.each(
  "ts js tsx python go rust java c c++ c# sh yaml toml json html css sql diff dockerfile makefile ini php ruby kotlin swift lua r xml markdown dart graphql powershell protobuf scala scss".split(
    " ",
  ),
)("what is called %s has a grammar", (name) => {
  const language = languageNamed(name) ?? "none";
  expect(() => tokenizer.tokenize({ text: "a", language })).not.toThrow();
});

describe("the tokens", () => {
  test("of code are by what it says", () => {
    expect(colored("python", 'def f(): # one\n  return "a" + 1')).toEqual([
      ["def", "keyword"],
      ["f", "name"],
      ["# one", "comment"],
      ["return", "keyword"],
      ['"a"', "string"],
      ["1", "number"],
    ]);
  });

  test("of code in a string, and of a language in another, have their own colours", () => {
    expect(colored("javascript", "`a${1}b`")).toEqual([
      ["`a", "string"],
      ["1", "number"],
      ["b`", "string"],
    ]);
    expect(colored("xml", "<style>a{top:1px}</style><b>")).toEqual([
      ["style", "name"],
      ["a", "keyword"],
      ["top", "name"],
      ["1px", "number"],
      ["style", "name"],
      ["b", "name"],
    ]);
  });

  test("of a text that is no such code are few, and none of an unfinished one is lost", () => {
    expect(colored("json", "no JSON }]")).toEqual([]);
    expect(colored("rust", "/* never ended")).toEqual([["/* never ended", "comment"]]);
  });
});

test("the blocks of a long text are coloured as the whole is", () => {
  const text = `/* a comment of ${"many words ".repeat(200)}*/\n${"let a = 'text';\n".repeat(700)}`;
  const tokens = tokenizer.tokenize({ text, language: "javascript" });
  const { blocks } = textBlocks(text, Infinity);
  expect(blocks.length).toBeGreaterThan(5);
  const pieces = blocks.map((block) => piecesOf(block.text, block.from, tokens));
  expect(pieces.map((each) => each.map((piece) => piece.text).join(""))).toEqual(
    blocks.map((block) => block.text),
  );
  expect(pieces[0]).toEqual([{ text: blocks[0]?.text ?? "", kind: "comment" }]);
  const inLines = pieces.flat().filter(({ kind }) => kind !== "comment" && kind !== null);
  expect(inLines.map((piece) => piece.text)).toEqual(
    Array.from({ length: 700 }, () => ["let", "'text'"]).flat(),
  );
});
