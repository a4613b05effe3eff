/** How many uses are written down together. */
const PIECE = 200;

/** When things were last used, kept in memory until it is written down, so that reads stay reads. */
export class LastUses<Id> {
  /** Milliseconds since the epoch. */
  readonly #at = new Map<Id, number>();

  /** Notes a use at `now`. */
  note(id: Id, now: number): void {
    this.#at.set(id, now);
  }

  /** The last use that is not written down yet, in milliseconds since the epoch. */
  get(id: Id): number | undefined {
    return this.#at.get(id);
  }

  /** Has `write` write down all that is not yet, some at a time; what it fails to write stays for the next time. */
  async flush(write: (uses: readonly (readonly [id: Id, at: number])[]) => Promise<void>): Promise<void> {
    const all = [...this.#at];
    for (let from = 0; from < all.length; from += PIECE) {
      const uses = all.slice(from, from + PIECE);
      await write(uses);
      // What was used again meanwhile is not written down.
      for (const [id, at] of uses) if (this.#at.get(id) === at) this.#at.delete(id);
    }
  }
}
