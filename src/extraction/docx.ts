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
  let [isText, fallbacks] = [false, 0];
  readXml(archive.pieces(part), {
    open: (name) => {
      // The same again, for readers that do not know the newer form.
      if (name === "Fallback") fallbacks += 1;
      if (fallbacks > 0) return;
      switch (name) {
        case "t":
          isText = true;
          break;
        case "tab":
        case "ptab":
          sink.text("\t");
          break;
        case "br":
        case "cr":
          sink.endLine();
          break;
        case "noBreakHyphen":
          sink.text("-");
          break;
        case "tc":
          sink.openInline();
          break;
      }
    },
    close: (name) => {
      if (name === "Fallback") fallbacks -= 1;
      if (fallbacks > 0) return;
      switch (name) {
        case "t":
          isText = false;
          break;
        case "p":
        case "tr":
          sink.endLine();
          break;
        case "tc":
          sink.closeCell();
          break;
      }
    },
    text: (text) => {
      if (isText && fallbacks === 0) sink.text(text);
    },
  });
}
