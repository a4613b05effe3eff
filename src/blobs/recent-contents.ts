import type { Digest } from "../domain/digest.ts";
import type { Content } from "./content-file.ts";

/** Larger contents are not cached: they need few disk reads for many bytes. */
export const RECENT_BYTES = 64 * 1024;
const TOTAL_BYTES = 8 * 1024 * 1024;

/**
 * A cache of the small contents that were read last. A content never changes under its digest, so the cache is
 * never stale. Bytes are checked before they are added, and access is checked before a read.
 */
export class RecentContents {
  /** By last use, oldest first. */
  readonly #contents = new Map<Digest, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  get({ digest, size }: Content): Uint8Array<ArrayBuffer> | undefined {
    const content = this.#contents.get(digest);
    if (content?.length !== size) return undefined;
    this.#contents.delete(digest);
    this.#contents.set(digest, content);
    return content;
  }

  add(digest: Digest, content: Uint8Array<ArrayBuffer>): void {
    if (content.length > RECENT_BYTES || this.#contents.has(digest)) return;
    this.#contents.set(digest, content);
    this.#bytes += content.length;
    for (const [oldest, { length }] of this.#contents) {
      if (this.#bytes <= TOTAL_BYTES) return;
      this.#contents.delete(oldest);
      this.#bytes -= length;
    }
  }
}
