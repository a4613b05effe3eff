import { CODE_WORKER, startWorker } from "../browser/own-worker.ts";
import type { CodeText, CodeTokens } from "./tokens.ts";

/** In ms, for all texts together. 256 KiB take 300 to 700 here; a telephone may need four times as long. */
const MOST_TIME = 3000;

/**
 * Finds the tokens of texts; of those that are not done in time, none.
 *
 * Texts are hostile: the grammars are made of regular expressions, some of which can be kept busy. So a worker reads
 * them, the page goes on meanwhile, and a worker that takes too long is ended.
 */
export function readTokens(texts: readonly CodeText[], signal: AbortSignal): Promise<readonly CodeTokens[]> {
  if (texts.length === 0) return Promise.resolve([]);
  return new Promise((resolve) => {
    const worker = startWorker(CODE_WORKER);
    const found: CodeTokens[] = [];
    const end = () => {
      clearTimeout(timer);
      worker.terminate();
      resolve(found);
    };
    const timer = setTimeout(end, MOST_TIME);
    worker.addEventListener("message", ({ data }: MessageEvent<CodeTokens>) => {
      found.push(data);
      if (found.length === texts.length) end();
    });
    worker.addEventListener("error", end);
    signal.addEventListener("abort", end);
    worker.postMessage(texts, []);
  });
}
