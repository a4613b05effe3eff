import type { Digest } from "../domain/contents/digest.ts";
import type { Content } from "./content-file.ts";

const TOTAL_BYTES = 8 * 1024 * 1024;

/**
 * A cache of the small blobs that were sent last; larger ones need few disk reads for many bytes. A blob never changes
 * under its digest, so the cache is never stale. Bytes are checked before they are added, access before a read.
 *
 * Each is a Blob: the runtime sends its bytes from where they are, but copies an array for each response.
 */
export class RecentContents {
  /** By last use, oldest first. */
  readonly #contents = new Map<Digest, Blob>();
  #bytes = 0;

  get({ digest, size }: Content): Blob | undefined {
    const content = this.#contents.get(digest);
    if (content?.size !== size) return undefined;
    this.#contents.delete(digest);
    this.#contents.set(digest, content);
    return content;
  }

  /** Adds the bytes of a blob, and returns it. */
  add(digest: Digest, bytes: Uint8Array<ArrayBuffer>): Blob {
    const content = new Blob([bytes]);
    this.#bytes += content.size - (this.#contents.get(digest)?.size ?? 0);
    this.#contents.delete(digest);
    this.#contents.set(digest, content);
    for (const [oldest, { size }] of this.#contents) {
      if (this.#bytes <= TOTAL_BYTES) break;
      this.#contents.delete(oldest);
      this.#bytes -= size;
    }
    return content;
  }
}
