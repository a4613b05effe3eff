import { MIB } from "../domain/limits.ts";
import { Refused } from "../domain/contents/extraction.ts";
import { readXhtml } from "./html.ts";
import { resolvePart } from "./office.ts";
import type { TextSink } from "./text-sink.ts";
import { readXml } from "./xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** The part that every book has. */
export const BOOK_PART = "META-INF/container.xml";
/** Of one chapter. */
const CHAPTER_BYTES = 32 * MIB;

/** Text of a book: its chapters, in the order in which they are read (EPUB 3.3, section 5.7). */
export function readEpub(archive: ZipArchive, sink: TextSink): void {
  const book = packageOf(archive);
  const folder = book.slice(0, book.lastIndexOf("/") + 1);
  const items = new Map<string, string>();
  const spine: string[] = [];
  readXml(archive.pieces(book), {
    open: {
      item: ({ id, href }) => {
        if (id !== undefined && href !== undefined) items.set(id, href);
      },
      itemref: ({ idref }) => {
        if (idref !== undefined) spine.push(idref);
      },
    },
  });
  // A chapter that is named again is not read again.
  for (const id of new Set(spine)) {
    const part = resolvePart(folder, items.get(id) ?? "");
    if (!archive.has(part)) continue;
    sink.endLine();
    readXhtml(archive.text(part, CHAPTER_BYTES), sink);
  }
}

/** The name of the part that lists the others. */
function packageOf(archive: ZipArchive): string {
  let found: string | null = null;
  readXml(archive.pieces(BOOK_PART), {
    open: {
      rootfile: ({ "full-path": path }) => {
        if (path !== undefined) found ??= path;
      },
    },
  });
  if (found === null || !archive.has(found)) throw new Refused("damaged");
  return found;
}
