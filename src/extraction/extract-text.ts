import type { DocumentFormat, Extraction } from "../domain/contents/extraction.ts";
import { EXTRACTION_LIMITS, Refused } from "../domain/contents/extraction.ts";
import { mainPart, ODT_PART, readDocx, readOdt, readPptx } from "./office.ts";
import { BOOK_PART, readEpub } from "./epub.ts";
import { readHtml } from "./html.ts";
import { Enough, TextSink } from "./text-sink.ts";
import { readXlsx } from "./xlsx.ts";
import { ZipArchive } from "./zip-archive.ts";

const PDF_HEAD_BYTES = 1024;
/** What begins a ZIP archive: a local file header (APPNOTE.TXT, 4.3.7). */
const ZIP = [0x50, 0x4b, 0x03, 0x04];
/** What begins an OLE compound file: an older office document, or one with a password. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0];

/** The text of a document. Its memory and time are limited by whoever runs this. */
export async function extractText(format: DocumentFormat, bytes: Uint8Array): Promise<Extraction> {
  const { units, readMs } = EXTRACTION_LIMITS;
  const sink = new TextSink({ units, endsAt: performance.now() + readMs });
  try {
    await read(format, bytes, sink);
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused", why: error.why };
    if (error instanceof RangeError && /out of memory/i.test(error.message)) {
      return { kind: "refused", why: "memory" };
    }
    // Whatever else a parser throws, it is about the document.
    if (!(error instanceof Enough)) return { kind: "refused", why: "damaged" };
  }
  return { kind: "text", text: sink.toString(), isCut: sink.isCut };
}

/** Goes by the content: the type may follow from a wrong name. */
async function read(format: DocumentFormat, bytes: Uint8Array, sink: TextSink): Promise<void> {
  if (format === "html") return readHtml(bytes, sink);
  if (beginsWith(bytes, ZIP)) {
    const archive = new ZipArchive(bytes);
    return readerOf(archive)(archive, sink);
  }
  if (beginsWith(bytes, OLE)) throw new Refused("encrypted");
  // Readers accept its mark anywhere in the first bytes.
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PDF_HEAD_BYTES));
  if (!head.includes("%PDF-")) throw new Refused("mismatch");
  // Its library takes a while to load.
  const { readPdf } = await import("./pdf.ts");
  return readPdf(bytes, sink);
}

/** Throws Refused for an archive that is no document. */
function readerOf(archive: ZipArchive): (archive: ZipArchive, sink: TextSink) => void {
  if (archive.has(BOOK_PART)) return readEpub;
  if (archive.has(ODT_PART)) return readOdt;
  const main = mainPart(archive);
  if (main.startsWith("xl/")) return readXlsx;
  return main.startsWith("ppt/") ? readPptx : readDocx;
}

function beginsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}
