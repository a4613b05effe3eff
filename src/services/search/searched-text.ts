import type { BlobStore } from "../../blobs/blob-store.ts";
import type { BlobFacts } from "../../blobs/blob-file.ts";
import { SEARCHED_BYTES, searchedText } from "../../domain/search/slices.ts";

/** The searched text of a blob; null if it is none. Rejects if it is unreadable. @param most bytes that are enough */
export async function readSearchedText(blobs: BlobStore, content: BlobFacts, most = SEARCHED_BYTES) {
  const beginning = await blobs.readBeginning(content, Math.min(SEARCHED_BYTES, most));
  return searchedText(beginning, beginning.length < content.size);
}
