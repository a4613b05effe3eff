import { prefixEnd } from "../domain/path.ts";

// SQLite sorts every text before every blob, so this bounds a range of paths that has no end.
const AFTER_ALL_TEXT = new Uint8Array([0]);

/** The half-open range `[from, to)` of an index over paths that holds those starting with `prefix`. */
export interface PathRange {
  readonly from: string;
  readonly to: string | Uint8Array;
}

/** No path lies between a path and this, since paths hold no control characters. */
export function firstAfter(path: string): string {
  return `${path}\u0001`;
}

/** The range of the paths that start with `prefix`. */
export function rangeOf(prefix: string): PathRange {
  return { from: prefix, to: prefixEnd(prefix) ?? AFTER_ALL_TEXT };
}
