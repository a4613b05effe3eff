import type { ChangeRange } from "../../db/changes/changes.ts";
import type { Tables } from "../../db/tables.ts";
import { type Change, changeNumber } from "../../domain/changes/change.ts";

/** How many rows one query reads if there are several drives: most have nothing new. */
const FEW = 16;
/** The same for the only one. */
const MANY = 500;

/** The changes of one drive that were read and not yet given. */
class Walk {
  readonly #parts;
  #rest: ChangeRange;
  #rows: Change[] = [];
  #at = 0;

  constructor(parts: { table: Tables["changes"]; range: ChangeRange; newestFirst: boolean }) {
    this.#parts = parts;
    this.#rest = parts.range;
  }

  get first(): Change | undefined {
    return this.#rows[this.#at];
  }

  drop(): void {
    this.#at += 1;
  }

  /** Reads up to `limit` rows if there is none left. */
  fill(limit: number): void {
    if (this.#at < this.#rows.length) return;
    const { drive, after, upTo } = this.#rest;
    if (after >= upTo) return;
    this.#at = 0;
    this.#rows = this.#parts.newestFirst
      ? this.#parts.table.newest(this.#rest, limit)
      : this.#parts.table.oldest(this.#rest, limit);
    const last = this.#rows.at(-1)?.number;
    if (last === undefined || this.#rows.length < limit) this.#rest = { drive, after: upTo, upTo };
    else if (this.#parts.newestFirst) this.#rest = { drive, after, upTo: changeNumber(last - 1) };
    else this.#rest = { drive, after: last, upTo };
  }
}

/** The changes of some drives, in the order of their numbers. @param few how many are wanted, mostly */
export function* merged(
  table: Tables["changes"],
  ranges: readonly ChangeRange[],
  few: number,
  newestFirst: boolean,
): Generator<Change> {
  const limit = Math.min(few, ranges.length === 1 ? MANY : FEW);
  const walks = ranges.map((range) => new Walk({ table, range, newestFirst }));
  for (const walk of walks) walk.fill(limit);
  for (;;) {
    let next: Walk | null = null;
    let best: Change | null = null;
    for (const walk of walks) {
      const change = walk.first;
      if (change === undefined) continue;
      if (best === null || change.number < best.number !== newestFirst) [next, best] = [walk, change];
    }
    if (next === null || best === null) return;
    yield best;
    next.drop();
    next.fill(limit);
  }
}
