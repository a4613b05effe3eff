import type { JsonNode } from "./json.ts";

/** What of a JSON text is opened, by the keys of rows: it stays so where the text changes while it is read. */
export interface JsonFolds {
  /** The objects and arrays of which what is in them is shown. */
  readonly open: ReadonlySet<string>;
  /** How much of what is in them is shown, where that is not `AT_FIRST`. */
  readonly shown: ReadonlyMap<string, number>;
}

interface ValueRow {
  readonly kind: "value";
  readonly key: string;
  /** From 1. */
  readonly depth: number;
  readonly node: JsonNode;
  /** From 1, among what stands in the same object or array. */
  readonly position: number;
  readonly size: number;
  /** Null where there is nothing in it to open. */
  readonly isOpen: boolean | null;
}

/** The end of what is shown of a long object or array. */
interface MoreRow {
  readonly kind: "more";
  readonly key: string;
  readonly depth: number;
  /** The key of the object or array. */
  readonly parent: string;
  readonly left: number;
}

/** A line of the tree. No two have the same key. */
export type JsonRow = ValueRow | MoreRow;

/** How much of what is in an object or array is shown when it is opened. */
export const AT_FIRST = 100;
/** So many rows are opened from the start, at most. */
const ROWS_AT_FIRST = 150;

/** The lines of a tree, from the top. */
export function jsonRows(root: JsonNode, { open, shown }: JsonFolds): JsonRow[] {
  const rows: JsonRow[] = [];
  const add = (node: JsonNode, key: string, depth: number, position: number, size: number) => {
    const isOpen = node.children === null || node.children.length === 0 ? null : open.has(key);
    rows.push({ kind: "value", key, depth, node, position, size, isOpen });
    if (isOpen !== true || node.children === null) return;
    const { length } = node.children;
    const children = node.children.slice(0, shown.get(key) ?? AT_FIRST);
    for (const [at, child] of children.entries()) add(child, keyIn(key, at), depth + 1, at + 1, length);
    const left = length - children.length;
    if (left > 0) rows.push({ kind: "more", key: `${key}/…`, depth: depth + 1, parent: key, left });
  };
  add(root, "", 1, 1, 1);
  return rows;
}

/** The key of what stands in an object or array: it tells the way to it. */
function keyIn(parent: string, at: number): string {
  return `${parent}/${at}`;
}

/** What is open from the start: as much as is seen at a glance, and what is further up rather than what is in it. */
export function openAtFirst(root: JsonNode): JsonFolds {
  const open = new Set<string>();
  let rows = 1;
  for (let level = [{ node: root, key: "" }]; level.length > 0;) {
    const next: typeof level = [];
    for (const { node, key } of level) {
      const children = node.children?.slice(0, AT_FIRST) ?? [];
      if (children.length === 0 || rows + children.length > ROWS_AT_FIRST) continue;
      open.add(key);
      rows += children.length;
      next.push(...children.map((child, at) => ({ node: child, key: keyIn(key, at) })));
    }
    level = next;
  }
  return { open, shown: new Map() };
}
