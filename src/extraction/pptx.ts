import { mainPart, type Relationship, relationshipsOf } from "./package-parts.ts";
import type { TextSink } from "./text-sink.ts";
import { prefixed, readXml } from "./xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Text of a presentation: slides in their order, each under its number, with the speaker's notes. */
export function readPptx(archive: ZipArchive, sink: TextSink): void {
  const main = mainPart(archive);
  const parts = relationshipsOf(archive, main);
  for (const [at, slide] of slidesOf(archive, main, parts).entries()) {
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

function slidesOf(archive: ZipArchive, main: string, parts: ReadonlyMap<string, Relationship>): string[] {
  const slides: string[] = [];
  readXml(archive.pieces(main), {
    open: (name, attributes) => {
      if (name !== "sldId") return;
      const part = parts.get(prefixed(attributes, "id") ?? "");
      if (part?.type === "slide") slides.push(part.target);
    },
  });
  return slides;
}

/** @param heading a line before the first text */
function readSlide(archive: ZipArchive, part: string, sink: TextSink, heading: string | null = null): void {
  let isBegun = heading === null;
  // Fields repeat what is not of this slide, such as its number and the date.
  let [isText, ignored] = [false, 0];
  readXml(archive.pieces(part), {
    open: (name) => {
      if (name === "fld" || name === "Fallback") ignored += 1;
      if (name === "t") isText = true;
      if (name === "br") sink.endLine();
      if (name === "tc") sink.openInline();
    },
    close: (name) => {
      if (name === "fld" || name === "Fallback") ignored -= 1;
      if (name === "t") isText = false;
      if (name === "p") sink.endText();
      if (name === "tr") sink.endLine();
      if (name === "tc") sink.closeCell();
    },
    text: (text) => {
      if (!isText || ignored > 0) return;
      if (!isBegun) {
        sink.text(heading ?? "");
        sink.endLine();
      }
      isBegun = true;
      sink.text(text);
    },
  });
}
