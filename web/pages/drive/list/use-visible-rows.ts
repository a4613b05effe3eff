import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { RowScale } from "../../../lib/files/row-scale.ts";
import { columnsIn, type ViewShape } from "../../../lib/files/view.ts";
import { useRem } from "../../../lib/browser/rem.ts";
import { useByWidth } from "../../../lib/browser/width.ts";

// Only the rows in sight are in the page: Chromium takes 1.4 s to build and lay out 10,000 plain rows, and 13.7 s for
// 100,000. By hand, because an element can be at most 33,554,428 pixels tall there, 699,000 rows of 48 pixels, and
// `RowScale` goes past that.

/** What is kept ready above and below, so that scrolling shows no gaps; in rem. */
const SPARE_REM = 36;
/** What stays above and below a row that is brought into sight, for what sticks there; in rem. */
const ABOVE_REM = 9;
const BELOW_REM = 1;

interface Seen {
  /** Of the lines, each of which holds a row or, as tiles, several side by side. */
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** How far the lines in sight are moved from where they would stand with room for all; in pixels. */
  readonly shift: number;
}

export interface VisibleRows {
  /** Of the rows in sight. */
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** How many rows stand side by side. */
  readonly columns: number;
  /** Of the element that holds the rows, in pixels. */
  readonly height: number;
  /** Where a row stands in it. */
  readonly topOf: (row: number) => number;
  /** Scrolls as little as is needed to see a row. */
  readonly reveal: (row: number) => void;
}

/** The rows of `body`, all of the same height, that are in the window or close to it. */
export function useVisibleRows(
  body: RefObject<HTMLElement | null>,
  count: number,
  shape: ViewShape,
): VisibleRows {
  const rem = useRem();
  const columns = useByWidth(body, String(shape.width), (width) => columnsIn(shape, width));
  const rowHeight = shape.line * rem;
  const lines = Math.ceil(count / columns);
  const scale = useMemo(() => new RowScale(lines, rowHeight), [lines, rowHeight]);
  const spare = Math.ceil(SPARE_REM / shape.line);
  const [seen, setSeen] = useState<Seen>({ first: 0, end: spare * 2, shift: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      if (body.current === null) return;
      const next = seenAt(-body.current.getBoundingClientRect().top, scale, rowHeight, spare);
      setSeen((last) => (isSame(last, next) ? last : next));
    };
    measure();
    // In the capturing phase, so that scrolling of anything around the rows counts.
    addEventListener("scroll", measure, { capture: true, passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure, { capture: true });
      removeEventListener("resize", measure);
    };
  }, [body, scale, rowHeight, spare]);
  const [first, end] = [Math.min(seen.first * columns, count), Math.min(seen.end * columns, count)];
  const placeOf = (row: number) => Math.floor(row / columns) * rowHeight;
  return {
    first,
    end,
    columns,
    height: scale.height,
    topOf: (row) =>
      row >= first && row < end ? placeOf(row) + seen.shift : Math.round(scale.toElement(placeOf(row))),
    reveal: (row) => {
      if (body.current === null) return;
      const y = -body.current.getBoundingClientRect().top;
      const from = scale.toRows(y);
      const highest = placeOf(row) + rowHeight + BELOW_REM * rem - innerHeight;
      const to = Math.min(placeOf(row) - ABOVE_REM * rem, Math.max(from, highest));
      if (to !== from) scrollBy(0, scale.toElement(to) - y);
    },
  };
}

/** What is seen with `y` of the element at the top of the window. */
function seenAt(y: number, scale: RowScale, rowHeight: number, spare: number): Seen {
  const from = scale.toRows(y);
  const first = Math.max(0, Math.floor(from / rowHeight) - spare);
  const end = Math.max(first, Math.ceil((from + innerHeight) / rowHeight) + spare);
  return { first, end, shift: Math.round(y - from) };
}

function isSame(a: Seen, b: Seen): boolean {
  return a.first === b.first && a.end === b.end && a.shift === b.shift;
}
