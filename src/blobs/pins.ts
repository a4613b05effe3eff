import type { Digest } from "../domain/digest.ts";

/**
 * Counts who needs a content to stay: uploads that matched it and have not written their row yet. Held in
 * memory only: after a crash nobody is left to need it.
 */
export class Pins {
  readonly #counts = new Map<Digest, number>();

  /** Pins a content; the function it returns lets go, once, however often it is called. */
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
