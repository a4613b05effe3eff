import { MARKDOWN_WORKER, startWorker } from "../browser/own-worker.ts";
import { shownData } from "../contents/shown-text.ts";
import type { Block, DocumentSource } from "./document.ts";

/** Longer documents are shown as their source: a browser would take seconds to lay them out. */
const MOST_CHARACTERS: Readonly<Record<DocumentSource["format"], number>> = {
  markdown: 256 * 1024,
  // Most of it are pictures.
  notebook: 8 * 1024 * 1024,
};
/** In ms. Ordinary documents of the most characters take 50 to 700 here; a telephone may need four times as long. */
const MOST_TIME = 3000;

/**
 * Reads a Markdown document or a notebook; null for one that is too long or too complex to be shown formatted.
 *
 * Documents are hostile, and of a few kilobytes one can be made that the lexer, which is made of regular
 * expressions, reads for minutes. So a worker reads it, the page goes on meanwhile, and a worker that takes too
 * long is ended. No page loads the lexer that shows no Markdown.
 */
export function formatDocument(
  source: DocumentSource,
  signal: AbortSignal,
): Promise<readonly Block[] | null> {
  if (source.text.length > MOST_CHARACTERS[source.format]) return Promise.resolve(null);
  return new Promise((resolve) => {
    const worker = startWorker(MARKDOWN_WORKER);
    const end = (blocks: readonly Block[] | null) => {
      clearTimeout(timer);
      worker.terminate();
      resolve(shownData(blocks));
    };
    const timer = setTimeout(end, MOST_TIME, null);
    worker.addEventListener("message", ({ data }: MessageEvent<readonly Block[] | null>) => end(data));
    // Where the document is so nested that the worker's stack is full, or the worker is not to be had.
    worker.addEventListener("error", () => end(null));
    signal.addEventListener("abort", () => end(null));
    worker.postMessage(source, []);
  });
}
