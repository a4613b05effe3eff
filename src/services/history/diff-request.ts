import { changedLines, type LineChange } from "../../domain/comments/line-places.ts";
import { lineChanges } from "../../domain/contents/edit/changes.ts";
import { type Diff, unifiedDiff } from "../../domain/contents/edit/unified-diff.ts";

/** Two texts to compare, as UTF-8. */
export interface DiffRequest {
  /** Of the file. */
  readonly path: string;
  readonly original: Uint8Array;
  readonly now: Uint8Array;
}

/** How two texts differ: as people read it, and which lines do. */
export interface Comparison extends Diff {
  readonly lines: readonly LineChange[];
}

/** Compares two texts. @param steps see `lineChanges` */
export function diffOf({ path, original, now }: DiffRequest, steps?: number): Comparison {
  const [before, after] = [asBuffer(original), asBuffer(now)];
  const changes = lineChanges(before, after, steps);
  const diff = unifiedDiff({ path, original: before, now: after, changes, firstLine: 1 });
  return { ...diff, lines: changedLines(before, after, changes) };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
