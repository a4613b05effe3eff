import type { BlobStore } from "../../blobs/blob-store.ts";
import type { BlobFacts } from "../../blobs/blob-file.ts";
import { SEARCHED_BYTES, searchedText } from "../../domain/search/slices.ts";

/**
 * The searched text of a blob; null if it is not text. Rejects if it cannot be read, or is damaged.
 *
 * @param most how many of its first bytes are enough
 */
export async function readSearchedText(blobs: BlobStore, content: BlobFacts, most = SEARCHED_BYTES) {
  const beginning = await blobs.readBeginning(content, Math.min(SEARCHED_BYTES, most));
  return searchedText(beginning, beginning.length < content.size);
}
