import { setPriority } from "node:os";
import { type DocumentFormat, type Extraction, EXTRACTION_LIMITS } from "../domain/contents/extraction.ts";
import type { ExtractionRequest } from "./extraction-worker.ts";

/** How often time and memory are looked at, in milliseconds. */
const WATCH_MS = 20;
/** Lower than that of the server. */
const PRIORITY = 5;

/**
 * Reads a document in a thread of this process, which must be there for it alone: the thread of a document that takes
 * too much time or memory cannot be ended, except with the process.
 */
export async function runExtraction(format: DocumentFormat, bytes: Uint8Array<ArrayBuffer>) {
  await giveWay();
  const { promise, resolve } = Promise.withResolvers<Extraction>();
  const refuse = (why: "damaged" | "time" | "memory") => resolve({ kind: "refused", why });
  const worker = new Worker(new URL("./extraction-worker.ts", import.meta.url).href, { smol: true });
  worker.addEventListener("message", ({ data }: MessageEvent<Extraction>) => resolve(data));
  worker.addEventListener("error", () => refuse("damaged"));
  worker.addEventListener("close", () => refuse("damaged"));
  const endsAt = performance.now() + EXTRACTION_LIMITS.ms;
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > EXTRACTION_LIMITS.memory) refuse("memory");
    else if (performance.now() > endsAt) refuse("time");
  }, WATCH_MS);
  worker.postMessage({ format, bytes } satisfies ExtractionRequest, [bytes.buffer]);
  try {
    return await promise;
  } finally {
    clearInterval(watch);
  }
}

/** Lets the server and others go first, and end last if the machine runs out of memory. */
async function giveWay(): Promise<void> {
  try {
    setPriority(PRIORITY);
    await Bun.write("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not Linux, or not allowed: the limits hold all the same.
  }
}
