import { describe, expect, test } from "bun:test";
import type { Inline } from "../../web/lib/markdown/document.ts";
import { nearPlaceOf } from "../../web/lib/contents/relative.ts";
import { parseMarkdown } from "../../web/lib/markdown/parse.ts";
import { someOf } from "../support/server/thorough.ts";

const BYTES = 256 * 1024;
const filled = (piece: string) => piece.repeat(Math.floor(BYTES / piece.length));

const link = (href: string, words: string): Inline => ({
  kind: "link",
  href,
  children: [{ kind: "text", text: words }],
});
const reference = (to: string, said: string): Inline => ({ kind: "reference", to, children: [words(said)] });
const picture = (to: string, alt: string): Inline => ({ kind: "picture", to, alt });
const words = (said: string): Inline => ({ kind: "text", text: said });
const emphasis = (...children: Inline[]): Inline => ({ kind: "emphasis", children });

/** What is read of a text that is one paragraph. */
function inlinesOf(source: string): readonly Inline[] {
  const [block, ...others] = parseMarkdown(source) ?? [];
  if (block?.kind !== "paragraph" || others.length > 0) throw new Error(`no paragraph: ${source}`);
  return block.inlines;
}

describe("a document of 256 KiB", () => {
  const DOCUMENTS: readonly (readonly [what: string, text: string, isOverlong: boolean])[] = [
    [
      "prose",
      filled(`# Title\n\n${"Words that *somebody* wrote, see [here](https://a.b). ".repeat(8)}\n\n`),
      false,
    ],
    ["rows without a table", filled(`| ${"a cell with some words in it | ".repeat(4)}\n`), false],
    ["code", `\`\`\`\n${filled("- x\n")}`, false],
    ["lists in lists", filled("- - - a\n"), true],
    ["wide tables", `|${"a|".repeat(300)}\n|${"-|".repeat(300)}\n${filled(`|${"b|".repeat(300)}\n`)}`, true],
    ["empty items", filled("- \n"), true],
    ["small tables", filled("a|b\n-|-\n\n"), true],
    ["quotes", filled("> a\n\n"), true],
    [
      "a table of mostly missing cells",
      `|${"a|".repeat(30_000)}\n|${"-|".repeat(30_000)}\n${"b\n".repeat(60_000)}`,
      true,
    ],
    [
      "quotes that end one by one",
      Array.from({ length: 700 }, (_, at) => `${">".repeat(700 - at)}a\n`).join(""),
      true,
    ],
    ["marks", filled(`${"*a* ".repeat(4_000)}\n\n`), true],
  ];
  test.each(someOf(DOCUMENTS, 4))("of %s is too much to lay out or not", (_, text, expected) => {
    expect(parseMarkdown(text) === null).toBe(expected);
  });
});

describe("running text", () => {
  test.each<[source: string, inlines: readonly Inline[]]>([
    ["[a](https://b.c)", [link("https://b.c/", "a")]],
    ["[a [b] c](https://d.e)", [link("https://d.e/", "a [b] c")]],
    ["[[a](https://b.c)", [words("["), link("https://b.c/", "a")]],
    ["] [a](https://b.c) [", [words("] "), link("https://b.c/", "a"), words(" [")]],
    [`[${"a".repeat(500)}](x)`, [reference("x", "a".repeat(500))]],
    ["[a](../b%20c.md#d)", [reference("../b%20c.md#d", "a")]],
    ["[a](#b)", [reference("#b", "a")]],
    ["[a](//b.c/d)", [emphasis(words("a"))]],
    ["[a]()", [emphasis(words("a"))]],
    ["![a *b*](c/d.png)", [picture("c/d.png", "a b")]],
    ["![](c.png)", [picture("c.png", "")]],
    [
      "[![a](b.png)](https://c.d)",
      [{ kind: "link", href: "https://c.d/", children: [picture("b.png", "a")] }],
    ],
    ["![a](//b.c/d.png)", [emphasis(words("a"))]],
    ["![a](data:image/png;base64,aa)", [emphasis(words("a"))]],
    ["[a](javascript:alert(1))", [emphasis(words("a"))]],
    // No such name of a character is known: it is a file's name, if an odd one.
    ["[a](java&#115;cript&colon;alert)", [reference("javascript&colon;alert", "a")]],
    ["[a](&#106;avascript:alert)", [emphasis(words("a"))]],
    ["[a]\n\n[a]: javascript:alert", [emphasis(words("a"))]],
    ["<javascript:alert>", [emphasis(words("javascript:alert"))]],
    ["[a](data:text/html,x)", [emphasis(words("a"))]],
    ["[a](https://b.c/?d=1&amp;e=2 'f')", [link("https://b.c/?d=1&e=2", "a")]],
    ["<https://b.c/?d=1&amp;e>", [link("https://b.c/?d=1&amp;e", "https://b.c/?d=1&amp;e")]],
    ["https://b.c/d, and", [link("https://b.c/d", "https://b.c/d"), words(", and")]],
    ["[](https://b.c)", [link("https://b.c/", "https://b.c")]],
    ["![a](https://b.c/d.png)", [link("https://b.c/d.png", "a")]],
    ["![](https://b.c/d.png)", [link("https://b.c/d.png", "https://b.c/d.png")]],
    ["[![a](https://b.c/d.png)](https://e.f)", [link("https://e.f/", "a")]],
    [
      "[**![a](https://b.c)**](https://e.f)",
      [{ kind: "link", href: "https://e.f/", children: [{ kind: "strong", children: [words("a")] }] }],
    ],
    ["AT&T &amp; &#65;&#x42; &amp;lt; &nope; &#0;", [words("AT&T & AB &lt; &nope; \ufffd")]],
    ["&Omega; &copy; &yuml; &ldquo;", [words("Ω © ÿ “")]],
    ["\\*a\\* \\&amp;", [words("*a* &amp;")]],
    ["`&amp; <b>`", [{ kind: "code", text: "&amp; <b>" }]],
    ["a <b onclick=x>&lt;</b>", [words("a <b onclick=x><</b>")]],
    ["<div onclick=x>\n*a*\n</div>", [words("<div onclick=x>\n*a*\n</div>")]],
    ["~~a~~", [{ kind: "deleted", children: [words("a")] }]],
  ])("%p", (source, inlines) => {
    expect(inlinesOf(source)).toEqual([...inlines]);
  });

  test("of more than 20,000 characters is shown as it is", () => {
    const long = "*a* ".repeat(5001).trim();
    expect(inlinesOf(long)).toEqual([words(long)]);
  });
});

/** The most blocks, and the most inlines, that are in each other. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Math.max(0, ...Object.values(value).map(depthOf));
  return inner + ("kind" in value ? 1 : 0);
}

describe("headings", () => {
  test.each<[source: string, anchors: string[]]>([
    ["# One\n## One\n### one-1\n# One", ["one", "one-1", "one-1-1", "one-2"]],
    ["# a-1\n# a\n# a", ["a-1", "a", "a-2"]],
    ["# What's `new` in **2.0**?", ["whats-new-in-20"]],
    ["# Über_uns – 日本語", ["über_uns--日本語"]],
    ["# 🎉\n# !", ["", "-1"]],
    ["> # a\n\n- # a", ["a", "a-1"]],
    ["# __proto__\n# constructor", ["proto", "constructor"]],
  ])("of %p have anchors as GitHub's", (source, anchors) => {
    const found = JSON.stringify(parseMarkdown(source)).matchAll(/"anchor":"([^"]*)"/g);
    expect(Array.from(found, ([, anchor]) => anchor)).toEqual(anchors);
  });
});

const note = (number: number, isFirst = true): Inline => ({ kind: "note", number, isFirst });
const paragraph = (...inlines: Inline[]) => ({ kind: "paragraph" as const, inlines });

describe("footnotes", () => {
  test("are numbered as they are named, and stand at the end", () => {
    expect(
      parseMarkdown("a[^b] c[^1] d[^b]\n\n[^1]: *one*\n[^b]: two\n    lines\n\n    more\n\nafter"),
    ).toEqual([
      paragraph(words("a"), note(1), words(" c"), note(2), words(" d"), note(1, false)),
      paragraph(words("after")),
      {
        kind: "notes",
        notes: [
          [paragraph(words("two\nlines")), paragraph(words("more"))],
          [paragraph(emphasis(words("one")))],
        ],
      },
    ]);
  });

  test("that nobody names are not shown, and names of none are text", () => {
    expect(parseMarkdown("a[^b]\n\n[^c]: unused")).toEqual([paragraph(words("a[^b]"))]);
  });

  test("may name each other", () => {
    expect(parseMarkdown("a[^b]\n\n[^b]: c[^c]\n\n[^c]: d[^b]")).toEqual([
      paragraph(words("a"), note(1)),
      {
        kind: "notes",
        notes: [[paragraph(words("c"), note(2))], [paragraph(words("d"), note(1, false))]],
      },
    ]);
  });
});

test("of many pictures the first 50 are shown", () => {
  const [block] = parseMarkdown("![a](b.png) ".repeat(60)) ?? [];
  const kinds = block?.kind === "paragraph" ? block.inlines.map(({ kind }) => kind) : [];
  expect(kinds.filter((kind) => kind === "picture")).toHaveLength(50);
  expect(kinds.filter((kind) => kind === "reference")).toHaveLength(10);
});

describe("nesting that goes too deep is shown as it is", () => {
  test.each([
    ["quotes", "> ".repeat(500)],
    ["lists", "- ".repeat(500)],
    ["both", "- > 1. ".repeat(200)],
    ["emphasis", "*a _b ".repeat(100)],
    ["links", "![".repeat(500)],
  ])("%s", (_, open) => {
    const close = open.startsWith("*") ? " b_ a*".repeat(100) : "](https://b.c)".repeat(500);
    const blocks = parseMarkdown(`${open}deep${close}\n\nafter`);
    expect(depthOf(blocks)).toBeLessThan(25);
    expect(JSON.stringify(blocks)).toContain("deep");
    expect(blocks?.at(-1)).toEqual({ kind: "paragraph", inlines: [words("after")] });
  });
});

const item = (isDone: boolean | null, said: string) => ({
  isDone,
  blocks: [{ kind: "paragraph" as const, inlines: [words(said)] }],
});

test("tasks have boxes, and blank lines make a list loose", () => {
  expect(parseMarkdown("- [x] a\n- [ ] b\n- c")).toEqual([
    {
      kind: "list",
      start: null,
      isLoose: false,
      items: [item(true, "a"), item(false, "b"), item(null, "c")],
    },
  ]);
  expect(parseMarkdown("3. [X] a\n\n4. b")).toEqual([
    { kind: "list", start: 3, isLoose: true, items: [item(true, "a"), item(null, "b")] },
  ]);
});

test("the cells of a table are running text", () => {
  expect(parseMarkdown("|a|`b\\|c`|\n|-|:-:|\n|*d*|\n|e|f|g|")).toEqual([
    {
      kind: "table",
      sides: [null, "center"],
      rows: [
        [[words("a")], [{ kind: "code", text: "b|c" }]],
        [[emphasis(words("d"))], []],
        [[words("e")], [words("f")]],
      ],
    },
  ]);
});

describe("an address in a document at docs/a/read.md", () => {
  test.each<[to: string, path: string | null, anchor: string]>([
    ["b.md", "docs/a/b.md", ""],
    ["./b.md#c", "docs/a/b.md", "c"],
    ["../b%20c.md", "docs/b c.md", ""],
    ["../../b.md?raw=1#%C3%BC", "b.md", "ü"],
    ["/b/c.md", "b/c.md", ""],
    ["x/", "docs/a/x/", ""],
    ["..", "docs/", ""],
    ["../..", "", ""],
    ["/", "", ""],
    [".", "docs/a/", ""],
    ["b//c", "docs/a/b/c", ""],
    ["...", "docs/a/...", ""],
    ["#c", null, "c"],
    ["?raw=1", null, ""],
  ])("%s leads to %p", (to, path, anchor) => {
    expect(nearPlaceOf(to, "docs/a/read.md")).toEqual({ path, anchor });
  });

  test.each(["../../../b", "/..", "%", "b#%E0", "b%2f%"])("%s leads nowhere", (to) => {
    expect(nearPlaceOf(to, "docs/a/read.md")).toBeNull();
  });
});
