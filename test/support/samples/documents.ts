import { strToU8, type Zippable, zipSync } from "fflate";

// Small documents of every format whose text is extracted, made here.

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A ZIP archive of these parts. */
export function archive(parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array<ArrayBuffer> {
  const files: Zippable = {};
  for (const [name, content] of Object.entries(parts)) {
    files[name] = typeof content === "string" ? strToU8(content) : content;
  }
  return new Uint8Array(zipSync(files));
}

/** A part that lists other parts: `[id, type, target]`. */
export function relationships(...parts: readonly (readonly [string, string, string])[]): string {
  const elements = parts.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${elements.join("")}</Relationships>`;
}

/** A Word document with this body; footnotes if given. */
export function docx(body: string, footnotes?: string): Uint8Array<ArrayBuffer> {
  const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  return archive({
    "_rels/.rels": relationships(["r1", "officeDocument", "word/document.xml"]),
    "word/document.xml": `${XML}<w:document ${word}><w:body>${body}</w:body></w:document>`,
    ...(footnotes !== undefined && {
      "word/_rels/document.xml.rels": relationships(["r1", "footnotes", "footnotes.xml"]),
      "word/footnotes.xml": `${XML}<w:footnotes ${word}><w:footnote>${footnotes}</w:footnote></w:footnotes>`,
    }),
  });
}

/** A paragraph of Word. */
export function wordParagraph(...runs: readonly string[]): string {
  return `<w:p>${runs.map((text) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`).join("")}</w:p>`;
}

/** A spreadsheet: the rows of each sheet as XML, by its name; and the strings that all share. */
export function xlsx(
  sheets: Readonly<Record<string, string>>,
  strings: readonly string[] = [],
): Uint8Array<ArrayBuffer> {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const names = Object.keys(sheets);
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}"/>`).join("");
  return archive({
    "_rels/.rels": relationships(["r1", "officeDocument", "xl/workbook.xml"]),
    "xl/workbook.xml": `${XML}<workbook ${main} xmlns:r="${RELATIONSHIPS}"><sheets>${list}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships(
      ["strings", "sharedStrings", "/xl/sharedStrings.xml"],
      ["styles", "styles", "styles.xml"],
      ...names.map((_, at) => [`s${at}`, "worksheet", `worksheets/sheet${at}.xml`] as const),
    ),
    "xl/sharedStrings.xml": `${XML}<sst ${main}>${strings.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
    "xl/styles.xml": `${XML}<styleSheet ${main}><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [
        `xl/worksheets/sheet${at}.xml`,
        `${XML}<worksheet ${main}><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}

/** A small spreadsheet whose text is longer than is ever read: most of it is between two cells of each row. */
export function longSheet(): Uint8Array<ArrayBuffer> {
  return xlsx({ S: '<row><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>'.repeat(1000) });
}

/** A presentation with a paragraph for each text of each slide, and notes on the first. */
export function pptx(slides: readonly (readonly string[])[], notes: string): Uint8Array<ArrayBuffer> {
  const names =
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
  const slide = (texts: readonly string[]) =>
    `${XML}<p:sld ${names}><p:cSld><p:txBody>${shape(texts)}<a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p></p:txBody></p:cSld></p:sld>`;
  // The order of the slides is not that of the names of their parts.
  const part = (at: number) => `slides/slide${slides.length - at}.xml`;
  return archive({
    "_rels/.rels": relationships(["r1", "officeDocument", "ppt/presentation.xml"]),
    "ppt/presentation.xml": `${XML}<p:presentation ${names} xmlns:r="${RELATIONSHIPS}"><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="s${at}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(
      ...slides.map((_, at) => [`s${at}`, "slide", part(at)] as const),
    ),
    ...Object.fromEntries(slides.map((texts, at) => [`ppt/${part(at)}`, slide(texts)])),
    [`ppt/slides/_rels/slide${slides.length}.xml.rels`]: relationships([
      "r1",
      "notesSlide",
      "../notesSlides/notesSlide1.xml",
    ]),
    "ppt/notesSlides/notesSlide1.xml": `${XML}<p:notes ${names}>${shape([notes])}</p:notes>`,
  });
}

function shape(texts: readonly string[]): string {
  return texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join("");
}

/** An OpenDocument text with this body. */
export function odt(body: string): Uint8Array<ArrayBuffer> {
  const names = ["office", "text", "table"].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return archive({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `${XML}<office:document-content ${names.join(" ")}><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
  });
}

/** A book with these chapters, as the bodies of XHTML. */
export function epub(chapters: readonly string[]): Uint8Array<ArrayBuffer> {
  const items = chapters.map(
    (_, at) => `<item id="c${at}" href="text/${at}%20x.xhtml" media-type="application/xhtml+xml"/>`,
  );
  // The order of reading is the reverse of the list's.
  const spine = chapters.map((_, at) => `<itemref idref="c${chapters.length - 1 - at}"/>`);
  return archive({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `${XML}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    "OEBPS/book.opf": `${XML}<package xmlns="http://www.idpf.org/2007/opf"><manifest>${items.join("")}</manifest><spine>${spine.join("")}</spine></package>`,
    ...Object.fromEntries(
      chapters
        .toReversed()
        .map((body, at) => [
          `OEBPS/text/${chapters.length - 1 - at} x.xhtml`,
          `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`,
        ]),
    ),
  });
}

/** A PDF with the content streams of these pages, which may use the font `/F`. */
export function pdf(pages: readonly string[]): Uint8Array<ArrayBuffer> {
  const kids = pages.map((_, at) => `${10 + 2 * at} 0 R`).join(" ");
  return pdfOf([
    "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj",
    `2 0 obj <</Type/Pages/Kids[${kids}]/Count ${pages.length}>> endobj`,
    "3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj",
    ...pages.flatMap((content, at) => [
      `${10 + 2 * at} 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents ${11 + 2 * at} 0 R>> endobj`,
      `${11 + 2 * at} 0 obj <</Length ${content.length}>> stream\n${content}\nendstream endobj`,
    ]),
  ]);
}

/** A PDF of these objects, of which number 1 is the root. It has no table of them: readers make one. */
export function pdfOf(objects: readonly string[]): Uint8Array<ArrayBuffer> {
  const text = ["%PDF-1.7", ...objects, "trailer <</Root 1 0 R>>", "%%EOF"].join("\n");
  return new Uint8Array(Buffer.from(text, "latin1"));
}

/** A content stream that shows lines of text. */
export function pdfLines(...lines: readonly string[]): string {
  return `BT /F 12 Tf 14 TL 50 700 Td ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`;
}
