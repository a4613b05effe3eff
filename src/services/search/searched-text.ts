import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Content } from "../../blobs/content-file.ts";
import { SEARCHED_BYTES, searchedText } from "../../domain/search/text.ts";

/** What is searched of a content; null for what is no text. Rejects when it cannot be read, or is damaged. */
export async function readSearchedText(blobs: BlobStore, content: Content): Promise<string | null> {
  const beginning = await blobs.read(content, { start: 0, end: Math.min(content.size, SEARCHED_BYTES) });
  return searchedText(await beginning.bytes());
}
