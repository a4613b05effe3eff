import { expect, test } from "bun:test";
import { tests } from "commonmark-spec";
import type { Block, Inline, List } from "../../web/lib/markdown/document.ts";
import { parseMarkdown } from "../../web/lib/markdown/parse.ts";

// Holds what we make of Markdown to the examples of CommonMark 0.31.2. What is read is written as HTML here, and
// the HTML of each example is first changed where we differ on purpose (`asShownHere`).

/** The examples whose outcome is another here, by number, and why. All others must come out right. */
const OTHERWISE: readonly (readonly [why: string, examples: string])[] = [
  ["HTML is text", "21 31 148-191 201 308 309 344 475-477 491 494 524 536 613-617 623 625-631 642 643"],
  ["bare addresses are links, as GitHub has it", "602 608 611 612"],
  ["a picture in a link is only its words", "517 531"],
  ["browsers write a backslash or a bracket of an address in another way", "20 526 538 603"],
  ["some names of characters are not known", "25"],
];

/** Numbers such as `1 3-5`. */
function numbersOf(list: string): number[] {
  return list.split(" ").flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

const otherwise = new Set(OTHERWISE.flatMap(([, list]) => numbersOf(list)));
// The examples have arrows for tabs.
const examples = tests.map(({ number, section, markdown, html }) => {
  const [source, expected] = [markdown, html].map((text) => text.replaceAll("→", "\t"));
  return { number, section, source: source ?? "", expected: asShownHere(expected ?? "") };
});

test("there are as many examples as there should be", () => {
  expect(examples.length).toBe(652);
});

const applying = examples.filter(({ number }) => !otherwise.has(number));
test.each(applying.map((example) => [example.number, example.section, example] as const))(
  "example %d: %s",
  (_number, _section, { source, expected }) => {
    expect(read(source)).toBe(expected);
  },
);

test("what is listed as coming out otherwise does", () => {
  const right = examples.filter(
    ({ number, source, expected }) => otherwise.has(number) && read(source) === expected,
  );
  expect(right.map(({ number }) => number)).toEqual([]);
});

function read(source: string): string {
  const blocks = parseMarkdown(source);
  if (blocks === null) throw new Error("too complex");
  return withoutSpace(blocks.map((block) => htmlOf(block)).join(""));
}

/** The HTML of an example without what we do not show: titles, languages, pictures, links to no address of the web. */
function asShownHere(html: string): string {
  return withoutSpace(
    html
      .replaceAll(/<code class="[^"]*">/g, "<code>")
      .replaceAll(
        /<img src="([^"]*)" alt="([^"]*)"(?: title="[^"]*")? \/>/g,
        (_, href: string, alt: string) => `<a href="${href}">${alt}</a>`,
      )
      .replaceAll(/<a href="([^"]*)"(?: title="[^"]*")?>([^]*?)<\/a>/g, (_, href: string, inner: string) =>
        linkTo(href, inner),
      ),
  );
}

/** @param href as it stands in HTML */
function linkTo(href: string, inner: string): string {
  const words = inner === "" ? href : inner;
  const url = URL.parse(href.replaceAll("&amp;", "&").replaceAll("&quot;", '"'));
  return url !== null && /^(?:https?|mailto):$/.test(url.protocol)
    ? `<a href="${escaped(url.href)}">${words}</a>`
    : `<em>${words}</em>`;
}

/** HTML without the space around blocks and at the ends of lines, which is not seen; in code it stays. */
function withoutSpace(html: string): string {
  return html
    .split(/(<pre>[^]*?<\/pre>)/)
    .map((piece, at) => (at % 2 === 1 ? piece : withoutSpaceAround(piece)))
    .join("");
}

function withoutSpaceAround(html: string): string {
  return html
    .replaceAll(/ *\n */g, "\n")
    .replaceAll(/[ \n]*(<\/?(?:p|ul|ol|li|blockquote|h[1-6])\b[^>]*>|<[bh]r \/>)[ \n]*/g, "$1")
    .trim();
}

function htmlOf(block: Block): string {
  switch (block.kind) {
    case "heading":
      return element(`h${block.level}`, inlineHtml(block.inlines));
    case "paragraph":
      return element("p", inlineHtml(block.inlines));
    case "code":
      return `<pre><code>${escaped(block.text)}${block.text === "" ? "" : "\n"}</code></pre>`;
    case "rule":
      return "<hr />";
    case "quote":
      return element("blockquote", block.blocks.map(htmlOf).join(""));
    case "list":
      return listHtml(block);
    case "table":
    case "notes":
    case "output":
    case "image":
    case "remark":
      throw new Error("CommonMark has neither tables nor footnotes, and is no notebook");
  }
}

function listHtml({ start, isLoose, items }: List): string {
  const inner = items.map(({ blocks }) =>
    element(
      "li",
      blocks
        .map((block) => (block.kind === "paragraph" && !isLoose ? inlineHtml(block.inlines) : htmlOf(block)))
        .join(""),
    ),
  );
  if (start === null) return element("ul", inner.join(""));
  return `<ol${start === 1 ? "" : ` start="${start}"`}>${inner.join("")}</ol>`;
}

function inlineHtml(inlines: readonly Inline[]): string {
  return inlines.map(inlineElement).join("");
}

function inlineElement(inline: Inline): string {
  switch (inline.kind) {
    case "text":
      return escaped(inline.text);
    case "code":
      return element("code", escaped(inline.text));
    case "break":
      return "<br />";
    case "strong":
      return element("strong", inlineHtml(inline.children));
    case "emphasis":
      return element("em", inlineHtml(inline.children));
    case "deleted":
      return element("del", inlineHtml(inline.children));
    case "link":
      return `<a href="${escaped(inline.href)}">${inlineHtml(inline.children)}</a>`;
    case "reference":
      return element("em", inlineHtml(inline.children));
    case "picture":
      return element("em", escaped(inline.alt === "" ? inline.to : inline.alt));
    case "note":
      throw new Error("CommonMark has no footnotes");
  }
}

function element(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
