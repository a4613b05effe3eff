import { describe, expect, test } from "bun:test";
import type { DocumentFormat, Refusal } from "../../src/domain/contents/extraction.ts";
import { EXTRACTION_LIMITS, Refused } from "../../src/domain/contents/extraction.ts";
import { extractText } from "../../src/extraction/extract-text.ts";
import { ZipArchive } from "../../src/extraction/zip-archive.ts";
import {
  archive,
  docx,
  epub,
  longSheet,
  pdf,
  pdfLines,
  pdfOf,
  relationships,
  wordParagraph,
  xlsx,
} from "../support/samples/documents.ts";

const MIB = 1024 * 1024;
const whole = docx(wordParagraph("text"));
const mainPart = relationships(["r1", "officeDocument", "word/document.xml"]);

/** A Word document whose text is this, packed. */
function wordOf(document: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return archive({ "_rels/.rels": mainPart, "word/document.xml": document });
}

/** Entities that stand for more and more of the ones before. */
function laughs(): string {
  const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
  return `<!DOCTYPE d [<!ENTITY l0 "lol">${entities.join("")}]><d><p><t>&l9;</t></p></d>`;
}

/** A copy with some bytes replaced. */
function changed(bytes: Uint8Array, at: number, ...by: readonly number[]): Uint8Array {
  const copy = new Uint8Array(bytes);
  copy.set(by, at);
  return copy;
}

/** Where the directory of an archive starts. */
function directoryOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer).getUint32(bytes.length - 6, true);
}

/** An archive of one part as one of many, each of the same bytes. */
function overlapping(single: Uint8Array, count: number, name?: string): Uint8Array {
  const start = directoryOf(single);
  const header = single.subarray(start, start + 46);
  const end = new Uint8Array(single.subarray(single.length - 22));
  const entries = Array.from({ length: count }, (_, at) => {
    const written = new TextEncoder().encode(name ?? `part ${at}`);
    return new Uint8Array([...changed(header, 28, written.length, 0), ...written]);
  });
  new DataView(end.buffer).setUint16(10, count, true);
  return Buffer.concat([single.subarray(0, start), ...entries, end]);
}

const refused: readonly [name: string, format: DocumentFormat, document: Uint8Array, why: Refusal][] = [
  ["no archive", "docx", new TextEncoder().encode("hello"), "mismatch"],
  ["empty", "xlsx", new Uint8Array(), "mismatch"],
  ["an archive of something else", "docx", archive({ "a.txt": "a" }), "mismatch"],
  ["no PDF", "pdf", new TextEncoder().encode("x"), "mismatch"],
  ["an office document of old", "docx", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0, 0]), "encrypted"],
  ["cut in the middle", "docx", whole.subarray(0, whole.length / 2), "damaged"],
  ["a main part that is not there", "docx", archive({ "_rels/.rels": mainPart }), "mismatch"],
  ["XML that is not closed", "docx", wordOf("<d><p>"), "damaged"],
  ["entities that grow", "docx", wordOf(laughs()), "damaged"],
  [
    "an entity of a file",
    "docx",
    wordOf('<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d><t>&x;</t></d>'),
    "damaged",
  ],
  ["nested deeply", "docx", wordOf("<a>".repeat(100_000)), "damaged"],
  ["an encrypted part", "docx", changed(whole, directoryOf(whole) + 8, 1), "encrypted"],
  ["a part of a gibibyte", "docx", changed(whole, directoryOf(whole) + 24, 0, 0, 0, 0x40), "size"],
  ["an unknown method", "docx", changed(whole, directoryOf(whole) + 10, 99), "damaged"],
  [
    "a part beyond the end",
    "docx",
    changed(whole, directoryOf(whole) + 42, 0xff, 0xff, 0xff, 0x7f),
    "damaged",
  ],
  ["a directory beyond the end", "docx", changed(whole, whole.length - 6, 0xff, 0xff, 0xff, 0x7f), "damaged"],
  [
    "a book without its list",
    "epub",
    archive({ "META-INF/container.xml": '<c><rootfile full-path="x"/></c>' }),
    "damaged",
  ],
  ["too many pages", "pdf", pdf(Array<string>(EXTRACTION_LIMITS.pages + 1).fill("")), "size"],
  ["a million columns", "xlsx", xlsx({ S: '<row><c r="ZZZZ1"><v>1</v></c></row>' }), "damaged"],
];

describe("is refused:", () => {
  test.each(refused)("%s (%s)", async (_, format, document, why) => {
    expect(await extractText(format, document)).toEqual({ kind: "refused", why });
  });

  test("parts that unpack to more than is allowed, and are the same bytes", () => {
    const bomb = overlapping(archive({ a: new Uint8Array(MIB) }), 100);
    const parts = new ZipArchive(bomb, 10 * MIB);
    const unpack = (name: string) => [...parts.pieces(name)].reduce((sum, { length }) => sum + length, 0);
    for (let at = 0; at < 10; at += 1) expect(unpack(`part ${at}`)).toBe(MIB);
    expect(() => unpack("part 10")).toThrow(new Refused("size"));
  });

  test("two parts of one name", () => {
    expect(() => new ZipArchive(overlapping(archive({ a: "a" }), 2, "same"))).toThrow(new Refused("damaged"));
  });
});

describe("is cut:", () => {
  test("more text than is allowed: cells far apart, again and again", async () => {
    const extraction = await extractText("xlsx", longSheet());
    if (extraction.kind !== "text") throw new Error(extraction.why);
    expect([extraction.isCut, extraction.text.length]).toEqual([true, EXTRACTION_LIMITS.units]);
  });
});

describe("is read all the same:", () => {
  test("a page that is damaged, beside others", async () => {
    const document = Buffer.from(pdf([pdfLines("one"), pdfLines("two")])).toString("latin1");
    const broken = document.replace("/Parent 2 0 R/MediaBox[0 0 600 800]", "/Parent 2 0 R/Type/None        ");
    const extraction = await extractText("pdf", new Uint8Array(Buffer.from(broken, "latin1")));
    expect(extraction).toMatchObject({ kind: "text", text: expect.stringContaining("two") });
  });

  test("a PDF of pages that are their own parents", async () => {
    const pages = "2 0 obj <</Type/Pages/Kids[2 0 R]/Count 5>> endobj";
    const document = pdfOf(["1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj", pages]);
    expect(await extractText("pdf", document)).toMatchObject({ text: "" });
  });

  test("a chapter that the list names a thousand times, once", async () => {
    const book = epub(["<p>again</p>"]);
    expect(await extractText("epub", book)).toEqual({ kind: "text", text: "again\n", isCut: false });
  });

  test.each(["<a>", "<div>", "<table><tr><td>", "&lt;", "<script>", "<!--", "<"])(
    "%s, over and over",
    async (tag) => {
      const extraction = await extractText("html", new TextEncoder().encode(tag.repeat(20_000)));
      expect(extraction.kind).toBe("text");
    },
  );
});
