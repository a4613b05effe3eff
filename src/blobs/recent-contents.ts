import type { Digest } from "../domain/digest.ts";
import type { Content } from "./content-file.ts";

/** Larger contents are not worth keeping: the disk is asked seldom for how much it gives. */
export const RECENT_BYTES = 64 * 1024;
const TOTAL_BYTES = 8 * 1024 * 1024;

/**
 * The small contents that were read last. A content never changes under its digest, so nothing in here
 * can be out of date, and what is added has been checked; whether a caller may have it was decided before anybody looks.
 */
export class RecentContents {
  /** In the order of their last use. */
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
