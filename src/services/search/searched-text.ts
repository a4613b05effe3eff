import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Content } from "../../blobs/content-file.ts";
import { SEARCHED_BYTES, searchedText } from "../../domain/search/text.ts";

/** The searched text of a content; null if it is not text. Rejects if it cannot be read, or is damaged. */
export async function readSearchedText(blobs: BlobStore, content: Content): Promise<string | null> {
  const beginning = await blobs.read(content, { start: 0, end: Math.min(content.size, SEARCHED_BYTES) });
  return searchedText(await beginning.bytes());
}
