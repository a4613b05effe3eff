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
    open: {
      sldId: (attributes) => {
        const part = parts.get(prefixed(attributes, "id") ?? "");
        if (part?.type === "slide") slides.push(part.target);
      },
    },
  });
  return slides;
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
