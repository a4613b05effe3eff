import type { Digest } from "../domain/contents/content.ts";

/**
 * Counts the uploads that need a blob: they have matched it and not committed their row yet. In memory only:
 * no upload survives a crash.
 */
export class Pins {
  readonly #counts = new Map<Digest, number>();
  readonly #removals = new Map<Digest, Promise<void>>();

  /**
   * Pins a blob, and waits for a removal of it that has begun before. Resolves with a function that unpins it;
   * later calls of that do nothing.
   */
  async pin(digest: Digest): Promise<() => void> {
    this.#counts.set(digest, (this.#counts.get(digest) ?? 0) + 1);
    // A failed removal is for the one who began it.
    await this.#removals.get(digest)?.catch(() => {});
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#counts.get(digest) ?? 0) - 1;
      if (left > 0) this.#counts.set(digest, left);
      else this.#counts.delete(digest);
    };
  }

  /** Removes a blob with `remove`, and resolves with true; with false, without a call, while it is pinned. */
  async unlessPinned(digest: Digest, remove: () => Promise<void>): Promise<boolean> {
    if (this.#counts.has(digest)) return false;
    const removal = this.#removals.get(digest) ?? remove().finally(() => this.#removals.delete(digest));
    this.#removals.set(digest, removal);
    await removal;
    return true;
  }
}
