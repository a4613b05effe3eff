import type { SearchHit } from "./request.ts";

/** A hit, with what orders hits of equal score; milliseconds since the epoch. */
export interface Ranked extends Omit<SearchHit, "passage"> {
  readonly updatedAt: number;
}

/** Hits are sorted when there are twice the wanted number plus this many, so that few hits are not sorted often. */
const SPARE = 1000;

/** The best hits, without keeping all. */
export class Top {
  /** How many were added. */
  seen = 0;
  readonly #wanted: number;
  #best: Ranked[] = [];

  /** @param wanted how many of the best are wanted */
  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  add(hit: Ranked): void {
    this.seen += 1;
    this.#best.push(hit);
    if (this.#best.length >= 2 * this.#wanted + SPARE) this.#best = this.sorted();
  }

  /** The best hits, best first. */
  sorted(): Ranked[] {
    return this.#best.toSorted(best).slice(0, this.#wanted);
  }
}

/** By score, then last changed first, then last created first. */
function best(a: Ranked, b: Ranked): number {
  return b.score - a.score || b.updatedAt - a.updatedAt || b.file - a.file;
}
