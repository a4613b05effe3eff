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

  /** Has `write` write down all that is not yet, if anything is; what it fails to write stays for the next time. */
  async flush(write: (uses: readonly (readonly [id: Id, at: number])[]) => Promise<void>): Promise<void> {
    if (this.#at.size === 0) return;
    const uses = [...this.#at];
    await write(uses);
    // What was used again meanwhile is not written down.
    for (const [id, at] of uses) if (this.#at.get(id) === at) this.#at.delete(id);
  }
}
