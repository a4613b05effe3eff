import { Refused } from "../domain/contents/extraction.ts";
import type { ZipArchive } from "./zip-archive.ts";
import { type Attributes, prefixed, readXml } from "./xml.ts";
import type { TextSink } from "./text-sink.ts";

/** A part that another part refers to (ECMA-376, part 2, section 6.5). */
interface Relationship {
  /** The last segment of its type: `slide`. */
  readonly type: string;
  /** The name of the part. */
  readonly target: string;
}

/** The relationships of a part by their ids; of the whole package for an empty name. */
export function relationshipsOf(archive: ZipArchive, part: string): Map<string, Relationship> {
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const found = new Map<string, Relationship>();
  const file = `${folder}_rels/${part.slice(folder.length)}.rels`;
  if (!archive.has(file)) return found;
  readXml(archive.pieces(file), {
    open: {
      Relationship: ({ Id: id, Type: type = "", Target: target, TargetMode: mode }) => {
        if (id === undefined || target === undefined || mode === "External") return;
        found.set(id, { type: type.slice(type.lastIndexOf("/") + 1), target: resolvePart(folder, target) });
      },
    },
  });
  return found;
}

/** Where all programs put the main part. */
const USUAL_MAIN_PARTS = ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"];

/** The main part of a package. Throws Refused if it has none. */
export function mainPart(archive: ZipArchive): string {
  const named = [...relationshipsOf(archive, "").values()].find(({ type }) => type === "officeDocument");
  // Documents that are made by hand lack the list of relationships: other readers do without it.
  const main = archive.has("_rels/.rels")
    ? named?.target
    : USUAL_MAIN_PARTS.find((part) => archive.has(part));
  if (main === undefined || !archive.has(main)) throw new Refused("mismatch");
  return main;
}

/** The parts of a type that elements of the main part name, in their order, with the attributes of these. */
export function listedParts(archive: ZipArchive, element: string, type: string) {
  const main = mainPart(archive);
  const parts = relationshipsOf(archive, main);
  const listed: { readonly target: string; readonly attributes: Attributes }[] = [];
  readXml(archive.pieces(main), {
    open: {
      [element]: (attributes) => {
        const part = parts.get(prefixed(attributes, "id") ?? "");
        if (part?.type === type) listed.push({ target: part.target, attributes });
      },
    },
  });
  return listed;
}

/** The name of the part that a reference in a folder names; both without a leading slash. */
export function resolvePart(folder: string, reference: string): string {
  const path = new URL(reference, `part:///${folder}`).pathname;
  try {
    return decodeURIComponent(path).slice(1);
  } catch {
    return path.slice(1);
  }
}

/** The part with the text. */
export const ODT_PART = "content.xml";
/** What is no text of the document: deleted text, and the authors and dates of comments. */
const IGNORED = ["tracked-changes", "creator", "date", "sequence-decls"];
/** The most spaces that one element stands for. */
const SPACES = 1000;

/** Text of an OpenDocument text: paragraphs, tables, and notes where they are referred to. */
export function readOdt(archive: ZipArchive, sink: TextSink): void {
  const endLine = () => sink.endLine();
  const openNote = () => {
    sink.words(" [");
    // Its paragraphs do not end that of the text.
    sink.openInline();
  };
  const closeNote = () => {
    sink.closeInline();
    sink.text("]");
  };
  readXml(archive.pieces(ODT_PART), {
    ignored: IGNORED,
    texts: ["p", "h"],
    open: {
      "note-body": openNote,
      annotation: openNote,
      tab: () => sink.text("\t"),
      s: (attributes) => {
        const spaces = Number(prefixed(attributes, "c") ?? 1) || 1;
        sink.text(" ".repeat(Math.min(Math.max(spaces, 1), SPACES)));
      },
      "line-break": endLine,
      "table-cell": () => sink.openInline(),
    },
    close: {
      "note-body": closeNote,
      annotation: closeNote,
      p: endLine,
      h: endLine,
      "table-row": endLine,
      "table-cell": () => sink.closeCell(),
    },
    text: (text) => sink.words(text),
  });
}

/** The parts with notes, in their order after the text. */
const NOTES = ["footnotes", "endnotes", "comments"];

/** Text of a Word document: paragraphs and tables, then footnotes, endnotes and comments. */
export function readDocx(archive: ZipArchive, sink: TextSink): void {
  const main = mainPart(archive);
  readWordPart(archive, main, sink);
  const others = [...relationshipsOf(archive, main).values()];
  for (const type of NOTES) {
    for (const { target } of others.filter((other) => other.type === type)) {
      sink.endLine();
      readWordPart(archive, target, sink);
    }
  }
}

/** Reads a part with paragraphs; deleted text and fields' codes are in elements of other names. */
function readWordPart(archive: ZipArchive, part: string, sink: TextSink): void {
  const tab = () => sink.text("\t");
  const endLine = () => sink.endLine();
  readXml(archive.pieces(part), {
    // The same again, for readers that do not know the newer form.
    ignored: ["Fallback"],
    texts: ["t"],
    open: {
      tab,
      ptab: tab,
      br: endLine,
      cr: endLine,
      noBreakHyphen: () => sink.text("-"),
      tc: () => sink.openInline(),
    },
    close: { p: endLine, tr: endLine, tc: () => sink.closeCell() },
    text: (text) => sink.text(text),
  });
}

/** Text of a presentation: slides in their order, each under its number, with the speaker's notes. */
export function readPptx(archive: ZipArchive, sink: TextSink): void {
  for (const [at, { target: slide }] of listedParts(archive, "sldId", "slide").entries()) {
    sink.endLine();
    sink.text(`Slide ${at + 1}`);
    sink.endLine();
    readSlide(archive, slide, sink);
    for (const { type, target } of relationshipsOf(archive, slide).values()) {
      if (type !== "notesSlide" || !archive.has(target)) continue;
      readSlide(archive, target, sink, "Notes:");
    }
  }
}

/** @param heading a line before the first text */
function readSlide(archive: ZipArchive, part: string, sink: TextSink, heading: string | null = null): void {
  let isBegun = heading === null;
  readXml(archive.pieces(part), {
    // Fields repeat what is not of this slide, such as its number and the date.
    ignored: ["fld", "Fallback"],
    texts: ["t"],
    open: { br: () => sink.endLine(), tc: () => sink.openInline() },
    close: { p: () => sink.endText(), tr: () => sink.endLine(), tc: () => sink.closeCell() },
    text: (text) => {
      if (!isBegun) {
        sink.text(heading ?? "");
        sink.endLine();
      }
      isBegun = true;
      sink.text(text);
    },
  });
}
