import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Every row's height in pixels; `--row-height` in files.css says the same. */
export const ROW_HEIGHT = 48;
/** Rows kept ready above and below, so that scrolling shows no gaps. */
const SPARE = 12;

export interface Rows {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** The rows of `body`, all of the same height, that are in the window or close to it. */
export function useVisibleRows(body: RefObject<HTMLElement | null>, count: number): Rows {
  const [rows, setRows] = useState<Rows>({ first: 0, end: SPARE * 2 });
  useLayoutEffect(() => {
    const measure = () => {
      if (body.current === null) return;
      const { top } = body.current.getBoundingClientRect();
      const first = Math.max(0, Math.floor(-top / ROW_HEIGHT) - SPARE);
      const end = Math.max(first, Math.ceil((innerHeight - top) / ROW_HEIGHT) + SPARE);
      setRows((last) => (last.first === first && last.end === end ? last : { first, end }));
    };
    measure();
    // In the capturing phase, so that scrolling of anything around the rows counts.
    addEventListener("scroll", measure, { capture: true, passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure, { capture: true });
      removeEventListener("resize", measure);
    };
  }, [body, count]);
  return { first: Math.min(rows.first, count), end: Math.min(rows.end, count) };
}
