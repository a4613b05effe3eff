import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** For a row of links that may be wider than its room: scrolls it to the one that is shown, also where `key` changes. */
export function useCurrentInSight(key: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const here = row.current?.querySelector("[aria-current]");
    if (row.current === null || !(here instanceof HTMLElement)) return;
    const { offsetLeft: start, clientWidth: room } = row.current;
    row.current.scrollLeft = here.offsetLeft - start - (room - here.offsetWidth) / 2;
  }, [key]);
  return row;
}
