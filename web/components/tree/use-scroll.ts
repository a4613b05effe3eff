import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { TreeStore } from "../../lib/tree/tree.ts";
import type { TreeRow } from "../../lib/tree/tree-rows.ts";

/** Rows kept ready above and below those in sight. */
const SPARE = 12;
/** Rows that are in the page before it is known how many there is room for. */
const AT_FIRST = 40;

/** Which rows of a tree, which scrolls by itself, are in sight or close to it; the end is exclusive. */
export function useRowsInSight(tree: RefObject<HTMLElement | null>, count: number) {
  const [sight, setSight] = useState({ first: 0, end: AT_FIRST });
  useLayoutEffect(() => {
    const element = tree.current;
    if (element === null) return;
    const measure = () => {
      const height = rowHeight(element, count);
      if (height === 0) return;
      const first = Math.max(0, Math.floor(element.scrollTop / height) - SPARE);
      const end = Math.ceil((element.scrollTop + element.clientHeight) / height) + SPARE;
      setSight((last) => (last.first === first && last.end === end ? last : { first, end }));
    };
    measure();
    const resizes = new ResizeObserver(measure);
    resizes.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      resizes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [tree, count]);
  return { first: Math.min(sight.first, count), end: Math.min(sight.end, count) };
}

/** Scrolls the tree, and nothing around it, until the row and its neighbours are in sight. */
export function scrollToRow(element: HTMLElement, row: number, count: number): void {
  const height = rowHeight(element, count);
  const top = (row - 1) * height;
  const bottom = (row + 2) * height - element.clientHeight;
  if (element.scrollTop > top) element.scrollTop = top;
  else if (element.scrollTop < bottom) element.scrollTop = bottom;
}

/**
 * Opens the way to a folder and keeps it in sight until all that is shown because of it is there. Returns
 * what ends that: the person goes elsewhere.
 */
export function useRevealed(
  tree: RefObject<HTMLElement | null>,
  store: TreeStore,
  rows: readonly TreeRow[],
  folder: string,
): () => void {
  const keeps = useRef(false);
  useLayoutEffect(() => {
    keeps.current = true;
    store.reveal(folder);
  }, [store, folder]);
  // After the page has asked for what it is about.
  useEffect(() => {
    keeps.current = true;
    store.fill(folder);
  }, [store, folder]);
  useLayoutEffect(() => {
    const row = rows.findIndex(({ key }) => key === folder);
    if (!keeps.current || row === -1 || tree.current === null) return;
    scrollToRow(tree.current, row, rows.length);
    keeps.current = store.isBusy;
  });
  return () => {
    keeps.current = false;
  };
}

/** In pixels. All rows are of one height, which follows the size of the person's letters. */
function rowHeight(element: HTMLElement, count: number): number {
  const rows = element.firstElementChild;
  return rows === null ? 0 : rows.getBoundingClientRect().height / count;
}
