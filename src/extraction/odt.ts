import type { TextSink } from "./text-sink.ts";
import { prefixed, readXml } from "./xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

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
