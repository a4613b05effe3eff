import { type DocumentFormat, type Extraction, EXTRACTION_LIMITS, Refused } from "../domain/extraction.ts";
import { readDocx } from "./docx.ts";
import { readEpub } from "./epub.ts";
import { readHtml } from "./html.ts";
import { readOdt } from "./odt.ts";
import { readPptx } from "./pptx.ts";
import { Enough, TextSink } from "./text-sink.ts";
import { readXlsx } from "./xlsx.ts";
import { ZipArchive } from "./zip-archive.ts";

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
    // Whatever else a parser throws, it is about the document.
    if (!(error instanceof Enough)) return { kind: "refused", why: "damaged" };
  }
  return { kind: "text", text: sink.toString(), isCut: sink.isCut };
}

async function read(format: DocumentFormat, bytes: Uint8Array, sink: TextSink): Promise<void> {
  switch (format) {
    case "pdf": {
      // Its library takes a while to load.
      const { readPdf } = await import("./pdf.ts");
      return readPdf(bytes, sink);
    }
    case "html":
      return readHtml(bytes, sink);
    case "docx":
      return readDocx(archiveOf(bytes), sink);
    case "xlsx":
      return readXlsx(archiveOf(bytes), sink);
    case "pptx":
      return readPptx(archiveOf(bytes), sink);
    case "odt":
      return readOdt(archiveOf(bytes), sink);
    case "epub":
      return readEpub(archiveOf(bytes), sink);
  }
}

function archiveOf(bytes: Uint8Array): ZipArchive {
  if (beginsWith(bytes, OLE)) throw new Refused("encrypted");
  if (!beginsWith(bytes, ZIP)) throw new Refused("mismatch");
  return new ZipArchive(bytes);
}

function beginsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}
