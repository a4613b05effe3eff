import { nameOf } from "../../lib/files.ts";
import type { TreeRow } from "../../lib/tree/tree-rows.ts";

/** What a key asks of a tree: to go to a row, or something of the row one is at. */
export type TreeCommand =
  { readonly does: "go"; readonly row: number } | { readonly does: "open" | "close" | "choose" };

/** What the keys need to know of a row. */
interface KeyRow {
  readonly depth: number;
  /** Null or absent where there is nothing in it to open. */
  readonly isOpen?: boolean | null;
}

/** Rows that Page Up and Page Down pass. */
const SCREEN = 10;

/**
 * What a key means at a row of a tree, as the ARIA Authoring Practices have it; null where it means
 * nothing, or would lead out of the tree.
 */
export function treeCommandOf(key: string, rows: readonly KeyRow[], at: number): TreeCommand | null {
  switch (key) {
    case "ArrowRight":
      return inwards(rows, at);
    case "ArrowLeft":
      return outwards(rows, at);
    case "Enter":
    case " ":
      return { does: "choose" };
    default: {
      const row = targetOf(key, rows, at);
      return row === null ? null : { does: "go", row: Math.max(0, Math.min(rows.length - 1, row)) };
    }
  }
}

/** The next row whose name begins with what was typed, all the way round; null where none does. */
export function rowOfName(
  typed: string,
  rows: readonly TreeRow[],
  at: number,
  driveName: string,
): number | null {
  const sought = typed.toLocaleLowerCase();
  // While a name is being typed, the row it has led to may still be the one.
  const skipped = Array.from(typed).length === 1 ? 1 : 0;
  for (let step = skipped; step < rows.length + skipped; step += 1) {
    const index = (at + step) % rows.length;
    const row = rows[index];
    if (row?.kind !== "folder") continue;
    const name = row.path === "" ? driveName : nameOf(row.path);
    if (name.toLocaleLowerCase().startsWith(sought)) return index;
  }
  return null;
}

function inwards(rows: readonly KeyRow[], at: number): TreeCommand | null {
  const { isOpen = null } = rows[at] ?? {};
  if (isOpen === null) return null;
  return isOpen ? { does: "go", row: Math.min(at + 1, rows.length - 1) } : { does: "open" };
}

function outwards(rows: readonly KeyRow[], at: number): TreeCommand | null {
  const row = rows[at];
  if (row === undefined) return null;
  if (row.isOpen === true) return { does: "close" };
  const parent = rows.slice(0, at).findLastIndex(({ depth }) => depth < row.depth);
  return parent === -1 ? null : { does: "go", row: parent };
}

function targetOf(key: string, rows: readonly KeyRow[], at: number): number | null {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "PageDown":
      return at + SCREEN;
    case "PageUp":
      return at - SCREEN;
    case "Home":
      return 0;
    case "End":
      return rows.length - 1;
    default:
      return null;
  }
}
