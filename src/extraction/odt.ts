import type { TextSink } from "./text-sink.ts";
import { type Attributes, prefixed, readXml } from "./xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** The part with the text. */
export const ODT_PART = "content.xml";
/** What is no text of the document: deleted text, and the authors and dates of comments. */
const IGNORED: ReadonlySet<string> = new Set(["tracked-changes", "creator", "date", "sequence-decls"]);
/** The most spaces that one element stands for. */
const SPACES = 1000;

/** Text of an OpenDocument text: paragraphs, tables, and notes where they are referred to. */
export function readOdt(archive: ZipArchive, sink: TextSink): void {
  let [paragraphs, ignored] = [0, 0];
  readXml(archive.pieces(ODT_PART), {
    open: (name, attributes) => {
      if (IGNORED.has(name)) ignored += 1;
      if (ignored > 0) return;
      if (name === "p" || name === "h") paragraphs += 1;
      if (name === "note-body" || name === "annotation") {
        sink.words(" [");
        // Its paragraphs do not end that of the text.
        sink.openInline();
      }
      const mark = markOf(name, attributes);
      if (mark !== null) sink.text(mark);
      if (name === "line-break") sink.endLine();
      if (name === "table-cell") sink.openInline();
    },
    close: (name) => {
      if (IGNORED.has(name)) ignored -= 1;
      if (ignored > 0) return;
      if (name === "note-body" || name === "annotation") {
        sink.closeInline();
        sink.text("]");
      }
      if (name === "p" || name === "h") {
        paragraphs -= 1;
        sink.endLine();
      }
      if (name === "table-row") sink.endLine();
      if (name === "table-cell") sink.closeCell();
    },
    text: (text) => {
      if (paragraphs > 0 && ignored === 0) sink.words(text);
    },
  });
}

/** The text that an element stands for; null for others. */
function markOf(name: string, attributes: Attributes): string | null {
  if (name === "tab") return "\t";
  if (name !== "s") return null;
  return " ".repeat(Math.min(Math.max(Number(prefixed(attributes, "c") ?? 1) || 1, 1), SPACES));
}
