import type { Tables } from "../../db/tables.ts";

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

  /** Writes all recorded uses with `touch`, some in each transaction. What fails is kept for the next call. */
  async flush({ writeFromReserve }: Tables, touch: (id: Id, at: number) => void): Promise<void> {
    const all = [...this.#at];
    for (let from = 0; from < all.length; from += PIECE) {
      const uses = all.slice(from, from + PIECE);
      await writeFromReserve(() => {
        for (const [id, at] of uses) touch(id, at);
      });
      // Keep what was used again meanwhile.
      for (const [id, at] of uses) if (this.#at.get(id) === at) this.#at.delete(id);
    }
  }
}
