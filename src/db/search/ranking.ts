import type { SearchHit } from "./request.ts";

/** A hit with what decides among those of equal score; milliseconds since the epoch. */
interface Ranked extends SearchHit {
  readonly updatedAt: number;
}

/** How many more than twice the wanted are gathered before they are sorted, so that few are not sorted often. */
const SPARE = 1000;

/** The best of what is found, without keeping all of it. */
export class Top {
  /** How many were added. */
  seen = 0;
  readonly #wanted: number;
  #best: Ranked[] = [];

  /** @param wanted how many of the best are to be had */
  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  add(hit: Ranked): void {
    this.seen += 1;
    this.#best.push(hit);
    if (this.#best.length >= 2 * this.#wanted + SPARE) this.#best = this.sorted();
  }

  /** The best, first of all. */
  sorted(): Ranked[] {
    return this.#best.toSorted(best).slice(0, this.#wanted);
  }
}

/** By score, then what changed last, then what was made last. */
function best(a: Ranked, b: Ranked): number {
  return b.score - a.score || b.updatedAt - a.updatedAt || b.file - a.file;
}
