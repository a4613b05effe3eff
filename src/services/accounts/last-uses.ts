import type { Tables } from "../../db/tables.ts";

const PIECE = 200;

/** What is not written yet: how often something was used and, in milliseconds since the epoch, when last. */
interface Use<Id> {
  readonly id: Id;
  readonly count: number;
  readonly at: number;
}

/** When things were last used. Kept in memory until `flush`, so that reads need no write. */
export class LastUses<Id> {
  readonly #uses = new Map<Id, Use<Id>>();

  note(id: Id, now: number): void {
    this.#uses.set(id, { id, count: (this.#uses.get(id)?.count ?? 0) + 1, at: now });
  }

  get(id: Id): Use<Id> | undefined {
    return this.#uses.get(id);
  }

  /** Writes all uses, some in each transaction. What fails is kept for the next call. */
  async flush({ writeFromReserve }: Tables, write: (use: Use<Id>) => void): Promise<void> {
    const all = [...this.#uses.values()];
    for (let from = 0; from < all.length; from += PIECE) {
      const uses = all.slice(from, from + PIECE);
      await writeFromReserve(() => uses.forEach(write));
      for (const { id, count } of uses) {
        const now = this.#uses.get(id);
        // Keep what was used again meanwhile.
        if (now !== undefined && now.count > count) this.#uses.set(id, { ...now, count: now.count - count });
        else this.#uses.delete(id);
      }
    }
  }
}
