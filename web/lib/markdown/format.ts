import { askWorker, MARKDOWN_WORKER } from "../browser/own-worker.ts";
import { shownData } from "../contents/shown-text.ts";
import type { Block, DocumentSource } from "./document.ts";

/** Longer documents are shown as their source: a browser would take seconds to lay them out. */
const MOST_CHARACTERS: Readonly<Record<DocumentSource["format"], number>> = {
  markdown: 256 * 1024,
  // Most of it are pictures.
  notebook: 8 * 1024 * 1024,
};

/**
 * Reads a Markdown document or a notebook; null for one that is too long or too complex to be shown formatted.
 *
 * Of a few kilobytes a document can be made that the lexer, which is made of regular expressions, reads for minutes.
 * Ordinary ones of the most characters take 50 to 700 ms here. No page loads the lexer that shows no Markdown.
 */
export async function formatDocument(
  source: DocumentSource,
  signal: AbortSignal,
): Promise<readonly Block[] | null> {
  if (source.text.length > MOST_CHARACTERS[source.format]) return null;
  const asked = { expected: 1, signal };
  const [blocks = null] = await askWorker<readonly Block[] | null>(MARKDOWN_WORKER, source, asked);
  return shownData(blocks);
}
