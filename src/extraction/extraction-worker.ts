import type { DocumentFormat, Extraction } from "../domain/contents/extraction.ts";
import { extractText } from "./extract-text.ts";

// The entry point of the thread that reads a document, in a process that is there for it alone.

declare const self: Worker;

/** The one message to the thread, which answers with an `Extraction`. */
export interface ExtractionRequest {
  readonly format: DocumentFormat;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

self.addEventListener("message", ({ data: { format, bytes } }: MessageEvent<ExtractionRequest>) => {
  void extractText(format, bytes).then((extraction: Extraction) => self.postMessage(extraction, []));
});
