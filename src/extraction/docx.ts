import { mainPart, relationshipsOf } from "./package-parts.ts";
import type { TextSink } from "./text-sink.ts";
import { readXml } from "./xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

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
