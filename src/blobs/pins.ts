import type { Digest } from "../domain/digest.ts";

/**
 * Counts the uploads that need a content: they have matched it and not committed their row yet. In memory only:
 * no upload survives a crash.
 */
export class Pins {
  readonly #counts = new Map<Digest, number>();

  /** Pins a content. The returned function unpins it; later calls of it do nothing. */
  pin(digest: Digest): () => void {
    this.#counts.set(digest, (this.#counts.get(digest) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#counts.get(digest) ?? 0) - 1;
      if (left > 0) this.#counts.set(digest, left);
      else this.#counts.delete(digest);
    };
  }

  has(digest: Digest): boolean {
    return this.#counts.has(digest);
  }
}
