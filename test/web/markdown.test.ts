import { describe, expect, test } from "bun:test";
import { parseMarkdown } from "../../web/lib/markdown.ts";
import { type Inline, parseInline } from "../../web/lib/markdown-inline.ts";
import { isOverlong } from "../../web/lib/markdown-size.ts";

const BYTES = 256 * 1024;
const MOST = 20_000;
const filled = (piece: string) => piece.repeat(Math.floor(BYTES / piece.length));

const link = (href: string, words: string): Inline => ({
  kind: "link",
  href,
  children: [{ kind: "text", text: words }],
});
const words = (said: string): Inline => ({ kind: "text", text: said });

describe("a document of 256 KiB", () => {
  const CASES: readonly (readonly [what: string, text: string, isOverlong: boolean])[] = [
    [
      "prose",
      filled(`# Title\n\n${"Words that *somebody* wrote, see [here](https://a.b). ".repeat(8)}\n\n`),
      false,
    ],
    ["a table", filled(`| ${"a cell with some words in it | ".repeat(4)}\n`), false],
    ["code", `\`\`\`\n${filled("- x\n")}`, false],
    ["lists in lists", filled("- - - a\n"), true],
    ["empty items", filled("- \n"), true],
    ["small tables", filled("a|b\n-|-\n"), true],
    ["wide tables", `|${"a|".repeat(300)}\n|${"-|".repeat(300)}\n${filled(`|${"b|".repeat(300)}\n`)}`, true],
    ["quotes", filled("> a\n\n"), true],
    ["marks", filled(`${"*a* ".repeat(10_000)}\n\n`), true],
  ];
  test.each(CASES)("of %s is too much to lay out or not", (_, text, expected) => {
    expect(isOverlong(parseMarkdown(text), MOST)).toBe(expected);
  });
});

describe("brackets", () => {
  const CASES: readonly (readonly [source: string, inlines: readonly Inline[]])[] = [
    ["[a](https://b.c)", [link("https://b.c/", "a")]],
    ["[a [b] c](https://d.e)", [link("https://d.e/", "a [b] c")]],
    ["[[a](https://b.c)", [words("["), link("https://b.c/", "a")]],
    ["] [a](https://b.c) [", [words("] "), link("https://b.c/", "a"), words(" [")]],
    [`[${"a".repeat(500)}](x)`, [words(`[${"a".repeat(500)}](x)`)]],
    ["[a](javascript:alert(1))", [{ kind: "emphasis", children: [words("a")] }]],
  ];
  test.each(CASES)("%p", (source, inlines) => {
    expect(parseInline(source)).toEqual([...inlines]);
  });
});
