import { MARKDOWN_WORKER, startWorker } from "../browser/own-worker.ts";
import { recordsWithFoundLetters } from "../contents/missing-letters.ts";
import type { Block } from "./document.ts";

/** Longer documents are shown as their source: a browser would take seconds to lay them out. */
const MOST_CHARACTERS = 256 * 1024;
/** In ms. Ordinary documents of the most characters take 50 to 700 here; a telephone may need four times as long. */
const MOST_TIME = 3000;

/**
 * Reads a Markdown document; null for one that is too long or too complex to be shown formatted.
 *
 * Documents are hostile, and of a few kilobytes one can be made that the lexer, which is made of regular
 * expressions, reads for minutes. So a worker reads it, the page goes on meanwhile, and a worker that takes too
 * long is ended. No page loads the lexer that shows no Markdown.
 */
export function formatMarkdown(text: string, signal: AbortSignal): Promise<readonly Block[] | null> {
  if (text.length > MOST_CHARACTERS) return Promise.resolve(null);
  return new Promise((resolve) => {
    const worker = startWorker(MARKDOWN_WORKER);
    const end = (blocks: readonly Block[] | null) => {
      clearTimeout(timer);
      worker.terminate();
      // Here once more: characters may have been written as their numbers.
      resolve(recordsWithFoundLetters(blocks));
    };
    const timer = setTimeout(end, MOST_TIME, null);
    worker.addEventListener("message", ({ data }: MessageEvent<readonly Block[] | null>) => end(data));
    // Where the document is so nested that the worker's stack is full, or the worker is not to be had.
    worker.addEventListener("error", () => end(null));
    signal.addEventListener("abort", () => end(null));
    worker.postMessage(text, []);
  });
}
