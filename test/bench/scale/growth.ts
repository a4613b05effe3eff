import { median } from "../figures.ts";
import type { Curve } from "./plot.ts";

/** What of there is more and more in drives. */
export const ACROSS = "files in the drive";

/** A cost that is measured for more and more of something. */
export class Growth implements Curve {
  readonly name: string;
  readonly points: (readonly [x: number, y: number])[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Keeps the median of what was measured for `x` of them. */
  add(x: number, values: readonly number[]): void {
    this.points.push([x, median(values)]);
  }
}

/** What a scale gets. */
export interface Scale {
  /** How often what is short is measured; see also `longRounds`. */
  readonly rounds: number;
  /** A path at which nothing is yet. */
  readonly newPath: () => string;
  /** Says what is being measured. */
  readonly say: (what: string) => void;
}

/** How often what takes long is measured. */
export function longRounds({ rounds }: Scale): number {
  return Math.ceil(rounds / 20);
}
