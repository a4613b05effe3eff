import { describe, expect, test } from "bun:test";
import type { Block } from "../../web/lib/markdown/document.ts";
import { parseNotebook } from "../../web/lib/markdown/notebook.ts";

const PNG = "iVBORw0KGgo=";

function notebook(cells: unknown, metadata: unknown = {}): string {
  return JSON.stringify({ nbformat: 4, metadata, cells });
}

/** So many cells of the same code. */
const cellsOf = (source: string, count: number) =>
  Array.from({ length: count }, () => ({ cell_type: "code", source }));

/** What is read of one output. */
function outputOf(output: unknown): readonly Block[] | null {
  return parseNotebook(notebook([{ cell_type: "code", source: "", outputs: [output] }]));
}

const output = (text: string): Block => ({ kind: "output", text });
const remark = (about: string) => ({ kind: "remark" as const, about });

test("the cells of a notebook are one document", () => {
  const cells = [
    { cell_type: "markdown", source: ["# Title\n", "\n", "Words[^1].\n", "\n", "[^1]: a note"] },
    { cell_type: "code", source: ["x = 1\n", "x"], outputs: [] },
    { cell_type: "raw", source: "as it is" },
    { cell_type: "markdown", source: "# Title" },
  ];
  const blocks = parseNotebook(notebook(cells, { kernelspec: { language: "julia" } }));
  expect(blocks).toEqual([
    expect.objectContaining({ kind: "heading", anchor: "title" }),
    expect.objectContaining({ kind: "paragraph" }),
    { kind: "code", text: "x = 1\nx", language: "julia" },
    { kind: "code", text: "as it is", language: "" },
    expect.objectContaining({ kind: "heading", anchor: "title-1" }),
    expect.objectContaining({ kind: "notes" }),
  ]);
});

describe("an output", () => {
  test.each<[what: string, output: unknown, blocks: unknown[]]>([
    ["of text", { output_type: "stream", text: ["a\n", "b\n"] }, [output("a\nb")]],
    [
      "of an error, without the colours of a terminal",
      { output_type: "error", traceback: ["\u001b[0;31mError\u001b[0m: a", "b"] },
      [output("Error: a\nb")],
    ],
    [
      "that is a picture",
      {
        output_type: "display_data",
        data: { "image/png": [`${PNG}\n`], "text/plain": "<Figure>", "text/html": "<b>" },
      },
      [{ kind: "image", address: `data:image/png;base64,${PNG}`, alt: "<Figure>" }],
    ],
    [
      "that is Markdown",
      { output_type: "display_data", data: { "text/markdown": "*a*", "text/plain": "a" } },
      [{ kind: "paragraph", inlines: [{ kind: "emphasis", children: [{ kind: "text", text: "a" }] }] }],
    ],
    [
      "that is HTML beside its text",
      {
        output_type: "execute_result",
        data: { "text/html": "<script>alert(1)</script>", "text/plain": ["a"] },
      },
      [output("a"), remark("partly-hidden")],
    ],
    [
      "that is a script",
      { output_type: "display_data", data: { "application/javascript": "alert(1)" } },
      [remark("hidden")],
    ],
    [
      "that is an SVG, or lies about being a picture",
      { output_type: "display_data", data: { "image/svg+xml": "<svg/>", "image/png": `${PNG}" onload="a` } },
      [remark("hidden")],
    ],
    [
      "that is long",
      { output_type: "stream", text: "a".repeat(60_000) },
      [output("a".repeat(50_000)), remark("cut")],
    ],
    ["of a kind that is not known", { output_type: "update", data: {} }, []],
    ["that is none", null, []],
    ["of nothing", { output_type: "stream", text: { a: 1 } }, []],
  ])("%s", (_, given, blocks) => {
    const found: unknown = outputOf(given);
    expect(found).toEqual(blocks);
  });
});

test.each([
  ["no JSON", "{nope"],
  ["no notebook", '{"cells":{}}'],
  ["nothing", "null"],
  ["too much text", notebook(cellsOf("a".repeat(20_000), 100))],
  ["too many cells", notebook(cellsOf("a", 25_000))],
])("what is %s is not read", (_, text) => {
  expect(parseNotebook(text)).toBeNull();
});

test("cells that are no cells are passed over", () => {
  expect(
    parseNotebook(notebook([null, 1, "a", [], { cell_type: "code", outputs: "a" }, { source: 1 }])),
  ).toEqual([]);
});
