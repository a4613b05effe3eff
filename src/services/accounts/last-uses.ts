const PIECE = 200;

/** When things were last used. Kept in memory until `flush`, so that reads need no write. */
export class LastUses<Id> {
  /** Milliseconds since the epoch. */
  readonly #at = new Map<Id, number>();

  note(id: Id, now: number): void {
    this.#at.set(id, now);
  }

  /** The last use that is not written yet, in milliseconds since the epoch. */
  get(id: Id): number | undefined {
    return this.#at.get(id);
  }

  /** Writes all recorded uses with `write`, some at a time. What fails is kept for the next call. */
  async flush(write: (uses: readonly (readonly [id: Id, at: number])[]) => Promise<void>): Promise<void> {
    const all = [...this.#at];
    for (let from = 0; from < all.length; from += PIECE) {
      const uses = all.slice(from, from + PIECE);
      await write(uses);
      // Keep what was used again meanwhile.
      for (const [id, at] of uses) if (this.#at.get(id) === at) this.#at.delete(id);
    }
  }
}
