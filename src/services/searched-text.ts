import type { BlobStore } from "../blobs/blob-store.ts";
import type { Digest } from "../domain/digest.ts";
import { SEARCHED_BYTES, searchedText } from "../domain/search-text.ts";

/** What is searched of a content of `size` bytes; null for what is no text. Rejects when it cannot be read. */
export async function readSearchedText(
  blobs: BlobStore,
  { digest, size }: { readonly digest: Digest; readonly size: number },
): Promise<string | null> {
  const content = await blobs.read(digest, { start: 0, end: Math.min(size, SEARCHED_BYTES) });
  return searchedText(await content.bytes());
}
