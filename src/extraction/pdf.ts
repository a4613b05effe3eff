import { getDocument, type PDFDocumentProxy } from "unpdf/pdfjs";
import { EXTRACTION_LIMITS, Refused } from "../domain/contents/extraction.ts";
import type { TextSink } from "./text-sink.ts";

/** Text of a PDF, page by page. Throws Refused. */
export async function readPdf(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const document = await opened(bytes);
  const { numPages: pages } = document;
  if (pages > EXTRACTION_LIMITS.pages) throw new Refused("size");
  let isRead = false;
  for (let number = 1; number <= pages; number += 1) {
    if (number > 1) sink.endPage();
    isRead = (await readPage(document, number, sink)) || isRead;
  }
  if (!isRead) throw new Refused("damaged");
}

async function opened(data: Uint8Array): Promise<PDFDocumentProxy> {
  try {
    return await getDocument({
      data,
      // Nothing is loaded from elsewhere, and nothing is drawn.
      useWorkerFetch: false,
      useSystemFonts: false,
      disableFontFace: true,
      useWasm: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      // Only errors.
      verbosity: 0,
    }).promise;
  } catch (error) {
    throw new Refused(error instanceof Error && error.name === "PasswordException" ? "encrypted" : "damaged");
  }
}

/** Returns whether the page could be read: one that is damaged does not take the others with it. */
async function readPage(document: PDFDocumentProxy, number: number, sink: TextSink): Promise<boolean> {
  sink.check();
  let content;
  try {
    const page = await document.getPage(number);
    content = await page.getTextContent();
    page.cleanup();
  } catch {
    return false;
  }
  for (const item of content.items) {
    if (!("str" in item)) continue;
    sink.text(item.str);
    if (item.hasEOL) sink.endLine();
  }
  sink.endText();
  return true;
}
