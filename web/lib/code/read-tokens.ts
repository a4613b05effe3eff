import { askWorker, CODE_WORKER } from "../browser/own-worker.ts";
import type { CodeText, CodeTokens } from "./tokens.ts";

/**
 * Finds the tokens of texts; of those that are not done in time, none. The grammars are made of regular expressions,
 * some of which can be kept busy. 256 KiB take 300 to 700 ms here.
 */
export async function readTokens(
  texts: readonly CodeText[],
  signal: AbortSignal,
): Promise<readonly CodeTokens[]> {
  if (texts.length === 0) return [];
  return askWorker<CodeTokens>(CODE_WORKER, texts, { expected: texts.length, signal });
}
