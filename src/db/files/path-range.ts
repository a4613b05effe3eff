import { prefixEnd } from "../../domain/files/path.ts";

// SQLite sorts every text before every blob, so this is the end of a range of paths that has no other.
const AFTER_ALL_TEXT = new Uint8Array([0]);

/** The half-open range `[from, to)` of a path index that holds the paths starting with a prefix. */
export type PathRange = {
  readonly from: string;
  readonly to: string | Uint8Array;
};

/** The next text after a path: no other path is in between, because paths hold no control characters. */
export function firstAfter(path: string): string {
  return `${path}\u0001`;
}

/** The range of paths that start with `prefix`. */
export function rangeOf(prefix: string): PathRange {
  return { from: prefix, to: prefixEnd(prefix) ?? AFTER_ALL_TEXT };
}

/** The part of a range that starts at a path or after it, in UTF-8 byte order, which is the order of the index. */
export function rangeFrom({ from, to }: PathRange, path: string): PathRange {
  return { from: Buffer.compare(Buffer.from(from), Buffer.from(path)) < 0 ? path : from, to };
}

export function isWithin({ from, to }: PathRange, path: string): boolean {
  const bytes = Buffer.from(path);
  const isBefore = typeof to !== "string" || Buffer.compare(bytes, Buffer.from(to)) < 0;
  return isBefore && Buffer.compare(bytes, Buffer.from(from)) >= 0;
}
