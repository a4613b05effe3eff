import { type DocumentFormat, type Extraction, EXTRACTION_LIMITS } from "../domain/contents/extraction.ts";
import { withinBounds } from "../process/own-process.ts";
import type { ExtractionRequest } from "./extraction-worker.ts";

/**
 * Reads a document in a thread of this process, which must be there for it alone: the thread of a document that takes
 * too much time or memory cannot be ended, except with the process.
 */
export async function runExtraction(
  format: DocumentFormat,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Extraction> {
  const { promise, resolve } = Promise.withResolvers<Extraction>();
  const fail = () => resolve({ kind: "refused", why: "damaged" });
  const worker = new Worker(new URL("./extraction-worker.ts", import.meta.url).href, { smol: true });
  worker.addEventListener("message", ({ data }: MessageEvent<Extraction>) => resolve(data));
  worker.addEventListener("error", fail);
  worker.addEventListener("close", fail);
  worker.postMessage({ format, bytes } satisfies ExtractionRequest, [bytes.buffer]);
  const done = await withinBounds(EXTRACTION_LIMITS, promise);
  return typeof done === "string" ? { kind: "refused", why: done } : done;
}
