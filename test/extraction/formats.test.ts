import { expect, test } from "bun:test";
import type { DocumentFormat } from "../../src/domain/contents/extraction.ts";
import { extractText } from "../../src/extraction/extract-text.ts";
import {
  archive,
  docx,
  epub,
  odt,
  pdf,
  pdfLines,
  pptx,
  wordParagraph,
  xlsx,
} from "../support/samples/documents.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const textOf = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

const wordTable =
  "<w:tbl>" +
  `<w:tr><w:tc>${wordParagraph("a")}${wordParagraph("b")}</w:tc><w:tc><w:p/></w:tc><w:tc>${wordParagraph("c")}</w:tc></w:tr>` +
  `<w:tr><w:tc>${wordParagraph("d")}</w:tc><w:tc><w:p/></w:tc></w:tr>` +
  "</w:tbl>";

test.each<[name: string, format: DocumentFormat, document: Uint8Array, text: string]>([
  [
    "paragraphs, of several runs, and entities",
    "docx",
    docx(wordParagraph("One ", "&amp; two &#233;") + wordParagraph("three")),
    textOf("One & two é", "three"),
  ],
  [
    "tabs and breaks",
    "docx",
    docx("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/></w:r></w:p>"),
    textOf("a\tb", "c-"),
  ],
  [
    "tables",
    "docx",
    docx(wordParagraph("x") + wordTable + wordParagraph("y")),
    textOf("x", "a b\t\tc", "d", "y"),
  ],
  [
    "what was deleted, codes of fields, and what is there twice",
    "docx",
    docx(
      "<w:p><w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r>" +
        '<mc:AlternateContent xmlns:mc="m"><mc:Choice><w:t>once</w:t></mc:Choice><mc:Fallback><w:t>once</w:t></mc:Fallback></mc:AlternateContent></w:p>',
    ),
    textOf("once"),
  ],
  ["notes", "docx", docx(wordParagraph("text"), wordParagraph("note")), textOf("text", "", "note")],
  [
    "a document without its relationships",
    "docx",
    archive({ "word/document.xml": `<w:document xmlns:w="w">${wordParagraph("text")}</w:document>` }),
    textOf("text"),
  ],
  ["nothing", "docx", docx(""), ""],
  [
    "sheets, shared and own strings, numbers, truth",
    "xlsx",
    xlsx(
      {
        First:
          '<row><c r="A1" t="s"><v>1</v></c><c r="B1" t="inlineStr"><is><t>own</t></is></c></row>' +
          '<row><c r="A2"><v>1.5</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="str"><f>A1</f><v>formula</v></c></row>',
        Second: "<row><c><v>7</v></c></row>",
      },
      ["zero", "one"],
    ),
    textOf("First", "one\town", "1.5\tTRUE\tformula", "", "Second", "7"),
  ],
  [
    "gaps, and what would be a line or a cell of its own",
    "xlsx",
    xlsx({ S: '<row><c r="B1"><v>2</v></c><c r="E1" t="s"><v>0</v></c></row>' }, ["a\nb\tc"]),
    textOf("S", "\t2\t\t\ta b c"),
  ],
  [
    "days and times",
    "xlsx",
    xlsx({
      S: '<row><c s="1"><v>45321</v></c><c s="2"><v>45321.75</v></c><c s="2"><v>0.5</v></c><c s="1"><v>-1</v></c></row>',
    }),
    textOf("S", "2024-01-30\t2024-01-30T18:00:00\t12:00:00\t-1"),
  ],
  [
    "slides in their order, with notes",
    "pptx",
    pptx([["Title", "point"], ["End"]], "say hello"),
    textOf("Slide 1", "Title", "point", "Notes:", "say hello", "", "Slide 2", "End"),
  ],
  [
    "paragraphs, spaces, tables and notes",
    "odt",
    odt(
      "<text:h>Head</text:h>\n  <text:p>a<text:s text:c='2'/>b<text:tab/>c<text:line-break/>d" +
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>why</text:p></text:note-body></text:note> e</text:p>" +
        "<text:tracked-changes><text:p>no</text:p></text:tracked-changes>" +
        "<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>",
    ),
    textOf("Head", "a  b\tc", "d1 [why] e", "x\ty"),
  ],
  [
    "chapters in the order of reading",
    "epub",
    epub(["<h1>Two</h1><p>b</p>", "<h1>One</h1><p>a &nbsp;&mdash;\n c</p>"]),
    textOf("One", "a \u00a0— c", "", "Two", "b"),
  ],
  [
    "blocks, rows and lines",
    "html",
    utf8(
      "<title>T</title><h1>Head</h1>one <b>t</b>wo<br>three<ul><li>x<li>y</ul>" +
        "<table><tr><td>1<td>2 <p>3</p><tr><th>h</th><td></td><td>q</td></tr></table><pre>a\n  b</pre>",
    ),
    textOf("T", "Head", "one two", "three", "x", "y", "1\t2 3", "h\t\tq", "a", "  b"),
  ],
  [
    "no scripts, styles and templates, and entities",
    "html",
    utf8(
      "<script>no</script><style>no</style><template><p>no</p></template>&lt;yes&gt; &eacute;&#x1F600;&amp;",
    ),
    textOf("<yes> é\u{1F600}&"),
  ],
  [
    "a declared encoding",
    "html",
    new Uint8Array([...utf8('<meta charset="shift_jis">'), 0x93, 0xfa, 0x96, 0x7b]),
    textOf("日本"),
  ],
  ["Latin-1", "html", new Uint8Array([...utf8("<p>caf"), 0xe9]), textOf("café")],
  ["pages", "pdf", pdf([pdfLines("Hello", "PDF"), pdfLines("Second")]), "Hello\nPDF\n\fSecond\n"],
  ["pages without text", "pdf", pdf(["0 0 1 rg", "0 0 m"]), ""],
])("the text of %s (%s)", async (_, format, document, text) => {
  expect(await extractText(format, document)).toEqual({ kind: "text", text, isCut: false });
});

test.each<[name: string, format: DocumentFormat, document: Uint8Array, text: string]>([
  ["a PDF", "docx", pdf([pdfLines("text")]), "text\n"],
  ["a spreadsheet", "docx", xlsx({ text: "" }), "text\n"],
  ["a Word document", "pptx", docx(wordParagraph("text")), "text\n"],
  ["a presentation", "xlsx", pptx([["text"]], ""), "Slide 1\ntext\n"],
  ["a book", "odt", epub(["<p>text</p>"]), "text\n"],
  ["an OpenDocument text", "pdf", odt("<text:p>text</text:p>"), "text\n"],
])("%s is read as what it is, though its type says %s", async (_, format, document, text) => {
  expect(await extractText(format, document)).toEqual({ kind: "text", text, isCut: false });
});
